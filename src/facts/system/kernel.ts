import { textBeforeBoot } from "../../core/boot.ts";
import type { HostFact } from "../../core/fact.ts";
import { ask, defineKind } from "../../core/kind.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../core/symbols.ts";
import { sha256 } from "../files/file-content.ts";
import { numbered } from "./quote.ts";

/** The path below /proc/sys of a kernel parameter written with dots or, where a part has dots in it, with slashes. */
export function sysctlPath(key: string): string {
  return key.includes("/") ? key : key.replaceAll(".", "/");
}

/** What the names of furrow's own files in /etc/sysctl.d begin with. */
export const ownSysctlPrefix = "99-zz-furrow-";

/**
 * The file in which furrow keeps a parameter for every boot. Files are read in the order of their names and the last one wins
 * (sysctl.d(5)), so this one comes after Debian's 99-sysctl.conf, which is /etc/sysctl.conf.
 */
export function ownSysctlFile(key: string): string {
  return `/etc/sysctl.d/${ownSysctlPrefix}${sysctlPath(key).replaceAll("/", "-")}.conf`;
}

/** True for a file that may set a parameter after furrow's own file for it does, and for the folder it would be in. */
export function isLaterSysctl(path: string): boolean {
  return /^\/(etc|run|usr\/lib|usr\/local\/lib)\/sysctl\.d(\/(?!99-zz-furrow-)[^/]*)?$/.test(path);
}

/** Its text, with slashes: the one form that no name can make ambiguous (sysctl.d(5)). */
export function ownSysctlText(key: string, value: string): string {
  return `${sysctlPath(key)} = ${value}\n`;
}

/** Asks for the running value of a kernel parameter: blanks between its parts are single; absent where there is none. */
export function sysctlValue(key: string): HostFact<Absent | string> {
  return ask(sysctlKind, sysctlPath(key));
}

/** Kernel parameters, read from /proc/sys: no program is needed. */
export const sysctlKind = defineKind<Absent | string>({
  name: "sysctl",
  summary: "The running value of a kernel parameter",
  facets: {},
  // What is set at every boot is what the running value then is; else nobody knows what the kernel begins with.
  afterBoot(key, value, before) {
    if (value === absent) return absent;
    const later = before(`laterSysctl:${key}`);
    if (later === knownAfterApply) return knownAfterApply;
    if (isRecord(later)) return later["value"] as string;
    const saved = before(`file:${ownSysctlFile(key)}`);
    if (!isRecord(saved)) return knownAfterApply;
    const text = ownSysctlText(key, value);
    return saved["text"] === text || saved["sha256"] === sha256(Buffer.from(text)) ? value : knownAfterApply;
  },
  read: (questions) => `for x in ${numbered(questions)}; do
n=\${x%%:*} p=/proc/sys/\${x#*:}
if [ ! -f "$p" ]; then echo "$n absent=yes"
elif v=$(cat "$p" 2>/dev/null); then set -f; set -- $v; set +f; echo "$n value=$*"
else echo "$n !\${x#*:} cannot be read"
fi
done`,
  parse: (lines) => lines["value"] ?? absent,
  print: (value) => (value === absent ? { absent: "yes" } : { value }),
});

/** Asks for the name the running kernel has. */
export function runningHostname(): HostFact<string> {
  return ask(hostnameKind, "running");
}

/** The running host name. */
export const hostnameKind = defineKind<string>({
  name: "hostname",
  summary: "The name of the running host, as uname -n prints it",
  facets: {},
  // systemd sets it from the first line of this file that is no comment (hostname(5)).
  afterBoot(_key, name, before) {
    const text = textBeforeBoot("/etc/hostname", before);
    if (text === undefined) return knownAfterApply;
    return text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? name;
  },
  read: (questions) => `h=$(uname -n)\n${questions.map(({ number }) => `echo "${number} name=$h"`).join("\n")}`,
  parse: (lines) => lines["name"] ?? "",
  print: (name) => ({ name }),
});

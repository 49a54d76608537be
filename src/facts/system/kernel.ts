import { textBeforeBoot } from "../../core/facts/boot.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { sha256 } from "../files/file-content.ts";
import { numbered } from "./quote.ts";

/**
 * The path of a kernel parameter below /proc/sys. The key is written with dots, or with slashes if a part contains
 * dots.
 */
export function sysctlPath(key: string): string {
  return key.includes("/") ? key : key.replaceAll(".", "/");
}

/** The prefix of furrow's own files in /etc/sysctl.d. */
export const ownSysctlPrefix = "99-zz-furrow-";

/**
 * The file in which furrow sets a parameter for every boot. Files are read in the order of their names, and the last
 * one wins (sysctl.d(5)), so this file's name sorts after Debian's 99-sysctl.conf, which is a link to /etc/sysctl.conf.
 */
export function ownSysctlFile(key: string): string {
  return `/etc/sysctl.d/${ownSysctlPrefix}${sysctlPath(key).replaceAll("/", "-")}.conf`;
}

/**
 * True for a file that may set a parameter after furrow's own file sets it, and for a folder that may contain such a
 * file.
 */
export function isLaterSysctl(path: string): boolean {
  return /^\/(etc|run|usr\/lib|usr\/local\/lib)\/sysctl\.d(\/(?!99-zz-furrow-)[^/]*)?$/.test(path);
}

/** The content of furrow's own sysctl file. It uses slashes, because that form is never ambiguous (sysctl.d(5)). */
export function ownSysctlText(key: string, value: string): string {
  return `${sysctlPath(key)} = ${value}\n`;
}

/**
 * Asks for the current value of a kernel parameter, with single spaces between its parts; absent if the parameter does
 * not exist.
 */
export function sysctlValue(key: string): HostFact<Absent | string> {
  return ask(sysctlKind, sysctlPath(key));
}

/** Kernel parameters, read from /proc/sys without starting a program. */
export const sysctlKind = defineKind<Absent | string>({
  name: "sysctl",
  summary: "The current value of a kernel parameter",
  facets: {},
  // After a reboot, a parameter has the value that a file sets, or else the kernel's default, which is unknown.
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

/** Asks for the host name of the running kernel. */
export function runningHostname(): HostFact<string> {
  return ask(hostnameKind, "running");
}

/** The current host name. */
export const hostnameKind = defineKind<string>({
  name: "hostname",
  summary: "The host's current name, as uname -n prints it",
  facets: {},
  // systemd sets the host name from the first line of this file that is not a comment (hostname(5)).
  afterBoot(_key, name, before) {
    const text = textBeforeBoot("/etc/hostname", before);
    if (text === undefined) return knownAfterApply;
    return text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? name;
  },
  read: (questions) => `h=$(uname -n)\n${questions.map(({ number }) => `echo "${number} name=$h"`).join("\n")}`,
  parse: (lines) => lines["name"] ?? "",
  print: (name) => ({ name }),
});

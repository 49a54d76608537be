import type { HostFact } from "../core/fact.ts";
import { ask, defineKind } from "../core/kind.ts";
import { type Absent, absent } from "../core/symbols.ts";
import { numbered } from "./quote.ts";

/** The path below /proc/sys of a kernel parameter written with dots or, where a part has dots in it, with slashes. */
export function sysctlPath(key: string): string {
  return key.includes("/") ? key : key.replaceAll(".", "/");
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
  read: (questions) => `h=$(uname -n)\n${questions.map(({ number }) => `echo "${number} name=$h"`).join("\n")}`,
  parse: (lines) => lines["name"] ?? "",
  print: (name) => ({ name }),
});

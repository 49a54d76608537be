import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, printPart } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { hiddenFunctions } from "./hidden-path.ts";
import { atPath } from "./path-resolution.ts";

/** The rights of the session's user in a directory. */
export interface Access {
  /** The nearest existing directory at or above the path. */
  readonly at: string;
  /** True if the kernel lets the user create, replace and remove entries in the directory. */
  readonly write: boolean;
  /** True if the user's uid is 0. */
  readonly root: boolean;
}

/** Asks what the session's user may do in the directory at an absolute path, or in its nearest existing parent. */
export function access(directory: string): HostFact<Access> {
  return ask(accessKind, directory);
}

/**
 * The result of access(2) for directories. It takes modes, access control lists, capabilities and read-only file
 * systems into account.
 */
export const accessKind = defineKind<Access>({
  name: "access",
  summary: "Whether the session's user may write in a directory",
  facets: {},
  advice: true,
  renamed: atPath,
  functions: hiddenFunctions,
  read: (questions) => `u=$(id -u)
may() {
d=$2
while [ ! -e "$d" ]; do
hidden "$1" "$d" && return
case $d in */*) d=\${d%/*};; *) d=;; esac
d=\${d:-/}
done
w=no r=no
[ -w "$d" ] && [ -x "$d" ] && w=yes
[ "$u" = 0 ] && r=yes
printf '%s\\n' "$1 at=$d" "$1 write=$w" "$1 root=$r"
}
${questions.map(({ number, key }) => `may ${number} ${shellQuote(key)}`).join("\n")}`,
  parse({ at, write, root }, { key }) {
    if (at === undefined) throw new FurrowError("E_FACT", { what: `the host gave no answer about access to ${key}` });
    return { at, write: write === "yes", root: root === "yes" };
  },
  print: (value) => {
    const word = (part: boolean): string => (part ? "yes" : "no");
    return { at: printPart(value, "at"), write: printPart(value, "write", word), root: printPart(value, "root", word) };
  },
});

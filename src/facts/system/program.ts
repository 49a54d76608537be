import { byPathOverBoot } from "../../core/facts/boot.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { numbered } from "./quote.ts";
import { missingFunction } from "../files/hidden-path.ts";

/** A program that the host's shell finds. */
export interface Program {
  /** The path of the program, or its bare name if it is a shell builtin. */
  readonly path: string;
}

/** Asks for the path of a program on the host. `name` is a name on its PATH, or a path. */
export function program(name: string): HostFact<Absent | Program> {
  return ask(programKind, name);
}

/**
 * Programs by name or path, as `command -v` (POSIX) finds them. dash would interpret a program name such as `-v` as an
 * option.
 */
export const programKind = defineKind<Absent | Program>({
  name: "program",
  afterBoot: byPathOverBoot,
  summary: "Where the host finds a program, by name on its PATH or by path",
  facets: {},
  anything: { path: knownAfterApply as never },
  read: (questions) => {
    const byName = `case $p in -*) echo "$n path=$(command -v -- "$p" 2>/dev/null)"; continue;; esac
printf '%s path=' "$n"
command -v "$p" 2>/dev/null || echo`;
    const each = (body: string): string => `for x in ${numbered(questions)}; do
n=\${x%%:*} p=\${x#*:}
${body}
done`;
    if (questions.every(({ key }) => !key.startsWith("/"))) return each(byName);
    return `${missingFunction}
M= Q=
${each(`case $p in /*) if [ ! -e "$p" ] && [ ! -L "$p" ]; then M="$M$n " Q="$Q
$p"; continue; fi;; esac
${byName}`)}
missing "$M" "$Q" path=`;
  },
  renamed: (key, real) => (key.startsWith("/") ? real(key, true) : key),
  parse: (lines) => (lines["path"] ? { path: lines["path"] } : absent),
  print: (value) => ({ path: value === absent ? "" : value.path }),
});

import { byPathOverBoot } from "../../core/facts/boot.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { shellQuote } from "../../core/host/step.ts";
import { missingFunction } from "./hidden-path.ts";
import { behindPath } from "./path-resolution.ts";

/** The time at which the names in a directory last changed. */
export interface Entries {
  /** The directory's ctime, in microseconds since the epoch. Adding, removing or renaming an entry updates it. */
  readonly changed: number;
}

/**
 * Asks for the time at which the names in a directory last changed. The directory's own `file` fact does not change
 * when its entries change.
 */
export function entries(directory: string): HostFact<Absent | Entries> {
  return ask(entriesKind, directory);
}

/**
 * The times at which the names in directories last changed, according to the directories' ctime. If `stat` reports only
 * whole seconds, the end of the second is used.
 */
export const entriesKind = defineKind<Absent | Entries>({
  name: "entries",
  afterBoot: byPathOverBoot,
  summary: "The time at which the names in a directory last changed",
  facets: {},
  renamed: behindPath,
  unwatched: ["changed"],
  read: (questions) =>
    `entries '${questions.map(({ number }) => number).join(" ")}' ${shellQuote(questions.map(({ key }) => key).join("\n"))}`,
  functions: `${missingFunction}
entries() {
N=$1 P=$2 M= Q= l='
'
set -f; IFS=$l
set -- $(stat -L -c '%.6Z|%F|%n' -- $P 2>/dev/null)
for p in $P; do
n=\${N%% *} N=\${N#* }
r=\${1#*'|'*'|'}
if [ $# -eq 0 ] || [ "$r" != "$p" ]; then M="$M$n " Q=$Q$l$p; continue; fi
F=\${1#*'|'}
case \${F%%'|'*} in
directory) c=\${1%%'|'*}; case $c in *.*) c=\${c%.*}\${c#*.};; *) c=\${c}999999;; esac; echo "$n changed=$c";;
*) echo "$n absent=yes";;
esac
shift
done
missing "$M" "$Q" absent=yes
}`,
  parse: (lines) => (lines["changed"] === undefined ? absent : { changed: Number(lines["changed"]) }),
  print: (value) => (value === absent ? { absent: "yes" } : { changed: String(value.changed) }),
});

import { byPathOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import { exactly, type HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { stampPath } from "../../core/host/stamp.ts";
import { hiddenFunctions } from "./hidden-path.ts";
import { packageFactsNear } from "../packages/package-places.ts";

/** The archive that was last unpacked from one source into a directory. */
export interface Unpacked {
  /** Identifies the archive's content and how it was unpacked. */
  readonly archive: string;
}

/** Patterns of the facts about archives unpacked into a directory or below it. */
export function unpackedFactsOf(directory: string): string[] {
  const name = exactly(JSON.stringify(directory).slice(0, -1));
  return [`unpacked:[${name}",**`, `unpacked:[${name}/**`];
}

/** Asks which archive was last unpacked from `source` into the current directory at this path. */
export function unpacked(directory: string, source: string): HostFact<Absent | Unpacked> {
  return ask(unpackedKind, JSON.stringify([directory, source]));
}

/** The file on the host that stores which archive was last unpacked from `source` into a directory. */
export function unpackedPath(directory: string, source: string, base?: string): string {
  return stampPath(JSON.stringify(["unpacked", directory, source]), base);
}

/**
 * Shell functions. `directory_of PATH` prints text that distinguishes a directory from a later one at the same path:
 * the inode, and the birth time with its fraction of a second. A file system often reuses the inode number of a removed
 * directory within the same second. If the birth time is unknown (as in busybox), the name of an entry replaces it,
 * because a new directory does not have that entry. `same_directory PATH TEXT` compares a directory with TEXT, which
 * `directory_of` printed earlier.
 */
export const directoryFunctions = `directory_of() {
[ -d "$1" ] || return 1
set -- "$1" "$(TZ=UTC0 stat -c '%i|%w' -- "$1/." 2>/dev/null)"
case $2 in *:*:*) printf '%s\\n' "$2"; return;; esac
for e in "$1"/*; do
{ [ -e "$e" ] || [ -L "$e" ]; } && [ "$e" = "\${e%%[[:cntrl:]]*}" ] && set -- "$1" "$2" "\${e##*/}" && break
done
printf '%s\\n' "\${2%%|*}|/\${3-}"
}
same_directory() {
case $2 in
"|"*) return 1;;
*"|/"*) [ -d "$1" ] && [ "$(stat -c %i -- "$1/." 2>/dev/null)" = "\${2%%|*}" ] && { [ -e "$1/\${2#*|/}" ] || [ -L "$1/\${2#*|/}" ]; };;
*:*:*) [ "$(directory_of "$1")" = "$2" ];;
*) return 1;;
esac
}`;

/**
 * The archives that were unpacked, and where, as noted by furrow's own steps. A note becomes invalid when a new
 * directory replaces the one that the note describes.
 */
export const unpackedKind = defineKind<Absent | Unpacked>({
  name: "unpacked",
  afterBoot: byPathOverBoot,
  summary: "The archive that was last unpacked into a directory",
  facets: {},
  read: (questions) =>
    `${directoryFunctions}\n${hiddenFunctions}\n${questions
      .map(({ number, key }) => {
        const [directory = "", source = "", name = directory] = JSON.parse(key) as string[];
        const stamp = shellQuote(unpackedPath(name, source));
        return `(hidden ${number} ${shellQuote(directory)} && exit
s= a=
[ ! -O ${stamp} ] || [ -L ${stamp} ] || { IFS= read -r s && read -r a; } <${stamp} 2>/dev/null
if same_directory ${shellQuote(directory)} "$s"; then echo "${number} archive=$a"; else echo "${number} archive="; fi)`;
      })
      .join("\n")}`,
  parse({ archive }, { key }) {
    if (archive === undefined)
      throw new FurrowError("E_FACT", { what: `the note about the last unpacked archive could not be read: ${key}` });
    return archive === "" ? absent : { archive };
  },
  print: (value) => ({ archive: value === absent ? "" : value.archive }),
  // The file name of the note is derived from the directory name that the task uses.
  renamed(key, real) {
    const [directory = "", source = "", name = directory] = JSON.parse(key) as string[];
    const there = real(directory, true);
    return JSON.stringify(there === name ? [there, source] : [there, source, name]);
  },
  touches: (key) => packageFactsNear(`${exactly((JSON.parse(key) as string[])[0] ?? "")}/**`),
});

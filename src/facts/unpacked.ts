import { byPathOverBoot } from "../core/boot.ts";
import { FurrowError } from "../core/errors.ts";
import type { HostFact } from "../core/fact.ts";
import { ask, defineKind } from "../core/kind.ts";
import { shellQuote } from "../core/step.ts";
import { type Absent, absent } from "../core/symbols.ts";
import { stampPath } from "../core/stamp.ts";
import { hiddenFunctions } from "./hidden-path.ts";
import { packageFactsNear } from "./package-places.ts";

/** What was last unpacked into a directory from one source. */
export interface Unpacked {
  /** Names the archive's content and how it was unpacked. */
  readonly archive: string;
}

/** Ids of what was unpacked into a directory, or below it. */
export function unpackedFactsOf(directory: string): string[] {
  const name = JSON.stringify(directory).slice(0, -1);
  return [`unpacked:[${name}",**`, `unpacked:[${name}/**`];
}

/** Asks what was last unpacked from `source` into the directory that stands there now. */
export function unpacked(directory: string, source: string): HostFact<Absent | Unpacked> {
  return ask(unpackedKind, JSON.stringify([directory, source]));
}

/** The file that remembers it. */
export function unpackedPath(directory: string, source: string, base?: string): string {
  return stampPath(JSON.stringify(["unpacked", directory, source]), base);
}

/**
 * Shell function: `directory_of PATH` prints what tells a directory from another one that takes its place: inode and, where
 * the file system keeps it, the time of its making.
 */
export const directoryFunction = `directory_of() { [ -d "$1" ] && stat -c '%i|%W' -- "$1/." 2>/dev/null; }`;

/** What was unpacked where, as furrow's own steps remember it: forgotten where the directory was made anew. */
export const unpackedKind = defineKind<Absent | Unpacked>({
  name: "unpacked",
  afterBoot: byPathOverBoot,
  summary: "What was last unpacked into a directory",
  facets: {},
  read: (questions) =>
    `${directoryFunction}\n${hiddenFunctions}\n${questions
      .map(({ number, key }) => {
        const [directory = "", source = "", name = directory] = JSON.parse(key) as string[];
        const stamp = shellQuote(unpackedPath(name, source));
        return `(hidden ${number} ${shellQuote(directory)} && exit
d=$(directory_of ${shellQuote(directory)}); s= a=
[ ! -O ${stamp} ] || [ -L ${stamp} ] || { read -r s && read -r a; } <${stamp} 2>/dev/null
if [ -n "$d" ] && [ "$d" = "$s" ]; then echo "${number} archive=$a"; else echo "${number} archive="; fi)`;
      })
      .join("\n")}`,
  parse({ archive }, { key }) {
    if (archive === undefined) throw new FurrowError("E_FACT", { what: `the host gave no answer about ${key}` });
    return archive === "" ? absent : { archive };
  },
  print: (value) => ({ archive: value === absent ? "" : value.archive }),
  // The note is kept by the name that the task gives the directory.
  renamed(key, real) {
    const [directory = "", source = "", name = directory] = JSON.parse(key) as string[];
    const there = real(directory, true);
    return JSON.stringify(there === name ? [there, source] : [there, source, name]);
  },
  touches: (key) => packageFactsNear(`${(JSON.parse(key) as string[])[0]}/**`),
});

import type { Difference } from "../../core/facts/compare.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { Mode } from "../../core/events.ts";
import { factName } from "../text/words.ts";

const seen = /^(started|reloaded)With\.(.*)$/s;

/**
 * Returns, in words, why a unit is restarted or reloaded, and the remaining differences. If the unit's state changes,
 * no reason is given, because a starting unit reads everything that it watches. Without a record of what the process
 * has read, furrow cannot tell which of several items is newer, so it names none of them.
 */
export function turnWords(
  differences: readonly Difference[],
  mode: Mode,
): { readonly words: readonly string[]; readonly rest: readonly Difference[] } {
  const rest = differences.filter(({ path }) => !seen.test(path));
  if (rest.length === differences.length || rest.some(({ path }) => path === "state")) return { words: [], rest };
  const [start, reload] = [candidates(differences, "started"), candidates(differences, "reloaded")];
  const [verb, reason] =
    start.length > 0
      ? ["restart", reasonOf(start, "started before its watched files last changed")]
      : ["reload", reasonOf(reload, "last read its watched files before they changed")];
  const did = mode === "check" ? `would ${verb}` : `${verb}ed`;
  return { words: [`${did}: ${reason}`], rest };
}

/**
 * A watched item that may be newer than the unit; `known`: true if the record of the process shows that it is newer.
 */
interface Candidate {
  readonly name: string;
  readonly known: boolean;
}

function candidates(differences: readonly Difference[], turn: string): Candidate[] {
  return differences.flatMap((difference) => {
    const [, which, thing] = seen.exec(difference.path) ?? [];
    if (which !== turn || thing === undefined) return [];
    // An item that was rewritten with the same content gets only a `noted` part.
    const known = difference.from !== absent || thing.endsWith(".noted");
    return [{ name: nameOf(thing, difference), known }];
  });
}

function reasonOf(all: readonly Candidate[], unsure: string): string {
  const known = all.filter((one) => one.known);
  const names = [...new Set((known.length > 0 ? known : all).map(({ name }) => name))];
  if (known.length === 0 && names.length > 1) return unsure;
  return `${listed(names)} ${names.length === 1 ? "is" : "are"} newer`;
}

/** Returns the fact id without the field that differs; the key of a fact can itself contain dots. */
function nameOf(thing: string, { from, to }: Difference): string {
  const isWhole = typeof to === "object" || typeof from === "object";
  const fact = isWhole ? thing : thing.slice(0, Math.max(0, thing.lastIndexOf(".")));
  return factName(fact).replace(/^file:/, "");
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "what it watches") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

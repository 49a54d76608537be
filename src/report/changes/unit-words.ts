import type { Difference } from "../../core/facts/compare.ts";
import type { Mode } from "../../core/events.ts";
import { factName } from "../text/words.ts";

const seen = /^(started|reloaded)With\.(.*)$/s;

/**
 * Returns, in words, why a unit is restarted or reloaded, and the remaining differences. A unit whose state changes
 * reads everything that it watches when it starts, so no reason is given for it.
 */
export function turnWords(
  differences: readonly Difference[],
  mode: Mode,
): { readonly words: readonly string[]; readonly rest: readonly Difference[] } {
  const rest = differences.filter(({ path }) => !seen.test(path));
  if (rest.length === differences.length || rest.some(({ path }) => path === "state")) return { words: [], rest };
  const newer = (turn: string): string[] => {
    const names = differences.flatMap((difference) => {
      const [, which, thing] = seen.exec(difference.path) ?? [];
      return which === turn && thing !== undefined ? [nameOf(thing, difference)] : [];
    });
    return [...new Set(names)];
  };
  const [start, reload] = [newer("started"), newer("reloaded")];
  const [verb, names] = start.length > 0 ? ["restart", start] : ["reload", reload];
  const did = mode === "check" ? `would ${verb}` : `${verb}ed`;
  return { words: [`${did}: ${listed(names)} ${names.length === 1 ? "is" : "are"} newer`], rest };
}

/** Returns the fact id without the field that differs; the key of a fact may itself contain dots. */
function nameOf(thing: string, { from, to }: Difference): string {
  const isWhole = typeof to === "object" || typeof from === "object";
  const fact = isWhole ? thing : thing.slice(0, Math.max(0, thing.lastIndexOf(".")));
  return factName(fact).replace(/^file:/, "");
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "what it watches") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

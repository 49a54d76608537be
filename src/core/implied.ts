import { match, merge } from "./compare.ts";
import { type FactPattern, namesFact } from "./fact.ts";
import { isRecord, knownAfterApply } from "./symbols.ts";

/** What follows for other things from a change, for certain: a list of repositories that changes outdates the index. */
export interface Implied {
  /** Which things. */
  readonly of: FactPattern;
  /** Parts by which to tell whether it concerns a thing. */
  readonly where: Readonly<Record<string, unknown>>;
  /** Parts that the thing then has. */
  readonly parts: Readonly<Record<string, unknown>>;
}

/**
 * The value of the fact `id` behind changes that imply these; the same value where none concerns it. `perhaps`: the changes
 * may not come, so that a part which would be another is not knowable. So it is where it is not knowable whom they concern.
 */
export function withImplied(id: string, value: unknown, implied: readonly Implied[], perhaps = false): unknown {
  return implied.reduce<unknown>((before, { of, where, parts }) => {
    if (!isRecord(before) || !namesFact([of], id)) return before;
    const concerned = match(before, where);
    if (concerned === "differs") return before;
    if (!perhaps && concerned === "same") return merge(before, parts);
    const open = Object.entries(parts).filter(([part, after]) => match(before[part], after) !== "same");
    return { ...before, ...Object.fromEntries(open.map(([part]) => [part, knownAfterApply])) };
  }, value);
}

import { match, merge } from "./compare.ts";
import { type FactPattern, namesFact } from "./fact.ts";
import { absent, isRecord, knownAfterApply } from "./symbols.ts";

/**
 * The effects that a change is certain to have on other facts. Example: a changed list of repositories makes the
 * package index outdated.
 */
export interface Implied {
  /** The pattern of the affected facts. */
  readonly of: FactPattern;
  /** Parts of a fact's value that decide whether it is affected. */
  readonly where: Readonly<Record<string, unknown>>;
  /** Parts that an affected fact has after the change. */
  readonly parts: Readonly<Record<string, unknown>>;
  /**
   * True if the change may create the things that the affected facts are about: absent facts become unknown, and the
   * others keep their values.
   */
  readonly mayAppear?: true;
}

/**
 * The value of the fact `id` after changes with these implications; the same value if none of them affects it. An
 * implied part becomes unknown if it would change but it is uncertain whether the change happens (`perhaps`) or whether
 * the fact is affected.
 */
export function withImplied(id: string, value: unknown, implied: readonly Implied[], perhaps = false): unknown {
  return implied.reduce<unknown>((before, { of, where, parts, mayAppear }) => {
    if (mayAppear === true) return before === absent && namesFact([of], id) ? knownAfterApply : before;
    if (!isRecord(before) || !namesFact([of], id)) return before;
    const concerned = match(before, where);
    if (concerned === "differs") return before;
    if (!perhaps && concerned === "same") return merge(before, parts);
    const open = Object.entries(parts).filter(([part, after]) => match(before[part], after) !== "same");
    return { ...before, ...Object.fromEntries(open.map(([part]) => [part, knownAfterApply])) };
  }, value);
}

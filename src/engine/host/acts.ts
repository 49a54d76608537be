import { type FactPattern, literal, namesFact } from "../../core/facts/fact.ts";
import type { RanFact } from "../../core/facts/ran.ts";

/** Check mode: the actions without an observable result (e.g. daemon-reload) that earlier tasks will have performed. */
export class Acts {
  /** The actions, by label. Each action has the facts whose change makes the action necessary again. */
  readonly #acts = new Map<string, readonly FactPattern[]>();

  /** Records that an action will have run. Without `until`, later tasks must not rely on it. */
  note({ key, until }: RanFact): void {
    if (until !== undefined) this.#acts.set(key, until);
  }

  /** True if an earlier task will have performed this action, and no later change makes the action necessary again. */
  has({ key }: RanFact): boolean {
    return this.#acts.has(key);
  }

  /** Forgets actions that a change to these facts makes necessary again. */
  undo(patterns: readonly FactPattern[]): void {
    for (const [label, until] of this.#acts) {
      if (
        until.some((one) =>
          patterns.some((pattern) => namesFact([pattern], literal(one)) || namesFact([one], literal(pattern))),
        )
      )
        this.#acts.delete(label);
    }
  }
}

/** Why a task will not act, the same in check mode and in a run: acting could destroy something, or cannot succeed. */
export interface RefusalReason {
  /** Short and stable, for scripts: `disk-not-empty`. */
  readonly code: string;
  /** What stands in the way, with the values found. */
  readonly message: string;
  /** A sentence that begins with a verb. */
  readonly hint?: string;
  /** What is there now and what was expected, where that helps. */
  readonly current?: string;
  readonly expected?: string;
  /** Of a wait: it ends at once, because what it waits for will not come. */
  readonly final?: true;
}

/** A refusal: a legal answer of `want`. */
export class Refusal {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    this.reason = reason;
  }
}

/** Answers a `want` with a refusal. */
export function refuse(reason: RefusalReason): Refusal {
  return new Refusal(reason);
}

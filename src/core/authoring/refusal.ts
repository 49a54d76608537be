/** Why a task refuses to act, in check mode and in a run: acting could destroy something, or cannot succeed. */
export interface RefusalReason {
  /** Short and stable, for scripts: `disk-not-empty`. */
  readonly code: string;
  /** What prevents the action, with the current values. */
  readonly message: string;
  /** A sentence that begins with a verb. */
  readonly hint?: string;
  /**
   * If the reason is that something is missing: the id of the fact about it, such as `file:/etc/app`. Check mode then
   * also names the earlier task that may create the missing thing.
   */
  readonly missing?: string;
  /** The current and the expected value, if that helps. */
  readonly current?: string;
  readonly expected?: string;
  /** For a wait: true if the wait must end immediately, because its condition will never be met. */
  readonly final?: true;
}

/** A refusal: a valid result of `want`. */
export class Refusal {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    this.reason = reason;
  }
}

/** Creates a refusal, for `want` to return. */
export function refuse(reason: RefusalReason): Refusal {
  return new Refusal(reason);
}

import { type FactPattern, isControllerFact } from "../../core/facts/fact.ts";
import { readsAnything } from "../../core/facts/kind.ts";
import { PatternIndex } from "../../core/facts/pattern-index.ts";
import type { TimedValue } from "../paths/known-values.ts";
import type { ControllerChanges } from "./controller-changes.ts";

/**
 * In a run: decides which known values of one host must be read again. A value that was read before it was forgotten is
 * only a guess. `at` is the number of an event.
 */
export class Forgotten {
  readonly #patterns = new PatternIndex<undefined>();
  /** Earlier answers from users' commands no longer count. */
  #answersSince = 0;
  /** The host of a batch whose tasks used the values last, and since when. */
  #user: object | undefined;
  #userSince = 0;
  /** Controller facts that were recorded before this time, in milliseconds, must be read again. */
  #controllerFactsFrom = Number.NEGATIVE_INFINITY;

  /** True if the value must be read again. */
  has({ fact, at, recordedAt, controllerAt }: TimedValue, controller: ControllerChanges): boolean {
    if (readsAnything(fact) && at < this.#answersSince) return true;
    if (isControllerFact(fact) && (at < this.#userSince || recordedAt < this.#controllerFactsFrom)) return true;
    return this.#patterns.namesThing(fact, at) || controller.concern(fact, controllerAt);
  }

  /** The facts matching the patterns must be read again. */
  add(at: number, patterns: readonly FactPattern[]): void {
    this.#patterns.add(at, patterns, undefined);
  }

  /** All answers from users' commands must be read again. */
  addAnswers(at: number): void {
    this.#answersSince = at;
  }

  /**
   * Records that the tasks of one host in one batch use the values from now on. The answers of users' commands, and
   * controller facts, that were read for another host, batch or play must be read again, as must controller facts that
   * were recorded before a time, in milliseconds.
   */
  beginTask(user: object, at: number, controllerFactsFrom: number): void {
    this.#controllerFactsFrom = controllerFactsFrom;
    if (this.#user === user) return;
    this.#user = user;
    this.#userSince = at;
    this.#answersSince = at;
  }

  clear(): void {
    this.#patterns.clear();
  }
}

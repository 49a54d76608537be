import { type FactPattern, isControllerFact } from "../../core/facts/fact.ts";
import { readsAnything } from "../../core/facts/kind.ts";
import { PatternIndex } from "../../core/facts/pattern-index.ts";
import type { TimedValue } from "../paths/known-values.ts";
import type { ControllerChanges } from "./controller-changes.ts";

/**
 * In a run: decides which known values of one host must be read again. Until it is read again, such a value is only a
 * guess. `at` is the number of an event.
 */
export class Forgotten {
  readonly #patterns = new PatternIndex<undefined>();
  /** Answers from users' commands must be read again if they are from before this event. */
  #answersSince = 0;
  /**
   * The host, as part of one batch, whose tasks use the values now, and the event after which they began to use them.
   */
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

  /** Records that the facts matching the patterns must be read again. */
  add(at: number, patterns: readonly FactPattern[]): void {
    this.#patterns.add(at, patterns, undefined);
  }

  /** Records that all answers from users' commands must be read again. */
  addAnswers(at: number): void {
    this.#answersSince = at;
  }

  /**
   * Records that the tasks of one host in one batch use the values from now on. Controller facts and answers from
   * users' commands must be read again if they were read for another host, batch or play. So must controller facts that
   * were recorded before `controllerFactsFrom`, in milliseconds.
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

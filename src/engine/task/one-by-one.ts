import type { Values } from "../../core/authoring/evaluate.ts";
import type { FactPattern } from "../../core/facts/fact.ts";
import type { Host } from "../host/host.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import { performNow } from "./perform-now.ts";
import type { PerformedTask, Performer } from "./performer.ts";
import type { AttemptContext } from "./task-context.ts";

/**
 * Sends each task's steps in its own turn and reads nothing for later tasks. `--one-by-one` selects this simple method.
 * `AheadPerformer` must give the same results.
 */
export class OneByOne implements Performer<AttemptContext> {
  readonly isBusy = false;
  readonly performedEarly = [];

  async begin(): Promise<void> {}

  async inTurn<T>(host: Host, act: () => Promise<T>): Promise<T> {
    const end = await host.mutex.take();
    try {
      return await act();
    } finally {
      end();
    }
  }

  async hasBegunNext(): Promise<boolean> {
    return false;
  }

  questions(): readonly [] {
    return [];
  }

  found(): void {}

  perform(
    change: ForeseenChange,
    _values: Values,
    patterns: readonly FactPattern[],
    context: AttemptContext,
  ): Promise<PerformedTask> {
    return performNow(change, patterns, context);
  }

  takeEarly(): undefined {}

  async abandon(): Promise<void> {}

  async leave(): Promise<void> {}
}

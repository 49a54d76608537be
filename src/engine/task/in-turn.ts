import { now } from "../../core/world.ts";
import { currentMs } from "../host/run-activity.ts";
import type { AttemptContext } from "./task-context.ts";

/**
 * Runs `act` on its host during the turn of a task, or of one poll of a wait. In a run, the host's values are then
 * current, unless a frame with the task's steps is already running; that frame checks the values itself.
 */
export function inTurn<T>(context: AttemptContext, act: () => Promise<T>): Promise<T> {
  const { performer, host, freshness, mode } = context;
  const asked = now();
  return performer.inTurn(host, () => {
    if (mode === "apply" && !performer.isBusy) {
      // Another host's tasks may have had the turn for a long time.
      if (now() - asked > currentMs) freshness.expireIfActive();
      freshness.begin(host.knowledge);
    }
    return act();
  });
}

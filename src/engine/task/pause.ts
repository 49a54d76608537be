import { sleep } from "../../core/world.ts";
import { Stopped } from "./stopped.ts";

/** The signals that end a pause: `signal` ends the run immediately, `stop` prevents further tasks from starting. */
interface Signals {
  readonly signal: AbortSignal;
  readonly stop: AbortSignal;
}

/** Waits for `ms` milliseconds. Throws Stopped if `stop` is aborted during the wait, and AbortError if `signal` is. */
export async function pause(ms: number, { signal, stop }: Signals): Promise<void> {
  try {
    await sleep(ms, AbortSignal.any([signal, stop]));
  } catch (error) {
    if (stop.aborted && !signal.aborted) throw new Stopped();
    throw error;
  }
}

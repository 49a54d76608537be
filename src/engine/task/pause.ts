import { sleep } from "../../core/world.ts";
import { Stopped } from "./stopped.ts";

/** The signals that end a pause: `signal` at once, `stop` because nothing is begun any more. */
interface Signals {
  readonly signal: AbortSignal;
  readonly stop: AbortSignal;
}

/** Waits for `ms` milliseconds. Throws Stopped where the run is to stop meanwhile, AbortError where it is to end at once. */
export async function pause(ms: number, { signal, stop }: Signals): Promise<void> {
  try {
    await sleep(ms, AbortSignal.any([signal, stop]));
  } catch (error) {
    if (stop.aborted && !signal.aborted) throw new Stopped();
    throw error;
  }
}

import type { FurrowError } from "../../core/errors.ts";

/** Functions, each of which ends one wait for the user's code. */
const waits = new Set<() => void>();

function giveUpAll(): void {
  for (const giveUp of waits) giveUp();
}

/**
 * Waits for a promise of the user's code. Throws `unsettled()` if nothing is left to run and the promise can therefore
 * never settle; otherwise, Node would end the process with exit code 0.
 */
export async function settled<T>(promise: PromiseLike<T>, unsettled: () => FurrowError): Promise<T> {
  let giveUp = (): void => {};
  const idle = new Promise<never>((_, reject) => {
    giveUp = () => reject(unsettled());
  });
  if (waits.size === 0) process.on("beforeExit", giveUpAll);
  waits.add(giveUp);
  try {
    return await Promise.race([promise, idle]);
  } finally {
    waits.delete(giveUp);
    if (waits.size === 0) process.off("beforeExit", giveUpAll);
  }
}

import pRetry, { AbortError } from "p-retry";
import { FurrowError, isFurrowError } from "../core/errors.ts";

/** The condition to wait for, and the time limit. */
export interface WaitOptions {
  /** `instance web-1 to run`. */
  readonly waitsFor: string;
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
  /** Called with the current state whenever it changes. */
  readonly say?: ((text: string) => void) | undefined;
  /** The hint if the deadline passes: a sentence that begins with a verb. */
  readonly hint: string;
  /**
   * The number of milliseconds before the second check. Each pause is 50 % longer than the one before it, up to 5 s.
   * Default: 250.
   */
  readonly firstPauseMs?: number;
}

/** The outcome of one check: the value that was waited for, or a short description of the current state. */
export type Look<T> = { readonly done: T } | { readonly meanwhile: string };

class NotYet extends Error {}

/**
 * Repeats `look` until it is done. Throws FurrowError E_WAIT if the deadline passes. An error thrown by `look` is
 * passed on immediately.
 */
export async function waitUntil<T>(look: () => Promise<Look<T>>, options: WaitOptions): Promise<T> {
  const { waitsFor, deadlineSeconds, signal, say, hint, firstPauseMs = 250 } = options;
  const started = performance.now();
  let said = "";
  try {
    return await pRetry(
      async () => {
        const seen = await look().catch((error: unknown) => {
          throw new AbortError(error instanceof Error ? error : String(error));
        });
        if ("done" in seen) return seen.done;
        if (seen.meanwhile !== said) say?.(`waiting for ${waitsFor}: ${seen.meanwhile}`);
        said = seen.meanwhile;
        throw new NotYet(said);
      },
      {
        retries: Number.POSITIVE_INFINITY,
        factor: 1.5,
        minTimeout: firstPauseMs,
        maxTimeout: 5000,
        signal,
        shouldRetry: () => performance.now() - started < deadlineSeconds * 1000,
      },
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof NotYet)) throw isFurrowError(error) ? error : asError(error);
    throw new FurrowError("E_WAIT", {
      what: `waiting for ${waitsFor} took longer than ${deadlineSeconds} s`,
      current: said,
      hint,
    });
  }
}

/** Waits for a number of milliseconds. Throws the signal's reason if the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((done, fail) => {
    const timer = setTimeout(done, ms);
    const abort = (): void => {
      clearTimeout(timer);
      fail(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
  });
}

function asError(error: unknown): unknown {
  return error instanceof AbortError ? error.originalError : error;
}

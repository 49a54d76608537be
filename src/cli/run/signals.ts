import { FurrowError } from "../../core/errors.ts";
import { endNow } from "../end-now.ts";

/** How long, in milliseconds, running steps have to stop after the second Ctrl-C. */
const graceMs = 2000;

/** The abort signals of a run, which Ctrl-C triggers. */
export interface StopSignals {
  /** Aborted by the first Ctrl-C: hosts stop before their next task. */
  readonly stop: AbortSignal;
  /** Aborted by the second Ctrl-C: running steps are told to stop. A package transaction is not interrupted. */
  readonly kill: AbortSignal;
  /** Aborted two seconds after the second Ctrl-C, or by the third: the run stops waiting. */
  readonly leave: AbortSignal;
  /**
   * Starts listening for Ctrl-C, SIGTERM and SIGHUP. Before this, a signal ends the process at once, even in an endless
   * loop of the user's code. The fourth signal ends the process immediately.
   */
  listen(): void;
  /** Stops the run like the first Ctrl-C, with an error as the abort reason of `stop`. */
  fail(error: FurrowError): void;
  /** Removes the listeners. */
  release(): void;
}

/** Returns the abort signals of a run. */
export function stopSignals(): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  const leave = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const reason = (): FurrowError => new FurrowError("E_INTERRUPTED", { what: "the run was interrupted" });
  const onSignal = (): void => {
    if (!stop.signal.aborted) stop.abort(reason());
    else if (!kill.signal.aborted) {
      kill.abort(reason());
      grace = setTimeout(() => leave.abort(reason()), graceMs);
    } else if (!leave.signal.aborted) leave.abort(reason());
    else endNow(130);
  };
  const counts = names.map((name) => ({ name, ...countedOnce(onSignal) }));
  return {
    listen: () => {
      // Tell the parent process first: from now on, a signal that reaches both processes must count only once.
      passedSignals?.((passed) => counts.find(({ name }) => name === passed)?.passed());
      for (const { name, own } of counts) process.on(name, own);
    },
    stop: stop.signal,
    kill: kill.signal,
    leave: leave.signal,
    fail: (error) => stop.abort(error),
    release: () => {
      clearTimeout(grace);
      for (const { name, own } of counts) process.off(name, own);
      passedSignals?.(undefined);
    },
  };
}

const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Registers a listener for the signals that the parent process passes on; if called with undefined, removes the
 * listener. The function does not exist if the user started this process directly (bin/furrow.js).
 */
const passedSignals = (globalThis as Record<symbol, unknown>)[Symbol.for("furrow.passedSignals")] as
  | ((listener: ((name: string) => void) | undefined) => void)
  | undefined;

/**
 * Counts a signal once, whether it arrives here, at the process that started this one, or at both. One Ctrl-C in a
 * terminal arrives at both processes but must count once, so the number of calls to `onSignal` is the larger of the two
 * processes' counts.
 */
function countedOnce(onSignal: () => void): { readonly own: () => void; readonly passed: () => void } {
  const arrived = { own: 0, passed: 0 };
  let counted = 0;
  const arrive = (at: "own" | "passed") => (): void => {
    arrived[at] += 1;
    if (arrived[at] <= counted) return;
    counted = arrived[at];
    onSignal();
  };
  return { own: arrive("own"), passed: arrive("passed") };
}

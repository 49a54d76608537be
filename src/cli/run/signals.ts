import { FurrowError } from "../../core/errors.ts";

/** Milliseconds that running steps have to end after the second Ctrl-C. */
const graceMs = 2000;

/** The signals of a run, set by Ctrl-C. */
export interface StopSignals {
  /** Aborted at the first: hosts stop before their next task. */
  readonly stop: AbortSignal;
  /** Aborted at the second: running steps are told to end. A package transaction is not cut. */
  readonly kill: AbortSignal;
  /** Aborted two seconds after the second, or at the third: the run stops waiting. */
  readonly leave: AbortSignal;
  /** Stops the run like the first Ctrl-C, with an error as the reason of `stop`. */
  fail(error: FurrowError): void;
  /** Removes the listeners. */
  release(): void;
}

/** Listens for Ctrl-C, SIGTERM and SIGHUP. A fourth one ends the process at once. */
export function listenForSignals(): StopSignals {
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
    else process.exit(130);
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    stop: stop.signal,
    kill: kill.signal,
    leave: leave.signal,
    fail: (error) => stop.abort(error),
    release: () => {
      clearTimeout(grace);
      for (const name of names) process.off(name, onSignal);
    },
  };
}

import { FurrowError } from "../../core/errors.ts";

/** Milliseconds for what runs to end by itself after the second Ctrl-C. */
const graceMs = 2000;

/** What a person's Ctrl-C does to a run. */
export interface StopSignals {
  /** Aborted at the first: hosts stop at the next task border. */
  readonly stop: AbortSignal;
  /** Aborted at the second: what runs is told to end; a package transaction is not cut. */
  readonly kill: AbortSignal;
  /** Aborted two seconds after the second, or at the third: nothing is waited for any more. */
  readonly leave: AbortSignal;
  /** Stops the run as the first Ctrl-C does, for an error: it is the reason of `stop`. */
  fail(error: FurrowError): void;
  /** Takes the listeners away again. */
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

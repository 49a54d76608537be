import { FurrowError } from "../../core/errors.ts";

/** The time, in milliseconds, that running steps may take to end after the second Ctrl-C. */
const graceMs = 2000;

/** The abort signals of a run, which Ctrl-C triggers. */
export interface StopSignals {
  /** Aborted by the first Ctrl-C: hosts stop before their next task. */
  readonly stop: AbortSignal;
  /** Aborted by the second Ctrl-C: running steps are told to end. A package transaction is not interrupted. */
  readonly kill: AbortSignal;
  /** Aborted two seconds after the second Ctrl-C, or by the third: the run stops waiting. */
  readonly leave: AbortSignal;
  /** Stops the run like the first Ctrl-C, with an error as the abort reason of `stop`. */
  fail(error: FurrowError): void;
  /** Removes the listeners. */
  release(): void;
}

/** Listens for Ctrl-C, SIGTERM and SIGHUP. The fourth signal ends the process immediately. */
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

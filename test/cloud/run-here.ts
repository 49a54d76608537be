import type { Session } from "../../src/core/host/frame.ts";
import type { DriverLookup } from "../../src/core/host/driver.ts";
import type { Mode, RunEvent } from "../../src/core/events.ts";
import type { Playbook } from "../../src/core/authoring/playbook.ts";
import { findDriver } from "../../src/cli/drivers/index.ts";
import type { RunResult } from "../../src/engine/plan/request.ts";
import { runPlaybook } from "../../src/engine/run/run.ts";
import { type SimulatedTask, tasksOf } from "../../src/testing/simulated-tasks.ts";

/** The result of a run in this process. */
export interface RunHere {
  readonly events: readonly RunEvent[];
  readonly tasks: readonly SimulatedTask[];
  readonly result: RunResult;
}

/**
 * Runs a playbook of controller tasks with the real engine and drivers in this process. The run must not connect to the
 * host.
 */
export async function runHere(
  playbook: Playbook,
  options: {
    readonly mode?: Mode;
    readonly vars?: unknown;
    readonly kill?: AbortSignal;
    readonly drivers?: DriverLookup;
  } = {},
): Promise<RunHere> {
  const events: RunEvent[] = [];
  const here = { name: "local", address: "localhost", groups: [], vars: {} };
  const no = (): never => {
    throw new Error("this host must not be contacted");
  };
  const session: Session = {
    user: "root",
    frame: no,
    fetch: no,
    stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 0, frames: 0 }),
    close: () => Promise.resolve(),
  };
  const idle = new AbortController().signal;
  const result = await runPlaybook({
    playbook,
    mode: options.mode ?? "apply",
    hostsOf: () => [here],
    hostNamed: () => here,
    newHost: no,
    varsOf: () => playbook.vars?.parse(options.vars ?? {}) ?? {},
    connect: () => Promise.resolve(session),
    drivers: options.drivers ?? findDriver,
    sink: (event) => events.push(event),
    run: "here",
    version: "0",
    stop: idle,
    kill: options.kill ?? idle,
  });
  return { events, tasks: tasksOf(events), result };
}

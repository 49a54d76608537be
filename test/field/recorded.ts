import { vi } from "vitest";
import type { Playbook } from "../../src/authoring.ts";
import { everyTask } from "../../src/field/every-task.ts";
import { Recorder } from "../../src/field/recorder.ts";
import type { Gathered } from "../../src/field/report.ts";
import { simulate, type SimulatedState } from "../../src/testing/index.ts";
import { SimulatedActs } from "../../src/testing/simulated-acts.ts";

/** A simulated host to report on. */
export interface HostToRecord {
  readonly name: string;
  readonly address: string;
  readonly groups?: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly state: SimulatedState;
  readonly drivers?: Readonly<Record<string, (request: never) => unknown>>;
}

/** Reads everything that a playbook depends on, as furrow doctor does, on a simulated host. */
export async function recorded(
  playbook: Playbook,
  { name, address, groups = [], vars, state, drivers = {} }: HostToRecord,
): Promise<Gathered> {
  const recorder = new Recorder();
  const asked = new Set<string>();
  const open = Reflect.get(SimulatedActs.prototype, "open");
  const spy = vi.spyOn(SimulatedActs.prototype, "open").mockImplementation(function (this: SimulatedActs, host) {
    const session = open.call(this, host);
    return host === name ? recorder.session(session) : session;
  });
  try {
    const answers = Object.entries(drivers).map(([driver, answer]) => [
      driver,
      (request: never) => {
        const given = answer(request);
        if (driver === "http") recorder.answers.set(`http:${JSON.stringify(request)}`, given);
        return given;
      },
    ]);
    await simulate(
      everyTask(playbook, (id) => asked.add(id)),
      {
        hosts: { [name]: { address, groups, vars } },
        state: { [name]: state },
        drivers: Object.fromEntries(answers) as never,
        mode: "check",
      },
    );
  } finally {
    spy.mockRestore();
  }
  const host = { name, address, groups };
  return {
    subject: "harvester",
    furrow: "0",
    host,
    vars,
    schema: playbook.vars,
    secrets: ["token", "password"],
    recorder,
    asked,
    names: [],
  };
}

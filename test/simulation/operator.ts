import type { Driver } from "../../src/core/host/driver.ts";
import { FurrowError } from "../../src/core/errors.ts";
import type { RunEvent } from "../../src/core/events.ts";
import { type Play, playbook } from "../../src/core/authoring/playbook.ts";
import { planNodes, type Planned } from "../../src/engine/plan/plan.ts";
import type { RunHost, RunResult } from "../../src/engine/plan/request.ts";
import { runPlaybook } from "../../src/engine/run/run.ts";
import { openFrameSession } from "../../src/transport/frame/session/session.ts";
import { type Bench, readEntry, readLocal } from "./expected.ts";
import type { FarHost } from "./far-host.ts";
import type { FarNetwork } from "./far-link.ts";
import type { Scenario } from "./scenario.ts";
import { hostName, nodesFor } from "./sim-play.ts";
import type { Random, VirtualWorld } from "./virtual-world.ts";

/** The reports of one operator's run. */
export interface Operated {
  readonly run: string;
  readonly events: RunEvent[];
  readonly plans: ReadonlyMap<string, Planned[]>;
  readonly bench: Bench;
  result: RunResult | undefined;
  /** The value that the run threw instead of returning a result. */
  thrown: unknown;
  isOver: boolean;
}

/** The world in which an operator works. */
export interface Surroundings {
  readonly scenario: Scenario;
  readonly world: VirtualWorld;
  readonly random: Random;
  readonly hosts: ReadonlyMap<string, FarHost>;
  readonly network: FarNetwork;
}

/** The plan for each host of the play, with new task calls. */
function plansOf(scenario: Scenario, run: string): Map<string, Planned[]> {
  return new Map(
    Array.from({ length: scenario.hosts }, (_, index) => {
      const target = hostName(index);
      const setting = { target, path: [], tags: [], when: [], become: undefined };
      return [target, planNodes(nodesFor(scenario, target, run), setting, "")];
    }),
  );
}

/** The controller's state before a run, with separate entries for each host. */
export function benchOf(scenario: Scenario): Bench {
  const entries = Array.from({ length: scenario.hosts }, (_, index) =>
    scenario.entries.map((entry, number) => [`${hostName(index)}-${number}`, entry] as const),
  );
  return { entries: new Map(entries.flat()), files: new Map() };
}

/** Starts a run of the scenario's play: the whole engine over real frame sessions. */
export function operate(number: number, surroundings: Surroundings): Operated {
  const { scenario, world, hosts, network } = surroundings;
  const { begins, waitSeconds } = scenario.operators[number]!;
  const run = `run${number}`;
  const operated: Operated = {
    run,
    events: [],
    plans: plansOf(scenario, run),
    bench: benchOf(scenario),
    result: undefined,
    thrown: undefined,
    isOver: false,
  };
  const known: RunHost[] = [...hosts.keys()].map((name) => ({ name, address: name, groups: [], vars: {} }));
  const only: Play<never> = {
    hosts: "all",
    tasks: () => [],
    ...(scenario.serial !== undefined && { serial: scenario.serial }),
  };
  const drivers = driversFor(operated.bench, surroundings);
  const [stop, kill] = [new AbortController(), new AbortController()];
  if (number === 0 && scenario.stopAt !== undefined) world.happen(scenario.stopAt, () => stop.abort());
  if (number === 0 && scenario.killAt !== undefined) world.happen(scenario.killAt, () => kill.abort());
  const act = (): Promise<RunResult> =>
    runPlaybook({
      playbook: playbook({ name: "simulated", plays: [only] }),
      plans: new Map([[only, operated.plans]]),
      mode: "apply",
      hostsOf: () => known.slice(0, scenario.hosts),
      hostNamed: (name) => known.find((host) => host.name === name),
      newHost: ({ name, address }) => ({ name, address, groups: [], vars: {} }),
      varsOf: () => ({}),
      ...(scenario.forks !== undefined && { forks: scenario.forks }),
      connect: async ({ host, signal, stop: stopping }) => {
        const far = hosts.get(host.name)!;
        return openFrameSession({
          host: host.name,
          link: await network.connect(far, signal, true),
          relink: (again) => network.connect(far, again),
          user: "root",
          become: undefined,
          signal,
          run: { id: run, holder: `operator@${number}`, since: "2026-11-22T10:00:00Z", waitSeconds },
          stop: stopping,
        });
      },
      drivers,
      sink: (event) => operated.events.push(event),
      run,
      version: "0",
      stop: stop.signal,
      kill: kill.signal,
    });
  void world
    .pause(begins)
    .then(act)
    .then(
      (result) => (operated.result = result),
      (error: unknown) => (operated.thrown = error),
    )
    .finally(() => (operated.isOver = true));
  return operated;
}

function driversFor(bench: Bench, { world, random }: Surroundings): (name: string) => Promise<Driver> {
  const later = (): Promise<void> => world.pause(random(4) === 0 ? random(3000) : random(30));
  const entryOf = (request: unknown): string => (request as { entry: string }).entry;
  const inTurn: Driver = {
    name: "bench-in-turn",
    read: async (request) => {
      await later();
      return readEntry(bench, entryOf(request));
    },
    call: async (request) => {
      await later();
      const { entry, v } = request as { entry: string; v: number };
      bench.entries.set(entry, { names: [], ...bench.entries.get(entry), v });
    },
  };
  const drivers: Record<string, Driver> = {
    "bench-in-turn": inTurn,
    bench: { name: "bench", read: (request, signal) => inTurn.read(request, signal), ahead: () => [] },
    files: {
      name: "files",
      read: async (request) => {
        await later();
        return readLocal(bench, (request as { path: string }).path);
      },
    },
  };
  return (name) => {
    const driver = drivers[name];
    return driver ? Promise.resolve(driver) : Promise.reject(new FurrowError("E_DRIVER", { what: `no ${name}` }));
  };
}

import { FurrowError } from "../../src/core/errors.ts";
import type { Mode, RunEvent } from "../../src/core/events.ts";
import { factId } from "../../src/core/facts/fact.ts";
import { type HostFacts, type Play, playbook } from "../../src/core/authoring/playbook.ts";
import type { RunHost, RunRequest, RunResult } from "../../src/engine/plan/request.ts";
import { runPlaybook } from "../../src/engine/run/run.ts";
import { hostFacts } from "../../src/facts/system/host.ts";
import { SimulatedHost } from "../../src/transport/simulated.ts";
import type { Cell } from "./toy-tasks.ts";
import { performToy } from "./toy-tasks.ts";

/** Settings for a test's run. */
export interface RunSettings {
  readonly hosts?: readonly string[];
  /** Hosts that refuse every connection. */
  readonly down?: readonly string[];
  /** Hosts whose connection breaks in the first step that contains one of these words. */
  readonly lost?: Readonly<Record<string, string>>;
  /** Cells that exist before the run, on every host. */
  readonly cells?: Readonly<Record<string, Cell>>;
  /** Other values on every host before the run, by fact id. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** The facts that every host reports about itself. */
  readonly facts?: HostFacts;
  readonly mode?: Mode;
  readonly request?: Partial<RunRequest>;
  /** Called for every event as it happens, with the event and the hosts that exist so far. */
  readonly watch?: (event: RunEvent, hosts: ReadonlyMap<string, SimulatedHost>) => void;
}

/** The result of a run. */
export interface Ran {
  readonly events: readonly RunEvent[];
  readonly result: RunResult;
  /** `HOST TITLE OUTCOME` of every task, in the order in which the tasks ended. */
  readonly ends: readonly string[];
  /** The numbers in the cells, by host. */
  readonly cells: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly hosts: ReadonlyMap<string, SimulatedHost>;
}

/** Runs plays with toy tasks on simulated hosts, using the whole engine. */
export async function runPlays(plays: readonly Play<never>[], settings: RunSettings = {}): Promise<Ran> {
  const { hosts: names = ["a"], down = [], lost = {}, mode = "apply", cells = {} } = settings;
  const state = new Map<string, unknown>(Object.entries(cells).map(([key, cell]) => [`cell:${key}`, cell]));
  for (const [id, value] of Object.entries(settings.values ?? {})) state.set(id, value);
  if (settings.facts) state.set(factId(hostFacts()), settings.facts);
  const simulated = new Map<string, SimulatedHost>();
  const hostOf = (name: string): SimulatedHost => {
    const known = simulated.get(name) ?? new SimulatedHost(state, (step, own) => act(name, step, own));
    simulated.set(name, known);
    return known;
  };
  const act: ConstructorParameters<typeof SimulatedHost>[1] extends (...input: infer I) => infer O
    ? (name: string, ...input: I) => O
    : never = (name, step, own) => {
    const argv = step.step === "run" ? step.argv : [];
    const word = lost[name];
    if (word !== undefined && argv.includes(word)) throw unreachable(name);
    return performToy(argv, own);
  };
  const known: RunHost[] = names.map((name) => ({ name, address: name, groups: [], vars: {} }));
  const events: RunEvent[] = [];
  const result = await runPlaybook({
    playbook: playbook({ name: "test", plays }),
    mode,
    hostsOf: ({ hosts }) => (hosts === "all" ? known : known.filter(({ name }) => name === hosts)),
    hostNamed: (name) => known.find((host) => host.name === name),
    newHost: ({ name, address }) => ({ name, address, groups: [], vars: {} }),
    varsOf: () => ({}),
    connect: async ({ host, stop }) => {
      if (down.includes(host.name)) throw unreachable(host.name);
      return hostOf(host.name).open(stop);
    },
    drivers: (name) => Promise.reject(new FurrowError("E_DRIVER", { what: `no ${name} here` })),
    run: "1",
    version: "0",
    sink: (event) => {
      events.push(event);
      settings.watch?.(event, simulated);
    },
    ...settings.request,
  });
  return { events, result, ends: events.flatMap(endOf), cells: cellsOf(simulated), hosts: simulated };
}

function unreachable(name: string): FurrowError {
  return new FurrowError("E_UNREACHABLE", { what: `${name} does not answer` });
}

function endOf(event: RunEvent): string[] {
  if (event.type !== "taskFinished") return [];
  return [`${event.host} ${event.task.title} ${event.outcome}${event.ignored ? " (ignored)" : ""}`];
}

function cellsOf(hosts: ReadonlyMap<string, SimulatedHost>): Ran["cells"] {
  return Object.fromEntries(
    [...hosts].map(([name, { state }]) => [
      name,
      Object.fromEntries(
        [...state]
          .filter(([id]) => id.startsWith("cell:"))
          .map(([id, cell]) => [id.replace("cell:", ""), (cell as Cell).v]),
      ),
    ]),
  );
}

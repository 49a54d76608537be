import { useWorld } from "../../src/core/world.ts";
import { useOutside } from "../../src/transport/outside.ts";
import { performToy } from "../engine/toy-tasks.ts";
import { seeded } from "../seeded.ts";
import { FarHost } from "./far-host.ts";
import { FarNetwork } from "./far-link.ts";
import { faultsOf } from "./invariants.ts";
import { benchFiles } from "./bench-files.ts";
import { type Operated, operate } from "./operator.ts";
import type { Scenario } from "./scenario.ts";
import { hostName, shared } from "./sim-play.ts";
import { VirtualWorld } from "./virtual-world.ts";

/** The result of a simulated run. */
export interface Simulated {
  /** The violated invariants; empty if all hold. */
  readonly faults: readonly string[];
  readonly operated: readonly Operated[];
  readonly counts: Readonly<Record<"frames" | "steps" | "guardsFailed" | "losses" | "asked", number>>;
  readonly virtualMs: number;
}

/**
 * A run must not take longer than this. If two operators each hold one host and wait for the host that the other one
 * holds, each of three attempts takes 100,000 s (seed 345822), which adds up to three and a half days.
 */
const longestMs = 7 * 86_400_000;

/** Runs a scenario to its end on a virtual clock and checks all invariants. */
export async function runScenario(scenario: Scenario): Promise<Simulated> {
  const random = seeded(scenario.seed);
  const world = new VirtualWorld(seeded(scenario.seed + 1_000_000_007));
  const faults: string[] = [];
  const names = [...Array.from({ length: scenario.hosts }, (_, index) => hostName(index)), shared];
  const taken: { run: string; host: string; cells: Map<string, unknown> }[] = [];
  const hosts = new Map(
    names.map((name, index) => {
      const cells = new Map(cellsOf(scenario, index));
      const host = new FarHost({
        name,
        world,
        random,
        cells,
        perform: (argv, state) => performToy(argv, state),
        journals: scenario.journals[index] ?? true,
        stopAt: scenario.stopAt,
        violated: (text) => faults.push(text),
        taken: (run) => taken.push({ run, host: name, cells: new Map(cells) }),
      });
      return [name, host];
    }),
  );
  const weather = names.map(
    (name, index) => [hosts.get(name)!, { ...scenario.network[index]!, fruitless: 0 }] as const,
  );
  const network = new FarNetwork(new Map(weather));
  useWorld(world);
  try {
    const surroundings = { scenario, world, random, hosts, network };
    const operated = scenario.operators.map((_, number) => operate(number, surroundings));
    useOutside(benchFiles(new Map(operated.map(({ run, bench }) => [run, bench]))));
    await play(world, () => operated.every(({ isOver }) => isOver), faults, operated);
    // Closing messages and the ends of processes may still be on their way.
    const over = world.now() + settlingMs;
    if (faults.length === 0) await play(world, () => world.isEmpty || world.now() > over, faults, operated);
    faults.push(...(await faultsOf({ scenario, operated, hosts, network, world, taken, faults })));
    const counts = { frames: 0, steps: 0, guardsFailed: 0, losses: 0, asked: 0 };
    for (const host of hosts.values())
      for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += host.counts[name];
    return { faults, operated, counts, virtualMs: world.now() };
  } finally {
    useWorld();
    useOutside();
  }
}

function cellsOf({ state }: Scenario, index: number): [string, unknown][] {
  return (state[index] ?? []).flatMap((cell, number): [string, unknown][] =>
    cell ? [[`cell:c${number}`, { ...cell, writes: 0 }]] : [],
  );
}

/** After this many milliseconds, nothing that a run began may still be running. */
const settlingMs = 600_000;

/** Plays events one after another until the run is over. Everything that does not need the clock runs in between. */
async function play(
  world: VirtualWorld,
  isOver: () => boolean,
  faults: string[],
  operated: readonly Operated[],
): Promise<void> {
  for (;;) {
    await new Promise(setImmediate);
    if (isOver() || faults.length > 0) return;
    if (world.now() < longestMs && world.step()) continue;
    const waiting = operated.filter((one) => !one.isOver).map(({ run }) => run);
    faults.push(`stuck at ${Math.round(world.now())} ms: ${waiting.join(", ")} waits for ${awaited(operated)}`);
    return;
  }
}

/** The tasks that have begun but not ended. */
function awaited(operated: readonly Operated[]): string {
  const open = operated.flatMap(({ run, events }) => {
    const tasks = new Map<string, string>();
    for (const event of events) {
      if (event.type === "taskStarted") tasks.set(`${event.host} ${event.task.id}`, event.task.title);
      if (event.type === "taskFinished") tasks.delete(`${event.host} ${event.task.id}`);
    }
    return [...tasks].map(([task, title]) => `${run} ${task} (${title})`);
  });
  return open.length === 0 ? "no task" : open.join(", ");
}

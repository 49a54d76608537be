import { readTransferLine } from "../../src/core/transfer-line.ts";
import type { DriverLookup } from "../../src/core/host/driver.ts";
import type { RunEvent } from "../../src/core/events.ts";
import type { Session } from "../../src/core/host/frame.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { Hosts } from "../../src/engine/run/hosts.ts";
import { OnceGroups } from "../../src/engine/run/once/once.ts";
import { Outputs } from "../../src/engine/plan/outputs.ts";
import { Freshness } from "../../src/engine/host/freshness.ts";
import { Paranoia } from "../../src/engine/task/paranoid.ts";
import { type Planned, planNodes } from "../../src/engine/plan/plan.ts";
import { HostRun } from "../../src/engine/run/run-host.ts";
import { TaskFailure } from "../../src/engine/task/run-task.ts";
import { SimulatedHost } from "../../src/transport/simulated.ts";
import { seeded } from "../seeded.ts";
import { type Losses, lossySession } from "./lossy-host.ts";
import { Oracle } from "./oracle/oracle.ts";
import { type Happening, show } from "./oracle/oracle-terms.ts";
import type { Program } from "./programs.ts";
import { performAmong, stateOf, toyVocabulary } from "./toy-vocabulary.ts";
import { nodesOf } from "./vocabulary.ts";

/** The result of running a program with one executor. */
export interface Made {
  readonly happenings: readonly Happening[];
  readonly states: Readonly<Record<string, unknown>>;
  /** The steps, their output and the ends of tasks, in the order of their events, followed by any internal errors. */
  readonly said: readonly string[];
  readonly frames: number;
  /** The number of guards that failed. */
  readonly surprises: number;
}

/** Whether a run only checks or also applies changes. */
export type Mode = "check" | "apply";

function hostsOf(program: Program, prompt = false): Map<string, SimulatedHost> {
  return new Map(
    (["main", "other"] as const).map((name) => {
      const perform = performAmong(program.outside?.host === name ? program.outside : undefined);
      return [
        name,
        new SimulatedHost(
          stateOf(program, name),
          (step, state) => perform(step.step === "run" ? step.argv : [], state),
          prompt,
        ),
      ];
    }),
  );
}

function statesOf(hosts: ReadonlyMap<string, SimulatedHost>): Record<string, unknown> {
  return Object.fromEntries(
    [...hosts].map(([name, host]) => [
      name,
      Object.fromEntries([...host.state].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ]),
  );
}

/** Runs a program with the engine on simulated hosts. */
export async function withEngine(program: Program, mode: Mode, options: EngineOptions = {}): Promise<Made> {
  const simulated = hostsOf(program);
  const said: string[] = [];
  const open = (name: string): Session => sessionOf(simulated, name);
  return made(simulated, await driveEngine(planOf(program), open, mode, { ...options, said }), said);
}

const noDrivers: DriverLookup = () => Promise.reject(new Error("no drivers"));

/** Options for running the engine that must not change the result. */
export interface EngineOptions {
  readonly paranoid?: boolean;
  readonly oneByOne?: boolean;
}

/** Options for running the engine. */
export interface DriveOptions extends EngineOptions {
  /** Receives every event, including events that are not compared. */
  readonly said?: string[];
  /** Answers controller facts. Default: there are no drivers. */
  readonly drivers?: DriverLookup;
}

/** Turns an event during a task into comparable lines. */
export function words(event: RunEvent): string[] {
  switch (event.type) {
    case "stepStarted":
      return [`${event.task.id} begins ${event.step}`];
    case "stepOutput":
      // The oracle does not report progress while it waits.
      // The progress of a transfer is reported only if the link is slow.
      if (event.task.module === "await" || readTransferLine(event.text.trimEnd()) !== undefined) return [];
      return [`${event.task.id} prints ${event.text}`];
    case "taskFinished":
      return [`${event.task.id} ${event.outcome}`];
    case "warning":
      return [event.text];
    default:
      return [];
  }
}

/**
 * Runs a plan on the host "main" with the engine. `open` creates the sessions. Plays whose tasks contradict each other
 * are normally refused earlier; here they run, because their effects and order are also worth comparing.
 */
export async function driveEngine(
  plan: readonly Planned[],
  open: (name: string) => Session | Promise<Session>,
  mode: Mode,
  { paranoid = false, oneByOne = false, said = [], drivers = noDrivers }: DriveOptions = {},
): Promise<Happening[]> {
  const events: RunEvent[] = [];
  const never = new AbortController().signal;
  const hosts = new Hosts(
    async (name) => open(name),
    () => ({ connected: () => {}, notice: () => {} }),
  );
  const once = new OnceGroups();
  const outputs = new Outputs();
  const run = new HostRun({
    hostFor: ({ target }) => hosts.get(target, { become: undefined, user: undefined }),
    once,
    onceKeys: new Map(),
    rest: (until) => until,
    reached: () => {},
    playHost: "main",
    freshness: new Freshness(hosts.activity),
    mode,
    drivers,
    diff: false,
    oneByOne,
    outputs,
    ...(paranoid && { paranoia: new Paranoia(plan, outputs.lookupFor("main")) }),
    sink: (event) => {
      events.push(event);
      said.push(...words(event));
    },
    signal: never,
    stop: never,
  });
  try {
    await run.run(plan);
  } catch (error) {
    if (!(error instanceof TaskFailure)) throw error;
  } finally {
    await hosts.close();
  }
  return events.flatMap(happening);
}

const plans = new WeakMap<Program, Planned[]>();

/** A program's plan, created once because outputs are stored per call. */
function planOf(program: Program): Planned[] {
  const known = plans.get(program);
  if (known) return known;
  const plan = planOn("main", nodesOf(program, toyVocabulary));
  plans.set(program, plan);
  return plan;
}

/** The plan for a host with these nodes. */
export function planOn(target: string, nodes: readonly Node[]): Planned[] {
  return planNodes(nodes, { target, path: [], tags: [], when: [], become: undefined }, "");
}

function countOf(hosts: ReadonlyMap<string, SimulatedHost>, what: "frames" | "surprises"): number {
  return [...hosts.values()].reduce((sum, host) => sum + host.counts[what], 0);
}

function made(
  hosts: ReadonlyMap<string, SimulatedHost>,
  happenings: readonly Happening[],
  said: readonly string[],
): Made {
  const [frames, surprises] = [countOf(hosts, "frames"), countOf(hosts, "surprises")];
  return { happenings, said, states: statesOf(hosts), frames, surprises };
}

function sessionOf(hosts: ReadonlyMap<string, SimulatedHost>, name: string): Session {
  const host = hosts.get(name);
  if (!host) throw new Error(`no host ${name}`);
  return host.open();
}

/** Turns the event at the end of a task into comparable lines. */
export function happening(event: RunEvent): Happening[] {
  if (event.type !== "taskFinished") return [];
  const { task, outcome, changes, notes, error } = event;
  const said = changes.flatMap(({ fact, differences }) =>
    differences.map(({ path, from, to }) => `${fact} ${path} ${show(from)} ${show(to)}`),
  );
  return [{ id: task.id, outcome, changes: said, notes, ...(error && { error: error.code }) }];
}

/**
 * Runs a program with the engine on simulated hosts over connections that break at random. `losses` counts the breaks.
 */
async function overLines(program: Program, seed: number, losses: Losses | undefined): Promise<Made> {
  const simulated = hostsOf(program);
  const random = seeded(seed);
  const open = (name: string): Session => lossySession(sessionOf(simulated, name), random, losses);
  const said: string[] = [];
  return made(simulated, await driveEngine(planOf(program), open, "apply", { said }), said);
}

/** Describes how a run whose connections break differs from an uninterrupted run; undefined if they are equal. */
export async function trace(program: Program, seed: number, losses: Losses): Promise<string | undefined> {
  const lossy = await overLines(program, seed, losses);
  const whole = await overLines(program, seed, undefined);
  const ours = JSON.stringify({ ...lossy, frames: 0 }, undefined, 1);
  const theirs = JSON.stringify({ ...whole, frames: 0 }, undefined, 1);
  return ours === theirs ? undefined : `with losses: ${ours}\nwithout: ${theirs}`;
}

/** Runs a program with the naive executor. */
export async function withOracle(program: Program, mode: Mode): Promise<Made> {
  // The naive executor runs nothing in parallel, so slow hosts make no visible difference.
  const hosts = hostsOf(program, true);
  const sessions = new Map([...hosts].map(([name, host]) => [name, host.open()]));
  const oracle = new Oracle(sessions, mode);
  await oracle.run(planOf(program));
  return made(hosts, oracle.happenings, oracle.said);
}

/** Describes how engine and oracle differ for a program; undefined if they agree. */
export async function disagreement(
  program: Program,
  mode: Mode,
  options: EngineOptions = {},
): Promise<string | undefined> {
  const engine = await withEngine(program, mode, options);
  const oracle = await withOracle(program, mode);
  // A paranoid engine sends steps one by one, so it does not begin the steps after a failed one.
  const show = ({ happenings, states, said }: Made, indent?: number): string =>
    JSON.stringify({ happenings, states, said: options.paranoid ? [] : said }, undefined, indent);
  return show(engine) === show(oracle) ? undefined : `engine: ${show(engine, 1)}\noracle: ${show(oracle, 1)}`;
}

/**
 * Describes where check mode and the following run disagree about a task, up to the first failure; undefined if they
 * agree. The run must confirm every task that check reported as `changed` or `ok`.
 */
export async function untruth(program: Program): Promise<string | undefined> {
  const check = await withEngine(program, "check");
  const run = await withEngine(program, "apply");
  for (const [index, done] of run.happenings.entries()) {
    const said = check.happenings[index];
    if (said === undefined || said.id !== done.id) return `check did not report ${done.id}`;
    if (said.outcome !== "undecided" && said.outcome !== done.outcome)
      return `${done.id}: ${said.outcome}, then ${done.outcome}`;
    if (done.outcome === "failed") return undefined;
  }
  return undefined;
}

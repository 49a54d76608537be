import { guardVars } from "../core/guarded/play.ts";
import { randomUUID } from "node:crypto";
import type { Driver } from "../core/driver.ts";
import { FurrowError } from "../core/errors.ts";
import type { Mode, RunEvent } from "../core/events.ts";
import type { Json } from "../core/fact.ts";
import type { BecomeOptions, Vars } from "../core/inventory-entries.ts";
import { parseInput } from "../core/params.ts";
import type { Playbook } from "../core/playbook.ts";
import { pendingSecrets } from "../core/secret.ts";
import type { Step, StepResult } from "../core/step.ts";
import type { RunHost, RunRequest, RunResult } from "../engine/plan/request.ts";
import { runPlaybook } from "../engine/run/run.ts";
import type { Selection } from "../engine/plan/select.ts";
import { matchPattern } from "../load/pattern.ts";
import { SimulatedActs } from "./simulated-acts.ts";
import { type SimulatedState, SimulatedThings } from "./simulated-world.ts";
import { type SimulatedTask, tasksOf } from "./simulated-tasks.ts";

/** One host to simulate. */
export interface SimulatedHostEntry {
  /** DNS name or IP address; default: its name. */
  readonly address?: string;
  readonly groups?: readonly string[];
  readonly vars?: Vars;
}

/** What a playbook is simulated with. */
export interface SimulateOptions {
  /** The hosts: their names, or what more there is to say of each by name. */
  readonly hosts: readonly string[] | Readonly<Record<string, SimulatedHostEntry>>;
  /** Vars of all hosts; the playbook's schema checks them. */
  readonly vars?: Vars;
  /**
   * What is on each host, by fact id: `{ web: { "file:/etc/motd": { text: "old\n" } } }`. Of a value only what matters
   * need be said. What is not named is as on a fresh Debian: files, users and units are absent. Pass the `state` of
   * one simulation on to run the playbook again.
   */
  readonly state?: Readonly<Record<string, SimulatedState>>;
  /**
   * What comes to a host with another thing, as a package brings its unit:
   * `{ "package:nginx": { "unit:nginx.service": { state: "started" } } }`.
   */
  readonly comesWith?: Readonly<Record<string, SimulatedState>>;
  /**
   * What the controller answers, by driver: `{ http: (request) => ({ status: 200, headers: {}, body: "" }) }`. Files of
   * this machine are read where nothing is said about them.
   */
  readonly drivers?: Readonly<Record<string, (request: Json) => unknown>>;
  /** What a step leaves, where a test cares: output, or an exit code other than 0 that makes it fail. */
  readonly perform?: (step: Step, host: string) => Partial<StepResult> | undefined;
  /** `check` says what would change, and changes nothing; default `apply`. */
  readonly mode?: Mode;
  readonly selection?: Partial<Selection>;
  readonly startAt?: string;
}

/** What a simulated run came to. */
export interface Simulation {
  /** Everything that happened, as reports see it. */
  readonly events: readonly RunEvent[];
  /** How each task ended on each host, in order. */
  readonly tasks: readonly SimulatedTask[];
  /** What is on each host now, by fact id. */
  readonly state: Readonly<Record<string, SimulatedState>>;
  readonly result: RunResult;
}

/**
 * Runs a playbook with the real engine on hosts that exist only in memory. No step is performed: what a task wants
 * becomes so, as the kinds of its facts foresee it, and later tasks find it so. Nothing is waited for: what a wait looks
 * at must be there. Secrets without a value get a made-up one. Throws FurrowError where the playbook cannot start.
 */
export async function simulate(playbook: Playbook, options: SimulateOptions): Promise<Simulation> {
  const hosts = hostsOf(options);
  const places = new Map(
    hosts.map(({ name }) => [name, new SimulatedThings(options.state?.[name] ?? {}, options.comesWith ?? {})]),
  );
  const acts = new SimulatedActs(places, options.perform ?? (() => undefined));
  const added = new Map<string, RunHost>();
  const events: RunEvent[] = [];
  const result = await runPlaybook({
    ...requestOf(playbook, options, hosts, added),
    connect: ({ host }) => Promise.resolve(acts.open(host.name)),
    newHost: ({ name, address, via, vars }) => {
      const state = options.state?.[name] ?? {};
      places.set(name, places.get(name) ?? new SimulatedThings(state, options.comesWith ?? {}));
      const front = hosts.find((host) => host.name === via)?.vars;
      const made = { name, address, groups: [], vars: { ...options.vars, ...front, ...vars }, userFor };
      added.set(name, made);
      return made;
    },
    drivers: (name) => driverOf(name, options, acts.controller),
    simulation: acts,
    sink: (event) => {
      // Bodies that looked at facts have made their secrets only now.
      if (event.type === "taskStarted") settleSecrets();
      events.push(event);
    },
  });
  const state = Object.fromEntries([...places].map(([name, things]) => [name, things.state]));
  return { events, tasks: tasksOf(events), state, result };
}

type Loaded = Pick<
  RunRequest,
  "playbook" | "mode" | "hostsOf" | "hostNamed" | "varsOf" | "run" | "version" | "selection" | "startAt"
>;

function requestOf(
  playbook: Playbook,
  options: SimulateOptions,
  hosts: readonly RunHost[],
  added: ReadonlyMap<string, RunHost>,
): Loaded {
  const groups = new Map<string, Set<string>>();
  for (const host of hosts) {
    for (const group of host.groups) groups.set(group, (groups.get(group) ?? new Set()).add(host.name));
  }
  const scope = { hosts: hosts.map(({ name }) => name), groups, last: undefined };
  const named = new Map(hosts.map((host) => [host.name, host]));
  return {
    playbook,
    mode: options.mode ?? "apply",
    hostsOf: ({ hosts: pattern }) =>
      typeof pattern === "string" ? matchPattern(pattern, scope).flatMap((name) => named.get(name) ?? []) : [],
    hostNamed: (name) => named.get(name) ?? added.get(name),
    varsOf: ({ name, vars }) => {
      const parsed =
        playbook.vars === undefined ? {} : parseInput(playbook.vars, vars, { host: name, playbook: playbook.name });
      settleSecrets();
      return guardVars(playbook.vars, parsed);
    },
    run: "simulated",
    version: "0",
    selection: { tags: options.selection?.tags ?? [], skipTags: options.selection?.skipTags ?? [] },
    ...(options.startAt !== undefined && { startAt: options.startAt }),
  };
}

function hostsOf({ hosts, vars }: SimulateOptions): RunHost[] {
  const entries: (readonly [string, SimulatedHostEntry])[] = isNames(hosts)
    ? hosts.map((name) => [name, {}])
    : Object.entries(hosts);
  return entries.map(([name, { address = name, groups = [], vars: own }]) => ({
    name,
    address,
    groups,
    vars: { ...vars, ...own },
    userFor,
  }));
}

/** Simulated hosts are reached as root. */
function userFor(become: BecomeOptions | undefined): string {
  return become?.user ?? "root";
}

function isNames(hosts: SimulateOptions["hosts"]): hosts is readonly string[] {
  return Array.isArray(hosts);
}

function settleSecrets(): void {
  for (const { settle } of pendingSecrets()) settle(randomUUID());
}

/** What a task has brought about on the controller, else what the test answers, else what is in a file here. */
async function driverOf(
  name: string,
  { drivers }: SimulateOptions,
  controller: ReadonlyMap<string, unknown>,
): Promise<Driver> {
  const answer = drivers?.[name];
  const { fileDriver } = await import("../drivers/file.ts");
  return {
    name,
    read: async (request, signal) => {
      const id = `${name}:${JSON.stringify(request)}`;
      if (controller.has(id)) return controller.get(id);
      if (answer !== undefined) return answer(request);
      if (name === fileDriver.name) return fileDriver.read(request, signal);
      throw new FurrowError("E_DRIVER", {
        what: `a task asks the ${name} driver, and the test has no answer`,
        current: JSON.stringify(request),
        hint: `Give one: drivers: { ${name}: (request) => … }`,
      });
    },
  };
}

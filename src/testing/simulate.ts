import { guardVars } from "../core/guarded/play.ts";
import { randomUUID } from "node:crypto";
import type { Driver } from "../core/host/driver.ts";
import { FurrowError } from "../core/errors.ts";
import type { Mode, RunEvent } from "../core/events.ts";
import type { Json } from "../core/facts/fact.ts";
import type { BecomeOptions, Vars } from "../core/inventory/inventory-entries.ts";
import { parseInput } from "../core/params/params.ts";
import type { Playbook } from "../core/authoring/playbook.ts";
import { newOpenSshKey } from "../core/secrets/openssh-key.ts";
import { pendingSecrets } from "../core/secrets/secret.ts";
import type { Step, StepResult } from "../core/host/step.ts";
import type { RunHost, RunRequest, RunResult } from "../engine/plan/request.ts";
import { runPlaybook } from "../engine/run/run.ts";
import type { Selection } from "../engine/plan/select.ts";
import { matchPattern } from "../load/inventory/host-pattern.ts";
import { SimulatedActs } from "./simulated-acts.ts";
import { type SimulatedState, SimulatedThings } from "./simulated-world.ts";
import { type SimulatedTask, tasksOf } from "./simulated-tasks.ts";

/** A host to simulate. */
export interface SimulatedHostEntry {
  /** A DNS name or IP address. Default: the host's name. */
  readonly address?: string;
  readonly groups?: readonly string[];
  readonly vars?: Vars;
}

/** Options for a simulation. */
export interface SimulateOptions {
  /** The names of the hosts, or an entry for each name. */
  readonly hosts: readonly string[] | Readonly<Record<string, SimulatedHostEntry>>;
  /** Vars for all hosts; the playbook's schema checks them. */
  readonly vars?: Vars;
  /**
   * The state of each host, by fact id: `{ web: { "file:/etc/motd": { text: "old\n" } } }`. A value needs only the
   * parts that matter. Other facts are as on a small Debian host: it has Debian's own users and groups, and no units.
   * To run the playbook again, pass the `state` of one simulation to the next. `localhost` is the controller, for
   * `on("localhost", …)`.
   */
  readonly state?: Readonly<Record<string, SimulatedState>>;
  /**
   * Facts that appear on a host together with another fact, such as the unit that a package installs: `{
   * "package:nginx": { "unit:nginx.service": { state: "started" } } }`.
   */
  readonly comesWith?: Readonly<Record<string, SimulatedState>>;
  /**
   * The controller's answers, by driver: `{ http: (request) => ({ status: 200, headers: {}, body: "" }) }`. The entry
   * for the http driver also answers requests from the hosts. Without entries for the `file`, `kubeconfig`, `manifest`
   * and `tree` drivers, the simulation reads this machine's files and directories.
   */
  readonly drivers?: Readonly<Record<string, (request: Json) => unknown>>;
  /**
   * The result of a step, if a test needs a particular result: output, or a nonzero exit code that makes the step fail.
   */
  readonly perform?: (step: Step, host: string) => Partial<StepResult> | undefined;
  /** `check` reports what would change, but changes nothing. Default: `apply`. */
  readonly mode?: Mode;
  readonly selection?: Partial<Selection>;
  readonly startAt?: string;
}

/** The result of a simulated run. */
export interface Simulation {
  /** Everything that happened, as reports receive it. */
  readonly events: readonly RunEvent[];
  /** How each task finished on each host, in order. */
  readonly tasks: readonly SimulatedTask[];
  /** The state of each host afterwards, by fact id. */
  readonly state: Readonly<Record<string, SimulatedState>>;
  /**
   * For each host, the ids of the facts that tasks read although neither the test nor a task had set them: their values
   * are those of a small Debian host.
   */
  readonly assumed: Readonly<Record<string, readonly string[]>>;
  readonly result: RunResult;
}

/**
 * Runs a playbook with the real engine on hosts that exist only in memory. No step is performed. Instead, the
 * simulation sets the state that a task wants, as the kinds of its facts predict it, and later tasks see that state.
 * The simulation does not wait: the condition that a task waits for must already be true. Secrets without a value get a
 * random one. Throws FurrowError if the playbook cannot start.
 */
export async function simulate(playbook: Playbook, options: SimulateOptions): Promise<Simulation> {
  const hosts = hostsOf(options);
  const places = new Map(
    hosts.map(({ name }) => [name, new SimulatedThings(options.state?.[name] ?? {}, options.comesWith ?? {})]),
  );
  const acts = new SimulatedActs(places, options.perform ?? (() => undefined), options.drivers?.["http"]);
  const added = new Map<string, RunHost>();
  const events: RunEvent[] = [];
  const result = await runPlaybook({
    ...requestOf(playbook, options, hosts),
    connect: ({ host }) => Promise.resolve(acts.open(host.name)),
    newHost: ({ name, address, via, vars }) => {
      const state = options.state?.[name] ?? {};
      places.set(name, places.get(name) ?? new SimulatedThings(state, options.comesWith ?? {}));
      const front = hosts.find((host) => host.name === via)?.vars;
      const made = { name, address, groups: [], vars: { ...options.vars, ...front, ...vars }, userFor };
      added.set(name, made);
      return made;
    },
    hostNamed: (name) => {
      const known = hosts.find((host) => host.name === name) ?? added.get(name);
      if (known !== undefined || name !== "localhost") return known;
      places.set(name, new SimulatedThings(options.state?.[name] ?? {}, options.comesWith ?? {}));
      const controller = { name, address: name, groups: [], vars: {}, userFor, isController: true };
      added.set(name, controller);
      return controller;
    },
    drivers: (name) => driverOf(name, options, acts.controller),
    simulation: acts,
    sink: (event) => {
      // Before this event, play functions that use `facts` have not yet created their secrets.
      if (event.type === "taskStarted") settleSecrets();
      events.push(event);
    },
  });
  const state = Object.fromEntries([...places].map(([name, things]) => [name, things.state]));
  const assumed = Object.fromEntries([...places].map(([name, things]) => [name, [...things.assumed].toSorted()]));
  return { events, tasks: tasksOf(events), state, assumed, result };
}

type Loaded = Pick<
  RunRequest,
  "playbook" | "mode" | "hostsOf" | "varsOf" | "run" | "version" | "selection" | "startAt"
>;

function requestOf(playbook: Playbook, options: SimulateOptions, hosts: readonly RunHost[]): Loaded {
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

/** The user on a simulated host: the become user, otherwise root. */
function userFor(become: BecomeOptions | undefined): string {
  return become?.user ?? "root";
}

function isNames(hosts: SimulateOptions["hosts"]): hosts is readonly string[] {
  return Array.isArray(hosts);
}

function settleSecrets(): void {
  for (const { settle, source, name } of pendingSecrets())
    settle(source.from === "generatedKey" ? newOpenSshKey(name) : randomUUID());
}

/**
 * Returns a driver that answers with the state that a task has set on the controller; failing that, with the test's
 * answer; failing that, from this machine's files and directories.
 */
async function driverOf(
  name: string,
  { drivers }: SimulateOptions,
  controller: ReadonlyMap<string, unknown>,
): Promise<Driver> {
  const answer = drivers?.[name];
  const { fileDriver } = await import("../drivers/file.ts");
  const { kubeconfigFileDriver } = await import("../drivers/kubeconfig-file.ts");
  const { manifestDriver } = await import("../drivers/manifest/driver.ts");
  const { treeDriver } = await import("../drivers/tree.ts");
  const local = [fileDriver, kubeconfigFileDriver, manifestDriver, treeDriver].find((driver) => driver.name === name);
  return {
    name,
    read: async (request, signal) => {
      const id = `${name}:${JSON.stringify(request)}`;
      if (controller.has(id)) return controller.get(id);
      if (answer !== undefined) return answer(request);
      if (local !== undefined) return local.read(request, signal);
      if (name === "operator") return { who: "simulated@controller", since: "2026-01-01T00:00:00Z" };
      throw new FurrowError("E_DRIVER", {
        what: `a task asks the ${name} driver, but the test has no answer for it`,
        current: JSON.stringify(request),
        hint: `Give one: drivers: { ${name}: (request) => … }`,
      });
    },
  };
}

import type { RunEvent } from "../../src/core/events.ts";
import type { PlannedGroup } from "../../src/engine/plan/plan.ts";
import { happening, words } from "../engine/comparison.ts";
import type { Happening } from "../engine/oracle/oracle-terms.ts";
import { type Expected, expectedOf } from "./expected.ts";
import type { FarHost } from "./far-host.ts";
import type { FarNetwork } from "./far-link.ts";
import { benchOf, type Operated } from "./operator.ts";
import type { Scenario } from "./scenario.ts";
import { hostName } from "./sim-play.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** The data that is examined after a run. */
export interface Aftermath {
  readonly scenario: Scenario;
  readonly operated: readonly Operated[];
  readonly hosts: ReadonlyMap<string, FarHost>;
  readonly network: FarNetwork;
  readonly world: VirtualWorld;
  /** Each time that a run took over a host, in order, with the host's state at that time. */
  readonly taken: readonly { readonly run: string; readonly host: string; readonly cells: Map<string, unknown> }[];
  /** Violations detected during the run. */
  readonly faults: readonly string[];
}

/** Returns all faults after a run. If the run got stuck, returns only that fault. */
export async function faultsOf(after: Aftermath): Promise<string[]> {
  if (after.faults.length > 0) return [];
  const ends = after.operated.flatMap(unfinished);
  if (ends.length > 0) return ends;
  const told = await Promise.all(after.operated.map((one) => untrue(one, after)));
  return [...told.flat(), ...leftOver(after)];
}

/** Every run must report its end once, as its last event, and the end of every task that it began. */
function unfinished({ run, events, result, thrown }: Operated): string[] {
  if (thrown !== undefined)
    return [`${run} threw ${thrown instanceof Error ? thrown.message : JSON.stringify(thrown)}`];
  const faults: string[] = [];
  const ends = events.filter(({ type }) => type === "runFinished").length;
  if (ends !== 1 || events.at(-1)?.type !== "runFinished") faults.push(`${run} reported its end ${ends} times`);
  if (result === undefined) faults.push(`${run} has no result`);
  const open = new Set<string>();
  for (const event of events) {
    const task = "task" in event ? `${event.host} ${event.task.id}` : "";
    if (event.type === "taskStarted") open.add(task);
    if (event.type === "taskFinished") open.delete(task);
  }
  if (open.size > 0 && result?.interrupted === false)
    faults.push(`${run} never reported the end of ${[...open].join(", ")}`);
  return faults;
}

/**
 * No lock, folder, process, connection or timer may outlive a run, unless the run's last message could not be
 * delivered.
 */
function leftOver({ operated, hosts, network, world, scenario }: Aftermath): string[] {
  const faults: string[] = [];
  const { waking, idle } = world.left;
  if (waking + idle > 0) faults.push(`${waking} timers and ${idle} idle timers are left`);
  if (network.open.size > 0) faults.push(`${network.open.size} connections are left`);
  const isCutOff = scenario.killAt !== undefined || scenario.network.some(({ losses }) => losses > 0);
  for (const [name, host] of hosts) {
    const given = operated.some(({ result }) => result?.unreachable.includes(name));
    if (host.left.length > 0 && !given && !isCutOff) faults.push(`${name} is left with ${host.left.join(", ")}`);
  }
  return faults;
}

async function untrue(one: Operated, { scenario, taken, hosts }: Aftermath): Promise<string[]> {
  const { run, events } = one;
  // An attempt that found the host locked counts too, so the task has one fewer attempt left.
  const codes = new Set(events.flatMap((event) => ("error" in event && event.error ? [event.error.code] : [])));
  // A run that found a host locked may return to it at any later time.
  if (codes.has("E_LOCKED") || saysLocked(events)) return [];
  const cells = new Map<string, Map<string, unknown>>();
  for (const name of hosts.keys()) {
    const own = taken.filter((time) => time.run === run && time.host === name);
    // If another run took over the host before this run got any answer, this run does its work after the other run. It
    // then starts from cell values that this check does not know.
    if (
      taken.some((time, at) => time.host === name && time.run !== run && at > taken.indexOf(own[0]!)) &&
      own.length > 1
    )
      return [];
    cells.set(name, own[0] ? new Map(own[0].cells) : startOf(scenario, name, hosts));
  }
  const wanted = await expectedOf({ plans: one.plans, cells, bench: benchOf(scenario), owner: ownerIn(events) });
  const isWhole = scenario.stopAt === undefined && !events.some(({ type }) => type === "runStopping");
  const faults: string[] = [];
  for (const [name, expected] of wanted) {
    const own = events.filter((event) => "host" in event && event.host === name);
    const found = difference(toldOf(own), expected, isWhole);
    if (found !== undefined) faults.push(`${run} on ${name}: ${found}`);
  }
  if (isWhole && scenario.operators.length === 1 && faults.length === 0) {
    for (const [name, host] of hosts) {
      const [is, ought] = [stateText(host.options.cells), stateText(cells.get(name)!)];
      if (is !== ought) faults.push(`${name} ends as ${is}, and should end as ${ought}`);
    }
  }
  return faults;
}

/** True if a task failed immediately because another run holds the host. */
function saysLocked(events: readonly RunEvent[]): boolean {
  return events.some(
    (event) =>
      event.type === "taskFinished" &&
      event.error?.failure.details?.some((detail) => /^another run (holds|took) the host/.test(detail)) === true,
  );
}

function startOf(scenario: Scenario, name: string, hosts: ReadonlyMap<string, FarHost>): Map<string, unknown> {
  const index = [...hosts.keys()].indexOf(name);
  return new Map(
    scenario.state[index]!.flatMap((cell, number) =>
      cell ? [[`cell:c${number}`, { ...cell, writes: 0 }] as [string, unknown]] : [],
    ),
  );
}

/**
 * Returns the host that ran a group on behalf of all: the host that reported the group's tasks, or else the requested
 * host.
 */
function ownerIn(events: readonly RunEvent[]): (group: PlannedGroup) => string {
  const first = new Map<string, string>();
  for (const event of events) if (event.type === "taskFinished") first.set(event.task.id, event.host);
  return ({ id, hosts }) => {
    const inner = [...first].find(([task]) => task.startsWith(`${id}.`));
    return inner?.[1] ?? hosts[0] ?? hostName(0);
  };
}

function toldOf(events: readonly RunEvent[]): Expected {
  return {
    happenings: events.flatMap(happening),
    said: inWhole(events.flatMap((event) => (event.type === "warning" ? mistakes(event.text) : words(event)))),
  };
}

/** Joins output that arrives in chunks, because it is split at random places. */
function inWhole(said: readonly string[]): string[] {
  const whole: string[] = [];
  for (const text of said) {
    const head = /^\S+ prints /.exec(text)?.[0];
    if (head !== undefined && whole.at(-1)?.startsWith(head) === true)
      whole.push(whole.pop() + text.slice(head.length));
    else whole.push(text);
  }
  return whole;
}

/** Keeps only the warnings in which furrow reports an internal error. */
function mistakes(text: string): string[] {
  return /sent ahead|pre-sent|internal/.test(text) ? [text] : [];
}

/**
 * Describes where two reports differ. The report of a stopped run must be the beginning of the other report, with at
 * most one task cut short.
 */
function difference(told: Expected, wanted: Expected, isWhole: boolean): string | undefined {
  const [is, ought] = [told.happenings.map(textOf), wanted.happenings.map(textOf)];
  const at = is.findIndex((line, index) => line !== ought[index]);
  const parts = at < 0 ? is.length : at;
  const pair = `reports ${is[parts] ?? "nothing more"}, and should report ${ought[parts] ?? "nothing more"} (${parts} tasks are correct)`;
  if (isWhole) {
    if (at >= 0 || is.length !== ought.length) return pair;
    const line = told.said.findIndex((text, index) => text !== wanted.said[index]);
    if (line >= 0) return `says "${told.said[line]}", and should say "${wanted.said[line] ?? "nothing more"}"`;
    return told.said.length === wanted.said.length ? undefined : `does not say "${wanted.said[told.said.length]}"`;
  }
  const cut = told.happenings[parts];
  if (at < 0 || (cut?.outcome === "failed" && is.length === parts + 1)) return undefined;
  return `was stopped, and ${pair}`;
}

function textOf({ id, outcome, changes, notes, error }: Happening): string {
  return [id, outcome, ...changes, ...notes, error ?? ""].join(" ");
}

function stateText(cells: ReadonlyMap<string, unknown>): string {
  return JSON.stringify([...cells].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

import type { TaskCall } from "../../core/authoring/call.ts";
import { FurrowError } from "../../core/errors.ts";
import type { Output, Outputs } from "./outputs.ts";
import type { Planned, PlannedGroup, PlannedTask } from "./plan.ts";

/** One `once()` call in a host's list. */
export interface OnceCall {
  /** Identifies the call; the key is the same for all hosts (see `onceKeys`). */
  readonly key: string;
  /** The hosts that may run the group, in order of preference. */
  readonly hosts: readonly string[];
  /** The call's position in the playbook. */
  readonly source: string | undefined;
}

/** The outputs of a group's tasks on the host that ran them, keyed by `callKeys`. */
export type OnceOutputs = ReadonlyMap<string, Output>;

/** The once() calls in a host's list, by the id of their group in that list. */
export type OnceKeys = ReadonlyMap<string, OnceCall>;

/**
 * Assigns a key to each once() in a plan: the position of the call. If there are several calls at one position, adds
 * the call's name or number. Composites whose tasks are not known yet also get a key. `inside`: the key of the
 * composite whose tasks the plan contains, if any.
 */
export function onceKeys(plan: readonly Planned[], inside?: string): OnceKeys {
  const keys = new Map<string, OnceCall>();
  const counts = new Map<string, number>();
  for (const node of everyNode(plan)) {
    if (node.node === "task" || (node.node === "group" && node.kind !== "once")) continue;
    const place = node.node === "group" ? node.calledFrom : `composite ${node.composite.source}`;
    const named = `${place ?? ""} ${node.node === "group" ? (node.given ?? "") : ""}`;
    const count = counts.get(named) ?? 0;
    counts.set(named, count + 1);
    const key = `${inside === undefined ? "" : `${inside}\n`}${named}#${count}`;
    const source = node.node === "group" ? node.written : node.source;
    keys.set(node.id, { key, hosts: node.node === "group" ? node.hosts : [], source });
  }
  return keys;
}

/** The keys of the groups that are still in a plan. */
export function keysIn(plan: readonly Planned[], keys: OnceKeys | undefined): string[] {
  return [...everyNode(plan)].flatMap(({ id }) => keys?.get(id)?.key ?? []);
}

/**
 * Compares the lists of a play's hosts. Throws FurrowError E_PLAYBOOK if the once() calls of two hosts cannot be
 * matched, or if a call's list of hosts differs between two of the play's hosts.
 */
export function checkOnce(plans: ReadonlyMap<string, readonly Planned[]>): void {
  const first = new Map<string, { readonly host: string; readonly call: OnceCall; readonly times: number }>();
  for (const [host, plan] of plans) {
    const calls = [...onceKeys(plan).values()];
    const times = new Map<string, number>();
    for (const { key } of calls) times.set(placeOf(key), (times.get(placeOf(key)) ?? 0) + 1);
    for (const call of calls) {
      const mine = { host, call, times: times.get(placeOf(call.key)) ?? 0 };
      const other = first.get(placeOf(call.key));
      if (other === undefined) first.set(placeOf(call.key), mine);
      else if (other.times !== mine.times) throw ambiguous(other, mine);
      const same = first.get(call.key);
      if (same === undefined) first.set(call.key, mine);
      else if (same.call.hosts.join() !== call.hosts.join()) throw disagreement(same, mine);
    }
  }
}

type Listed = { readonly host: string; readonly call: OnceCall; readonly times: number };

function placeOf(key: string): string {
  return key.slice(0, key.lastIndexOf("#"));
}

function ambiguous(one: Listed, other: Listed): FurrowError {
  return new FurrowError("E_PLAYBOOK", {
    what: "a once() is listed a different number of times for different hosts, so its calls cannot be matched",
    ...(other.call.source !== undefined && { where: { source: other.call.source } }),
    current: `${one.times} for ${one.host}, ${other.times} for ${other.host}`,
    hint: "Give each once() a name: once(hosts, [ … ], { name: `database of ${node.name}` })",
  });
}

function disagreement(one: Listed, other: Listed): FurrowError {
  return new FurrowError("E_PLAYBOOK", {
    what: "a once() does not list the same hosts for every host in the play",
    ...(other.call.source !== undefined && { where: { source: other.call.source } }),
    current: [one, other].map(({ host, call }) => `${call.hosts.join(", ")} for ${host}`).join("; "),
    hint: "List the same hosts in the same order for every host, such as `hosts`",
  });
}

/** The outputs of a group's tasks on a host. */
export function outputsOf(group: PlannedGroup, outputs: Outputs, host: string): OnceOutputs {
  return new Map(
    [...callKeys(group)].flatMap(([key, { call }]) => {
      const output = outputs.own(call, host);
      return output === undefined ? [] : [[key, output] as const];
    }),
  );
}

/** Gives a host the outputs that a group's tasks produced on another host. */
export function copyOutputs(group: PlannedGroup, made: OnceOutputs, outputs: Outputs, host: string): void {
  for (const [key, { call }] of callKeys(group)) {
    const output = made.get(key);
    if (output !== undefined) outputs.set(call, host, output);
  }
}

/** The tasks of a group by a key that is the same for all hosts: their position in the playbook. */
function callKeys(group: PlannedGroup): Map<string, PlannedTask> {
  const keys = new Map<string, PlannedTask>();
  const counts = new Map<string, number>();
  for (const node of everyNode([group])) {
    if (node.node !== "task") continue;
    const place = node.call.source ?? node.call.module.card.name;
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    keys.set(`${place}#${count}`, node);
  }
  return keys;
}

/** The calls of all tasks in a plan. */
export function callsIn(plan: readonly Planned[]): TaskCall[] {
  return [...everyNode(plan)].flatMap((node) => (node.node === "task" ? [node.call] : []));
}

/** All nodes in a plan, in the order they are listed. */
export function* everyNode(plan: readonly Planned[]): Generator<Planned, void> {
  for (const node of plan) {
    yield node;
    if (node.node !== "group") continue;
    yield* everyNode([...node.children, ...(node.rescue ?? []), ...(node.always ?? [])]);
  }
}

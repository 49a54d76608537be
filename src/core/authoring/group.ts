import type { z } from "zod";
import type { TaskCall } from "./call.ts";
import { checkOptionsIn, commonOptions, type CommonOptions } from "./task-options.ts";
import { FurrowError } from "../errors.ts";
import { described } from "./described.ts";
import { hostName, hostNames, listOf, noHost, optionsOf } from "./group-parts.ts";
import { refuseUnknown } from "./known-keys.ts";
import { type OptionRules, outputRule, tasksRule } from "./option-rules.ts";
import { callerPosition, callerPositions } from "./position.ts";
import { type NewHost, newHostKeys } from "../inventory/inventory.ts";
import type { Ref } from "./ref.ts";
import { reportLater } from "../wrong-calls.ts";

/** The elements that a playbook lists: tasks, groups, and lists of them; false and undefined are ignored. */
export type Node = TaskCall | Group | Composite | readonly Node[] | false | null | undefined;

/** Options of a group, including how it reacts to failures. */
export interface BlockOptions extends CommonOptions {
  /**
   * Tasks that run if a task in the group failed or its host was lost. If these tasks succeed, the group counts as
   * successful.
   */
  readonly rescue?: readonly Node[];
  /** Tasks that run last, whether or not the others succeeded. */
  readonly always?: readonly Node[];
}

/** Options of tasks on a host that is not in the inventory. */
export interface NestedOptions extends BlockOptions {
  /**
   * Whether the host already exists, if an earlier task may create it. While this is unknown, check mode does not
   * connect to the host: everything on it is unknown, and its tasks are predicted as far as possible.
   */
  readonly there?: Ref<boolean>;
}

/** Tasks that belong together. */
export interface Group {
  readonly node: "group";
  readonly kind: "role" | "block" | "on" | "once";
  readonly name: string;
  readonly children: readonly Node[];
  readonly options: BlockOptions;
  /** `on`: the host that these tasks act on. */
  readonly host?: string;
  /**
   * `once`: the hosts that may run these tasks, in order of preference; the other hosts wait for the host that runs
   * them.
   */
  readonly hosts?: readonly string[];
  /** `once`: the source positions of the call, which are the same for every host in a play. */
  readonly calledFrom?: string;
  /** `on`, for a host that is not in the inventory: how to connect to it. */
  readonly entry?: NewHost;
  /** `nested`: whether the host already exists. */
  readonly there?: Ref<boolean> | undefined;
  readonly source: string | undefined;
}

/** A task that expands to an ordered list of tasks once its params are known. */
export interface Composite {
  readonly node: "composite";
  readonly name: string;
  readonly input: unknown;
  readonly options: CommonOptions;
  readonly expand: (params: never) => readonly Node[];
  readonly card: CompositeCard;
  readonly source: string | undefined;
  /** Whether any task in the composite changed something; known once all of them have run. */
  readonly changed?: Ref<boolean>;
}

/** The part of a composite's card that the engine needs. */
export interface CompositeCard {
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodType;
  readonly examples: readonly unknown[];
  readonly title?: (params: never) => string;
}

const blockOptions: OptionRules<BlockOptions> = { ...commonOptions, rescue: tasksRule, always: tasksRule };
const nestedOptions: OptionRules<NestedOptions> = { ...blockOptions, there: outputRule };

/**
 * Throws FurrowError E_PLAYBOOK for options that groups do not have, and for wrong values. `owner` names the group:
 * `the block "web"`.
 */
export function checkBlockOptions(options: BlockOptions, owner: string, source: string | undefined): void {
  const where = { ...(source !== undefined && { source }) };
  reportLater(() => checkOptionsIn(blockOptions, options, owner, where));
}

/**
 * Groups tasks, so that tags, `when` and `become` are written only once, and a `rescue` can handle the tasks' failures.
 * Throws FurrowError E_PLAYBOOK for unknown options.
 */
export function block(name: string, children: readonly Node[], options: BlockOptions = {}): Group {
  const source = callerPosition();
  const where = { ...(source !== undefined && { source }) };
  const own: unknown = name;
  if (typeof own !== "string") {
    reportLater(() => {
      throw new FurrowError("E_PLAYBOOK", {
        what: "a block has no name",
        where,
        current: described(own),
        expected: 'a name before the tasks: block("web server", [ … ])',
        hint: 'Write block("name", [ … ])',
      });
    });
    return { node: "group", kind: "block", name: "", children: [], options: {}, source };
  }
  const owner = `the block "${name}"`;
  checkBlockOptions(options, owner, source);
  const tasks = listOf(children, owner, `block("${name}", [ … ])`, where);
  return { node: "group", kind: "block", name, children: tasks, options: optionsOf(options), source };
}

/**
 * Runs tasks on another inventory host, at this point in this host's task list. If the inventory has no host named
 * `localhost`, that name means the controller, where tasks run as the user who started furrow unless `become` is given
 * here. Throws FurrowError E_PLAYBOOK for unknown options.
 */
export function on(
  host: string | { readonly name: string },
  children: readonly Node[],
  options: BlockOptions = {},
): Group {
  const source = callerPosition();
  const where = { ...(source !== undefined && { source }) };
  const name = hostName(host);
  if (name === undefined) {
    const more = Array.isArray(host) ? " for one host; list one on() per host" : "";
    reportLater(() => noHost("on", host, "the name of a host", `Write on("web1", [ … ])${more}`, where));
    return { node: "group", kind: "block", name: "", children: [], options: {}, source };
  }
  const owner = `on "${name}"`;
  checkBlockOptions(options, owner, source);
  const tasks = listOf(children, owner, `on("${name}", [ … ])`, where);
  return {
    node: "group",
    kind: "on",
    name: `on ${name}`,
    children: tasks,
    options: optionsOf(options),
    host: name,
    source,
  };
}

/**
 * Runs tasks on a host that is not in the inventory, such as a virtual machine on this host, at this point in this
 * host's task list. furrow connects to that host before its first task. Throws FurrowError E_PLAYBOOK for unknown
 * options.
 */
export function nested(entry: NewHost, children: readonly Node[], options: NestedOptions = {}): Group {
  const source = callerPosition();
  const where = { ...(source !== undefined && { source }) };
  const name = typeof entry === "object" ? hostName(entry) : undefined;
  if (name === undefined) {
    const example = typeof entry === "string" ? entry : "vm1";
    const hint = `Write nested({ name: "${example}", address: "…" }, [ … ])`;
    reportLater(() => noHost("nested", entry, "a host with a name and an address", hint, where));
    return { node: "group", kind: "block", name: "", children: [], options: {}, source };
  }
  const owner = `nested "${name}"`;
  reportLater(() => refuseUnknown(entry, newHostKeys, `the host "${name}"`, where));
  reportLater(() => checkOptionsIn(nestedOptions, options, owner, where));
  const { there, ...rest } = optionsOf(options);
  return { ...on(name, listOf(children, owner, "nested(host, [ … ])", where), rest), entry, there, source };
}

/**
 * Runs tasks once, on the first of these hosts that lists them and has not failed. The other hosts wait until that host
 * has finished. The other hosts then receive the outputs of the tasks, or fail if that host failed. With `serial`, the
 * tasks still run only once for the whole play. Throws FurrowError E_PLAYBOOK for unknown options.
 */
export function once(
  hosts: readonly (string | { readonly name: string })[],
  children: readonly Node[],
  options: BlockOptions = {},
): Group {
  const source = callerPosition();
  const where = { ...(source !== undefined && { source }) };
  const names = reportLater(() => hostNames(hosts, where)) ?? [];
  const owner = `once "${names[0] ?? ""}"`;
  checkBlockOptions(options, owner, source);
  const own = optionsOf(options);
  return {
    node: "group",
    kind: "once",
    name: own.name ?? `once on ${names[0] ?? ""}`,
    children: listOf(children, owner, "once(hosts, [ … ])", where),
    options: own,
    hosts: names,
    calledFrom: callerPositions(),
    source,
  };
}

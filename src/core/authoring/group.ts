import type { z } from "zod";
import type { TaskCall } from "./call.ts";
import type { CommonOptions } from "./task-options.ts";
import { refuseUnknown } from "./known-keys.ts";
import { describeValue, type OptionTable, output, tasks } from "./option-values.ts";
import { FurrowError } from "../errors.ts";
import { callerPosition, callerPositions } from "./position.ts";
import { checkOptionsIn, commonOptions } from "./task-options.ts";
import { type NewHost, newHostKeys } from "../inventory/inventory.ts";
import type { Ref } from "./ref.ts";
import { unwatched } from "../guarded/watched-hosts.ts";
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

const blockOptions: OptionTable<BlockOptions> = { ...commonOptions, rescue: tasks, always: tasks };
const nestedOptions: OptionTable<NestedOptions> = { ...blockOptions, there: output };

/**
 * Throws FurrowError E_PLAYBOOK for options that groups do not have, and for wrong values. `owner` names the group:
 * `the block "web"`.
 */
export function checkBlockOptions(options: BlockOptions, owner: string, source: string | undefined): void {
  reportLater(() => checkOptionsIn(blockOptions, options, owner, { ...(source !== undefined && { source }) }));
}

/** The tasks of a group. A value that is not a list is reported, and treated as an empty list. */
function listOf(children: unknown, owner: string, source: string | undefined): readonly Node[] {
  if (Array.isArray(children)) return children as readonly Node[];
  reportLater(() => {
    throw new FurrowError("E_PLAYBOOK", {
      what: `the tasks of ${owner} are not a list`,
      ...(source !== undefined && { where: { source } }),
      current: describeValue(children),
      expected: "a list of tasks",
      hint: "Write the tasks in brackets: [ … ]",
    });
  });
  return [];
}

/**
 * Groups tasks, so that tags, `when` and `become` are written only once, and a `rescue` can handle the tasks' failures.
 * Throws FurrowError E_PLAYBOOK for unknown options.
 */
export function block(name: string, children: readonly Node[], options: BlockOptions = {}): Group {
  const source = callerPosition();
  const owner = `the block "${name}"`;
  checkBlockOptions(options, owner, source);
  return { node: "group", kind: "block", name, children: listOf(children, owner, source), options, source };
}

/**
 * Runs tasks on another inventory host, at this point in this host's task list. If the inventory has no host named
 * `localhost`, that name means the controller, where tasks run as the user who started furrow unless `become` is given
 * here. Throws FurrowError E_PLAYBOOK for
 * unknown options.
 */
export function on(
  host: string | { readonly name: string },
  children: readonly Node[],
  options: BlockOptions = {},
): Group {
  const name = typeof host === "string" ? host : host.name;
  const source = callerPosition();
  const owner = `on "${name}"`;
  checkBlockOptions(options, owner, source);
  const own = listOf(children, owner, source);
  return { node: "group", kind: "on", name: `on ${name}`, children: own, options, host: name, source };
}

/**
 * Runs tasks on a host that is not in the inventory, such as a virtual machine on this host, at this point in this
 * host's task list. furrow connects to that host before its first task. Throws FurrowError E_PLAYBOOK for unknown
 * options.
 */
export function nested(entry: NewHost, children: readonly Node[], options: NestedOptions = {}): Group {
  const source = callerPosition();
  const where = { ...(source !== undefined && { source }) };
  reportLater(() => refuseUnknown(entry, newHostKeys, `the host "${entry.name}"`, where));
  reportLater(() => checkOptionsIn(nestedOptions, options, `nested "${entry.name}"`, where));
  const { there, ...rest } = options;
  return { ...on(entry.name, children, rest), entry, there, source };
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
  const names = unwatched(hosts).map((host) => (typeof host === "string" ? host : host.name));
  const source = callerPosition();
  const owner = `once "${names[0] ?? ""}"`;
  checkBlockOptions(options, owner, source);
  return {
    node: "group",
    kind: "once",
    name: options.name ?? `once on ${names[0] ?? ""}`,
    children: listOf(children, owner, source),
    options,
    hosts: names,
    calledFrom: callerPositions(),
    source,
  };
}

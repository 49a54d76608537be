import type { z } from "zod";
import type { TaskCall } from "./call.ts";
import type { CommonOptions } from "./task-options.ts";
import { type KeysOf, refuseUnknown } from "./known-keys.ts";
import { callerPosition, callerPositions } from "./position.ts";
import { commonOptions } from "./task-options.ts";
import { type NewHost, newHostKeys } from "./inventory.ts";
import type { Ref } from "./ref.ts";
import { tolerate } from "./wrong-calls.ts";

/** What a playbook lists: tasks, groups, lists of them; false and undefined leave a gap. */
export type Node = TaskCall | Group | Composite | readonly Node[] | false | null | undefined;

/** Options of a group that reacts to failure. */
export interface BlockOptions extends CommonOptions {
  /** Runs when a task of the group failed or its host was lost; if it succeeds, the failure counts as mended. */
  readonly rescue?: readonly Node[];
  /** Runs in any case, last. */
  readonly always?: readonly Node[];
}

/** Options of tasks on a host that is no host of the inventory. */
export interface NestedOptions extends BlockOptions {
  /**
   * Whether the host is there, where an earlier task may only be about to make it. While this is not knowable yet, check
   * mode connects to nothing: nothing on the host is known, and its tasks are foreseen as far as that goes.
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
  /** `on`: the host whose tasks these are. */
  readonly host?: string;
  /** `once`: the hosts that may run them, the wished one first; the others wait for it. */
  readonly hosts?: readonly string[];
  /** `once`: the positions it was called from; the same for every host of a play. */
  readonly calledFrom?: string;
  /** `on` with a host that is no host of the inventory: how it is reached. */
  readonly entry?: NewHost;
  /** `nested`: whether the host is there yet. */
  readonly there?: Ref<boolean> | undefined;
  readonly source: string | undefined;
}

/** A task that is an ordered list of tasks, made when its params are known. */
export interface Composite {
  readonly node: "composite";
  readonly name: string;
  readonly input: unknown;
  readonly options: CommonOptions;
  readonly expand: (params: never) => readonly Node[];
  readonly card: CompositeCard;
  readonly source: string | undefined;
  /** True once all its tasks have run and one of them changed something. */
  readonly changed?: Ref<boolean>;
}

/** What the engine needs of a composite's card. */
export interface CompositeCard {
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodType;
  readonly examples: readonly unknown[];
  readonly title?: (params: never) => string;
}

const blockOptions: KeysOf<BlockOptions> = { ...commonOptions, rescue: true, always: true };
const nestedOptions: KeysOf<NestedOptions> = { ...blockOptions, there: true };

/** Throws FurrowError E_PLAYBOOK for options that no group has. `owner`: whose they are, `the block "web"`. */
export function checkBlockOptions(options: BlockOptions, owner: string, source: string | undefined): void {
  tolerate(() => refuseUnknown(options, blockOptions, owner, { ...(source !== undefined && { source }) }));
}

/**
 * Groups tasks, so that tags, `when` and `become` are said once and a failure among them can be mended. Throws FurrowError
 * E_PLAYBOOK for unknown options.
 */
export function block(name: string, children: readonly Node[], options: BlockOptions = {}): Group {
  const source = callerPosition();
  checkBlockOptions(options, `the block "${name}"`, source);
  return { node: "group", kind: "block", name, children, options, source };
}

/**
 * Runs tasks on another host of the inventory, at this place in the order of this host. Throws FurrowError E_PLAYBOOK for
 * unknown options.
 */
export function on(
  host: string | { readonly name: string },
  children: readonly Node[],
  options: BlockOptions = {},
): Group {
  const name = typeof host === "string" ? host : host.name;
  const source = callerPosition();
  checkBlockOptions(options, `on "${name}"`, source);
  return { node: "group", kind: "on", name: `on ${name}`, children, options, host: name, source };
}

/**
 * Runs tasks on a host that is no host of the inventory, such as a virtual machine of this one, at this place in the
 * order of this host. It is connected to when the first of its tasks is due. Throws FurrowError E_PLAYBOOK for unknown
 * options.
 */
export function nested(entry: NewHost, children: readonly Node[], options: NestedOptions = {}): Group {
  const source = callerPosition();
  const where = { ...(source !== undefined && { source }) };
  tolerate(() => refuseUnknown(entry, newHostKeys, `the host "${entry.name}"`, where));
  tolerate(() => refuseUnknown(options, nestedOptions, `nested "${entry.name}"`, where));
  const { there, ...rest } = options;
  return { ...on(entry.name, children, rest), entry, there, source };
}

/**
 * Runs tasks on the first of these hosts that lists them and has not failed; the others wait until it is through, see what
 * its tasks put out, and fail where it fails. With `serial`, once for the whole play. Throws FurrowError E_PLAYBOOK for
 * unknown options.
 */
export function once(
  hosts: readonly (string | { readonly name: string })[],
  children: readonly Node[],
  options: BlockOptions = {},
): Group {
  const names = hosts.map((host) => (typeof host === "string" ? host : host.name));
  const source = callerPosition();
  checkBlockOptions(options, `once "${names[0] ?? ""}"`, source);
  return {
    node: "group",
    kind: "once",
    name: options.name ?? `once on ${names[0] ?? ""}`,
    children,
    options,
    hosts: names,
    calledFrom: callerPositions(),
    source,
  };
}

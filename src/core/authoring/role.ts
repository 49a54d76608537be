import { neverText } from "../guarded/as-text.ts";
import { guardParams } from "../guarded/role-params.ts";
import type { z } from "zod";
import type { CommonOptions } from "./task-options.ts";
import { callerPosition } from "./position.ts";
import {
  type BlockOptions,
  checkBlockOptions,
  type Composite,
  type CompositeCard,
  type Group,
  type Node,
} from "./group.ts";
import { optionsOf } from "./group-parts.ts";
import { parseForwarded } from "../params/params.ts";
import type { OrRef } from "./ref.ts";
import { checkOptionsIn, commonOptions } from "./task-options.ts";
import { reportLater } from "../wrong-calls.ts";

/** The description of a role. */
export interface RoleCard<P extends z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly params: P;
}

/**
 * A role: call it with params to list its tasks. I: the accepted input. The type has a name so that the compiler can
 * declare the type of an exported role (`declaration` in tsconfig.json).
 */
export interface Role<I> {
  (params: I, options?: BlockOptions): Group;
  readonly card: RoleCard<z.ZodType>;
}

/** A composite: call it with params to list it as a task. I: the accepted input. */
export interface CompositeTask<I> {
  (params: I, options?: CommonOptions): Composite;
  readonly card: CompositeCard;
}

/**
 * Defines a role: a function that turns params into an ordered list of tasks. The role's params are checked when it is
 * called. The returned function throws FurrowError E_PARAMS, and E_PLAYBOOK for unknown options.
 */
export function role<P extends z.ZodType>(
  card: RoleCard<P>,
  tasks: (params: z.output<P>) => readonly Node[],
): Role<z.input<P>> {
  const asText = [`the role ${card.name}`, "Call it with params, and list the call"] as const;
  const call = (input: z.input<P>, options: BlockOptions = {}): Group => {
    const source = callerPosition();
    reportLater(() => checkBlockOptions(options, `the role ${card.name}`, source));
    const where = { task: `role ${card.name}`, ...(source && { source }) };
    const parsed = reportLater(() => ({ params: parseForwarded(card.params, input, where) }));
    const group: Group = {
      node: "group",
      kind: "role",
      name: typeof options?.name === "string" ? options.name : card.name,
      children:
        parsed === undefined
          ? []
          : tasks(guardParams(card.params, parsed.params as z.output<P>, `the role ${card.name}`)),
      options: optionsOf(options),
      source,
    };
    return neverText(group, ...asText);
  };
  return Object.assign(neverText(call, ...asText), { card });
}

/**
 * Defines a composite: a task that expands to an ordered list of tasks once its params are known. The returned function
 * throws FurrowError E_PLAYBOOK for unknown options.
 */
export function composite<P extends z.ZodType>(
  card: Omit<CompositeCard, "params" | "examples" | "title"> & {
    readonly params: P;
    readonly examples: readonly z.input<P>[];
    readonly title?: (params: z.output<P>) => string;
  },
  tasks: (params: z.output<P>) => readonly Node[],
): CompositeTask<OrRef<z.input<P>>> {
  const erased = card as unknown as CompositeCard;
  const asText = [`the task ${card.name}`, "Call it with params, and list the call"] as const;
  const call = (input: OrRef<z.input<P>>, options: CommonOptions = {}): Composite => {
    const source = callerPosition();
    const where = { task: card.name, ...(source !== undefined && { source }) };
    reportLater(() => checkOptionsIn(commonOptions, options, `the task ${card.name}`, where));
    const expand = (params: z.output<P>): readonly Node[] =>
      tasks(guardParams(card.params, params, `the task ${card.name}`));
    const made: Composite = { node: "composite", name: card.name, input, options, expand, card: erased, source };
    return neverText(made, ...asText);
  };
  return Object.assign(neverText(call, ...asText), { card: erased });
}

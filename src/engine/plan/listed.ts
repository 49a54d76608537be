import type { TaskCall } from "../../core/authoring/call.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { Ref } from "../../core/authoring/ref.ts";
import { isNamedTask, isRecord } from "../../core/facts/symbols.ts";
import { type Planned, type PlannedTask, titleOfCall } from "./plan.ts";
import type { RunRequest } from "./request.ts";

/** Every task call that a plan in this process has listed, even if tags, `when` or another play's hosts exclude it. */
const listed = new WeakSet<object>();

/** Records all calls in a complete plan, including rescues, before any selection. */
export function noteListed(plan: readonly Planned[]): void {
  for (const node of plan) {
    if (node.node === "task") listed.add(node.call);
    // The composite's tasks are not known yet, but they may include the calls given in its params.
    else if (node.node === "composite") for (const call of namedIn(node.composite.input)) listed.add(call);
    else for (const part of partsOf(node)) noteListed(part);
  }
}

/**
 * Refuses a task whose params name another task (`restartOn: [conf]`) or use its output, if no play lists that other
 * task, because it would never run. Only calls for which `isSure` returns true are checked. Throws FurrowError E_PLAYBOOK.
 */
export function refuseUnlisted(plan: readonly Planned[], isSure: (call: TaskCall) => boolean): void {
  for (const node of plan) {
    if (node.node === "composite") continue;
    if (node.node === "group") for (const part of partsOf(node)) refuseUnlisted(part, isSure);
    else
      for (const { call, isOutput } of [...namedIn(node.call.input).map(asNamed), ...usedBy(node)]) {
        if (!listed.has(call) && isSure(call)) throw notListed(node, call, isOutput);
      }
  }
}

/** Another task that a task's params mention: directly, or through its output. */
interface Mentioned {
  readonly call: TaskCall;
  readonly isOutput: boolean;
}

function asNamed(call: TaskCall): Mentioned {
  return { call, isOutput: false };
}

/** The tasks whose outputs a task's params contain. A task that may be skipped does not need these outputs. */
function usedBy({ call, when, parsed }: PlannedTask): Mentioned[] {
  if ("params" in parsed || !when.every((condition) => condition === true)) return [];
  return refsIn(call.input).flatMap(({ source }) => (isCall(source) ? [{ call: source, isOutput: true }] : []));
}

function refsIn(value: unknown): Ref<unknown>[] {
  if (value instanceof Ref) return [value];
  if (Array.isArray(value)) return value.flatMap(refsIn);
  const isPlain = isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
  return isPlain && !isNamedTask(value) ? Object.values(value).flatMap(refsIn) : [];
}

/**
 * Refuses named tasks that no play lists, once all plans are made. Refuses nothing if a call could still be listed
 * later: if a play's tasks are not known yet (`hosts` is undefined if an earlier task creates them), if a play has no
 * hosts, or if --limit excludes hosts. Throws FurrowError E_PLAYBOOK.
 */
export function refuseUnlistedAnywhere(
  { isLimited }: Pick<RunRequest, "isLimited">,
  plays: readonly { readonly play: Play<never>; readonly hosts: readonly unknown[] | undefined }[],
  plans: NonNullable<RunRequest["plans"]>,
): void {
  const isKnown = plays.every(({ play, hosts }) => (hosts?.length ?? 0) > 0 && plans.get(play)?.size === hosts?.length);
  if (isLimited === true || !isKnown) return;
  // A caller may have made a plan without planPlay.
  for (const ofHosts of plans.values()) for (const plan of ofHosts.values()) noteListed(plan);
  for (const [play, ofHosts] of plans) {
    for (const [host, plan] of ofHosts) {
      try {
        refuseUnlisted(plan, () => true);
      } catch (error) {
        throw isFurrowError(error) ? error.at({ host, ...(play.name !== undefined && { play: play.name }) }) : error;
      }
    }
  }
}

function partsOf(group: Exclude<Planned, { node: "task" | "composite" }>): readonly (readonly Planned[])[] {
  return [group.children, group.rescue ?? [], group.always ?? []];
}

/** The task calls that are params themselves or items in a list param. */
function namedIn(input: unknown): TaskCall[] {
  if (!isRecord(input)) return [];
  return Object.values(input).flatMap((value) => {
    if (Array.isArray(value)) return value.filter(isCall);
    return isCall(value) ? [value] : [];
  });
}

function isCall(value: unknown): value is TaskCall {
  return typeof value === "object" && value !== null && isNamedTask(value);
}

function notListed(planned: PlannedTask, named: TaskCall, isOutput: boolean): FurrowError {
  const source = planned.source ?? planned.call.source;
  const [title, other] = [titleOfCall(planned.call), titleOfCall(named)];
  return new FurrowError("E_PLAYBOOK", {
    what: `${title} ${isOutput ? "uses the output of" : "names"} ${other}, which no play lists`,
    where: { task: title, ...(source !== undefined && { source }) },
    current: "a task that would never run",
    ...(named.source !== undefined && { expected: `the task from ${named.source}, listed in a play` }),
    hint: `List ${other} before ${title}, or remove ${isOutput ? "its output" : "it"} from the params of ${title}`,
  });
}

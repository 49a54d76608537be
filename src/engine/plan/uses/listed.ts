import type { TaskCall } from "../../../core/authoring/call.ts";
import { FurrowError, isFurrowError, type Where } from "../../../core/errors.ts";
import type { Play } from "../../../core/authoring/playbook.ts";
import { Ref } from "../../../core/authoring/ref.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import { everyNode } from "../once-calls.ts";
import { type Planned, titleOfCall } from "../plan.ts";
import type { RunRequest } from "../request.ts";
import { isCall, refsIn } from "./output-names.ts";

/**
 * Every task call that a plan in this process has listed, with the plays that list it, even if tags, `when` or another
 * play's hosts exclude it.
 */
const listed = new WeakMap<object, Set<Play<never>>>();

/** Records all calls in a play's complete plan, including rescues, before any selection. */
export function noteListed(plan: readonly Planned[], play: Play<never>): void {
  for (const node of everyNode(plan)) {
    for (const call of listedAt(node)) listed.set(call, (listed.get(call) ?? new Set()).add(play));
  }
}

/** The calls that a node lists. A composite's tasks may not be known yet, but may include the calls in its params. */
function listedAt(node: Planned): readonly TaskCall[] {
  if (node.node === "task") return [node.call];
  return node.node === "composite" ? namedIn(node.composite.input) : [];
}

/**
 * Refuses a task that uses another task if no play lists the other task, which would then never run. A task uses
 * another task if its params name it (`restartOn: [conf]`) or use its output, or if its `when` uses its output or
 * outcome. Only calls for which `isSure` returns true are checked. Throws FurrowError E_PLAYBOOK.
 */
export function refuseUnlisted(plan: readonly Planned[], isSure: (call: TaskCall) => boolean): void {
  for (const use of usesIn(plan)) {
    if (!listed.has(use.call) && isSure(use.call)) throw wrongUse(use, "no play lists");
  }
}

/**
 * The places in this plan that use a task before the plan lists that task. An earlier play could still list some of
 * these tasks.
 */
const lateUses = new WeakMap<readonly Planned[], readonly Use[]>();

/**
 * Refuses a task that uses the output or outcome of a task that its plan lists later, if `isSure` returns true for that
 * task. {@link refuseUnlistedAnywhere} refuses the other such uses in `selected`, the part of the plan that runs.
 * Throws FurrowError E_PLAYBOOK.
 */
export function refuseLater(
  plan: readonly Planned[],
  isSure: (call: TaskCall) => boolean,
  selected: readonly Planned[],
): void {
  const late = usedTooEarly(plan);
  const sure = late.find(({ call }) => isSure(call));
  if (sure !== undefined) throw wrongUse(sure, "is listed later");
  lateUses.set(selected, late);
}

/** The places in the plan that use the output or outcome of a task before the plan lists that task. */
function usedTooEarly(plan: readonly Planned[]): Use[] {
  const late: Use[] = [];
  const early = new Set<object>();
  const waiting: Use[] = [];
  for (const node of everyNode(plan)) {
    waiting.push(...usesAt(node).filter(({ how, call }) => how !== "names" && !early.has(call)));
    for (const call of listedAt(node)) early.add(call);
  }
  for (const use of waiting) if (early.has(use.call)) late.push(use);
  return late;
}

/** A place where a task, a group or a composite mentions another task. */
interface Use {
  readonly user: Planned;
  readonly call: TaskCall;
  /** `when`: in the condition of the task, or in that of a group that contains the task. */
  readonly how: "names" | "output" | "when";
  /** False if only the outcome of the other task matters. */
  readonly needsOutput: boolean;
}

function usesIn(plan: readonly Planned[]): Use[] {
  return [...everyNode(plan)].flatMap(usesAt);
}

/** The tasks that one node uses. A task that is certainly skipped needs no other task. */
function usesAt(user: Planned): Use[] {
  const named = user.node === "task" ? namedIn(user.call.input) : [];
  const names = named.map((call): Use => ({ user, call, how: "names", needsOutput: false }));
  if (user.when.includes(false)) return names;
  const conditions = user.there === undefined ? user.when : [...user.when, user.there];
  return [
    ...names,
    ...conditions.flatMap((condition) => (condition instanceof Ref ? usesOf(condition, user, "when") : [])),
    ...refsIn(inputOf(user)).flatMap((ref) => usesOf(ref, user, "output")),
  ];
}

function usesOf({ source, needsOutput }: Ref<unknown>, user: Planned, how: "output" | "when"): Use[] {
  return isCall(source) ? [{ user, call: source, how, needsOutput }] : [];
}

/** The params of a node that still contain Refs; undefined if they are known. */
function inputOf(node: Planned): unknown {
  if (node.node === "composite") return node.composite.input;
  return node.node === "task" && !("params" in node.parsed) ? node.call.input : undefined;
}

/**
 * Once all plans are made, refuses each task that uses another task if no play lists the other task, or if it is listed
 * only later. Refuses nothing if a call could still be listed elsewhere: if a play's tasks are not known yet (`hosts`
 * is undefined if an earlier task creates them), if a play has no hosts, or if --limit excludes hosts. Throws
 * FurrowError E_PLAYBOOK.
 */
export function refuseUnlistedAnywhere(
  { isLimited }: Pick<RunRequest, "isLimited">,
  plays: readonly { readonly play: Play<never>; readonly hosts: readonly unknown[] | undefined }[],
  plans: NonNullable<RunRequest["plans"]>,
): void {
  const isKnown = plays.every(({ play, hosts }) => (hosts?.length ?? 0) > 0 && plans.get(play)?.size === hosts?.length);
  if (isLimited === true || !isKnown) return;
  // A caller may have made a plan without planPlay.
  for (const [play, ofHosts] of plans) for (const plan of ofHosts.values()) noteListed(plan, play);
  const order = plays.map(({ play }) => play);
  for (const [play, ofHosts] of plans) {
    for (const [host, plan] of ofHosts) {
      try {
        refuseUnlisted(plan, () => true);
        refuseTooEarly(plan, order, play);
      } catch (error) {
        throw isFurrowError(error) ? error.at({ host, ...(play.name !== undefined && { play: play.name }) }) : error;
      }
    }
  }
}

/** Refuses a use of a task that runs only later, in this plan or in a later play. */
function refuseTooEarly(plan: readonly Planned[], order: readonly Play<never>[], play: Play<never>): void {
  const own = order.indexOf(play);
  const first = (call: TaskCall): number => order.findIndex((one) => listed.get(call)?.has(one) === true);
  for (const use of lateUses.get(plan) ?? usedTooEarly(plan)) {
    if (first(use.call) === own) throw wrongUse(use, "is listed later");
  }
  for (const use of usesIn(plan)) {
    if (use.how !== "names" && first(use.call) > own) throw wrongUse(use, "only a later play lists");
  }
}

/** The task calls that are params themselves or items in a list param. */
function namedIn(input: unknown): TaskCall[] {
  if (!isRecord(input)) return [];
  return Object.values(input).flatMap((value) => {
    if (Array.isArray(value)) return value.filter(isCall);
    return isCall(value) ? [value] : [];
  });
}

function wrongUse(
  { user, call, how, needsOutput }: Use,
  fault: "no play lists" | "is listed later" | "only a later play lists",
): FurrowError {
  const { title, where } = userOf(user);
  const other = titleOfCall(call);
  const isListed = fault !== "no play lists";
  const used = `uses the ${needsOutput ? "output" : "outcome"} of ${other}`;
  const said =
    how === "names"
      ? `${title} names ${other}`
      : how === "when"
        ? `the \`when\` of ${title} ${used}`
        : `${title} ${used}`;
  const rest =
    how === "when"
      ? `it from the \`when\` of ${title}`
      : `${how === "output" ? "its output" : "it"} from the params of ${title}`;
  return new FurrowError("E_PLAYBOOK", {
    what: `${said}, which ${fault}`,
    where,
    current: isListed ? "a task that has not run at that point" : "a task that would never run",
    ...(call.source !== undefined && {
      expected: `the task from ${call.source}, listed ${isListed ? `before ${title}` : "in a play"}`,
    }),
    hint: `List ${other} before ${title}${isListed ? "" : `, or remove ${rest}`}`,
  });
}

/** The title and the position of a node, for errors. */
function userOf(user: Planned): { readonly title: string; readonly where: Where } {
  const title =
    user.node === "task"
      ? titleOfCall(user.call)
      : user.node === "composite"
        ? user.composite.name
        : ["block", "role"].includes(user.kind)
          ? `the ${user.kind} "${user.name}"`
          : user.name;
  const own =
    user.node === "task" ? user.call.source : user.node === "composite" ? user.composite.source : user.written;
  const source = user.source ?? own;
  return { title, where: { task: title, ...(source !== undefined && { source }) } };
}

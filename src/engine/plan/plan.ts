import type { TaskCall } from "../../core/authoring/call.ts";
import type { CommonOptions } from "../../core/authoring/task-options.ts";
import { guardUnknown } from "../../core/facts/compare.ts";
import { FurrowError, type Where } from "../../core/errors.ts";
import type { TaskLabel } from "../../core/events.ts";
import type { Composite, Group, Node } from "../../core/authoring/group.ts";
import { type Parsed, parseParams } from "../../core/params/params.ts";
import { type OutputLookup, Ref, resolveRefs } from "../../core/authoring/ref.ts";
import { printMarkers } from "../../core/secrets/secret.ts";
import { isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { reportLater } from "../../core/wrong-calls.ts";

/** The options that a task or group inherits from the groups that contain it. */
export interface Inherited {
  /** The host that the task or group acts on. */
  readonly target: string;
  readonly path: readonly string[];
  readonly tags: readonly string[];
  readonly when: readonly (boolean | Ref<boolean>)[];
  readonly become: string | undefined;
  /** Whether the host that the task or group acts on already exists; undefined for a host that always exists. */
  readonly there?: Ref<boolean> | undefined;
  /**
   * The position, in the user's file, of the composite that contains the task or group. A composite's own tasks have
   * positions in furrow's files.
   */
  readonly source?: string | undefined;
}

/** A task at its position in a host's plan. */
export interface PlannedTask extends Inherited {
  readonly node: "task";
  readonly id: string;
  readonly call: TaskCall;
  /** The task's params, if they are known without any outputs. */
  readonly parsed: Parsed;
}

/** A group at its position in a host's plan. */
export interface PlannedGroup extends Inherited {
  readonly node: "group";
  readonly id: string;
  readonly kind: Group["kind"] | "composite";
  readonly name: string;
  readonly children: readonly Planned[];
  readonly rescue: readonly Planned[] | undefined;
  readonly always: readonly Planned[] | undefined;
  /** `once`: the hosts that may run the group, in order of preference. */
  readonly hosts: readonly string[];
  /** `once`: the positions of the call, and the name given to it. */
  readonly calledFrom: string | undefined;
  readonly given: string | undefined;
  /** The group's position in the playbook. */
  readonly written: string | undefined;
}

/** A composite whose params depend on outputs; its tasks are planned when its turn comes. */
export interface PlannedComposite extends Inherited {
  readonly node: "composite";
  readonly id: string;
  readonly composite: Composite;
}

/** One node of a host's plan. */
export type Planned = PlannedTask | PlannedGroup | PlannedComposite;

const nothingYet: OutputLookup = () => undefined;

/** Plans the nodes that a play lists, in the order they run. Throws FurrowError E_PARAMS and E_PLAYBOOK. */
export function planNodes(nodes: readonly Node[], inherited: Inherited, prefix: string): Planned[] {
  return flatten(nodes).flatMap(
    (node, index) =>
      reportLater(() => planNode(node, inherited, prefix === "" ? `${index}` : `${prefix}.${index}`)) ?? [],
  );
}

function flatten(nodes: readonly Node[]): (TaskCall | Group | Composite)[] {
  return nodes.flatMap((node, index) => {
    if (node === false || node === null || node === undefined) return [];
    if (isList(node)) return flatten(node);
    if (typeof node === "object" && "node" in node) return [node];
    return refuseNode(node, nodes.slice(0, index));
  });
}

function refuseNode(node: unknown, before: readonly Node[]): never[] {
  reportLater(() => {
    const source = node instanceof Ref ? sourceOf(node.source) : undefined;
    const previous = before.map(sourceOf).findLast((place) => place !== undefined);
    throw new FurrowError("E_PLAYBOOK", {
      what: "a play lists something that is not a task",
      expected: "tasks, roles, blocks, or lists of them",
      ...describedNode(node),
      ...(source !== undefined && { where: { source } }),
      ...(previous !== undefined && { details: [`in the list after ${previous}`] }),
    });
  });
  return [];
}

/** The position at which a task or a group was written; undefined for any other value. */
function sourceOf(node: unknown): string | undefined {
  return isRecord(node) && typeof node["source"] === "string" ? node["source"] : undefined;
}

/** A value as JSON; only its type if it contains itself. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return "an object that contains itself";
  }
}

function describedNode(node: unknown): { readonly current: string; readonly hint: string } {
  if (node instanceof Ref) {
    return {
      current: "a task's output",
      hint: "List the task itself, and use its output in the params of a later task",
    };
  }
  if (node instanceof Promise) return { current: "a promise", hint: "Remove `async` where the tasks are made" };
  if (typeof node === "function" && !("card" in node)) {
    return { current: "a function", hint: "List the tasks that it returns: call it" };
  }
  return {
    current: typeof node === "function" ? "a task module without a call" : shown(node),
    hint: 'Call the task with its params: file({ path: "/etc/motd", content: "" })',
  };
}

/**
 * Checks the params of calls that are not in any list yet, in the same way as planning does. Throws FurrowError
 * E_PARAMS.
 */
export function checkCalls(calls: Iterable<TaskCall>): void {
  for (const call of calls) {
    reportLater(() => parseParams(call.module.card.params, call.input, nothingYet, whereOf(call)));
  }
}

function isList(node: Node): node is readonly Node[] {
  return Array.isArray(node);
}

/** The task or group that options belong to, for errors about these options. */
interface Owner {
  readonly owner: string;
  readonly where: Where;
}

function inherit(inherited: Inherited, options: CommonOptions, { owner, where }: Owner, name?: string): Inherited {
  // A JavaScript playbook may pass any value here.
  const become: unknown = options.become;
  if (become !== undefined && (typeof become !== "string" || /^$|^-|[\s:\0]/.test(become))) {
    throw new FurrowError("E_PLAYBOOK", {
      what: `${owner} sets become: ${JSON.stringify(become)}, which is not a user name`,
      where,
      expected: "the name of a user on the host",
      hint: become === true ? 'Write become: "root"; only a play accepts true' : "Correct `become`",
    });
  }
  return {
    target: inherited.target,
    path: name === undefined ? inherited.path : [...inherited.path, name],
    tags: [...inherited.tags, ...(options.tags ?? [])],
    when: options.when === undefined ? inherited.when : [...inherited.when, options.when],
    become: options.become ?? inherited.become,
    source: inherited.source,
    there: inherited.there,
  };
}

/** The position of a group, or of the composite that contains it. */
function placeOf(own: string | undefined, { source = own }: Inherited): Where {
  return source === undefined ? {} : { source };
}

function planNode(node: TaskCall | Group | Composite, inherited: Inherited, id: string): Planned[] {
  switch (node.node) {
    case "task":
      return [planTask(node, inherited, id)];
    case "group":
      return [planGroup(node, inherited, id)];
    case "composite": {
      const owner = { owner: `the role "${node.name}"`, where: placeOf(node.source, inherited) };
      const options = inherit(inherited, node.options, owner, node.name);
      const own = { ...options, node: "composite" as const, id, composite: node };
      const expanded = expandComposite(own, nothingYet);
      return [expanded ?? own];
    }
  }
}

function planTask(call: TaskCall, inherited: Inherited, id: string): PlannedTask {
  const where = whereOf(call, inherited.source);
  const parsed = parseParams(call.module.card.params, call.input, nothingYet, where);
  return {
    ...inherit(inherited, call.options, { owner: `the task ${where.task}`, where }),
    node: "task",
    id,
    call,
    parsed,
  };
}

function planGroup(group: Group, inherited: Inherited, id: string): PlannedGroup {
  const shown = group.kind === "once" ? undefined : group.name;
  const owner = ["block", "role"].includes(group.kind) ? `the ${group.kind} "${group.name}"` : `"${group.name}"`;
  const own = inherit(inherited, group.options, { owner, where: placeOf(group.source, inherited) }, shown);
  const inner =
    group.kind === "on" && group.host !== undefined ? { ...own, target: group.host, there: group.there } : own;
  const { rescue, always } = group.options;
  return {
    ...own,
    node: "group",
    id,
    kind: group.kind,
    name: group.name,
    hosts: group.hosts ?? [],
    calledFrom: group.calledFrom,
    given: group.options.name,
    written: group.source,
    children: planNodes(group.children, inner, id),
    rescue: rescue && planNodes(rescue, inner, `${id}.rescue`),
    always: always && planNodes(always, inner, `${id}.always`),
  };
}

/** The tasks of a composite once its params are known; undefined until then. Throws FurrowError E_PARAMS. */
export function expandComposite(planned: PlannedComposite, lookup: OutputLookup): PlannedGroup | undefined {
  const { composite, id } = planned;
  const where = { task: composite.card.name, ...(composite.source !== undefined && { source: composite.source }) };
  const parsed = parseParams(composite.card.params, composite.input, lookup, where);
  if (!("params" in parsed)) return undefined;
  const inherited = { ...planned, source: planned.source ?? composite.source };
  const children = planNodes(composite.expand(parsed.params as never), inherited, id);
  const { composite: _composite, ...own } = planned;
  const rest = {
    rescue: undefined,
    always: undefined,
    hosts: [],
    calledFrom: undefined,
    given: undefined,
    written: composite.source,
  };
  return { ...own, ...rest, node: "group", kind: "composite", name: composite.name, children };
}

/** The position of a call, for errors. */
export function whereOf(call: TaskCall, outer?: string): { task: string; source?: string } {
  const source = outer ?? call.source;
  return { task: call.module.card.name, ...(source !== undefined && { source }) };
}

/** The label of a planned task in reports about `host`. */
export function labelOf(planned: PlannedTask, host: string): TaskLabel {
  const { call, path, id, target } = planned;
  const source = planned.source ?? call.source;
  return {
    id,
    module: call.module.card.name,
    ...(call.module.card.service !== undefined && { service: call.module.card.service }),
    title: shownTitle(planned),
    path: path.filter((name) => name !== call.module.card.name),
    ...(source !== undefined && { source }),
    ...(target !== host && { on: target }),
  };
}

/** A task's title in messages, even if no plan contains the task. Throws FurrowError E_PARAMS. */
export function titleOfCall(call: TaskCall): string {
  return shownTitle({ call, parsed: parseParams(call.module.card.params, call.input, nothingYet, whereOf(call)) });
}

function shownTitle(task: Pick<PlannedTask, "call" | "parsed">): string {
  return printMarkers(task.call.options.name ?? titleOf(task));
}

function titleOf({ call, parsed }: Pick<PlannedTask, "call" | "parsed">): string {
  const { card } = call.module;
  if (!("params" in parsed)) return openTitle(call);
  return card.title ? card.title(parsed.params) : firstParam(card.name, parsed.params);
}

/** The title of a task whose params are partly outputs, if the title uses only the other params: `file /etc/motd`. */
function openTitle({ module: { card }, input }: PlannedTask["call"]): string {
  try {
    const params = guardUnknown(resolveRefs(input, () => knownAfterApply, knownAfterApply).value);
    const title: unknown = card.title ? card.title(params) : firstParam(card.name, params);
    // Defaults are not filled in yet.
    return typeof title === "string" && !/undefined|\[object/.test(title) ? title : card.name;
  } catch {
    return card.name;
  }
}

function firstParam(name: string, params: unknown): string {
  const [first] = Object.values(params as Record<string, unknown>);
  return typeof first === "string" || typeof first === "number" ? `${name} ${first}` : name;
}

/** All tasks in a plan, in the order they run if nothing fails. */
export function mainTasks(plan: readonly Planned[]): PlannedTask[] {
  return plan.flatMap((node) => {
    if (node.node === "task") return [node];
    return node.node === "group" ? [...mainTasks(node.children), ...mainTasks(node.always ?? [])] : [];
  });
}

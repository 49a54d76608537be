import type { TaskCall } from "../../core/authoring/call.ts";
import type { CommonOptions } from "../../core/authoring/task-options.ts";
import { guardUnknown } from "../../core/facts/compare.ts";
import { FurrowError } from "../../core/errors.ts";
import type { TaskLabel } from "../../core/events.ts";
import type { Composite, Group, Node } from "../../core/authoring/group.ts";
import { type Parsed, parseParams } from "../../core/params/params.ts";
import { type OutputLookup, type Ref, resolveRefs } from "../../core/authoring/ref.ts";
import { printMarkers } from "../../core/secrets/secret.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import { tolerate } from "../../core/wrong-calls.ts";

/** What a task or group inherits from the groups that contain it. */
export interface Setting {
  /** The host that the task or group acts on. */
  readonly target: string;
  readonly path: readonly string[];
  readonly tags: readonly string[];
  readonly when: readonly (boolean | Ref<boolean>)[];
  readonly become: string | undefined;
  /** Whether that host already exists; undefined if it always does. */
  readonly there?: Ref<boolean> | undefined;
  /**
   * The position, in the user's file, of the composite that contains the task or group. A composite's own tasks have
   * positions in furrow's files.
   */
  readonly source?: string | undefined;
}

/** A task at its position in a host's plan. */
export interface PlannedTask extends Setting {
  readonly node: "task";
  readonly id: string;
  readonly call: TaskCall;
  /** Its params, if they are known without any outputs. */
  readonly parsed: Parsed;
}

/** A group at its position in a host's plan. */
export interface PlannedGroup extends Setting {
  readonly node: "group";
  readonly id: string;
  readonly kind: Group["kind"] | "composite";
  readonly name: string;
  readonly children: readonly Planned[];
  readonly rescue: readonly Planned[] | undefined;
  readonly always: readonly Planned[] | undefined;
  /** `once`: the hosts that may run the group, in order of preference. */
  readonly hosts: readonly string[];
  /** `once`: the positions it was called from, and its given name. */
  readonly calledFrom: string | undefined;
  readonly given: string | undefined;
  /** Its position in the playbook. */
  readonly written: string | undefined;
}

/** A composite whose params depend on outputs; its tasks are planned when its turn comes. */
export interface PlannedComposite extends Setting {
  readonly node: "composite";
  readonly id: string;
  readonly composite: Composite;
}

/** One node of a host's plan. */
export type Planned = PlannedTask | PlannedGroup | PlannedComposite;

const nothingYet: OutputLookup = () => undefined;

/** Plans the nodes that a play lists, in the order in which they run. Throws FurrowError E_PARAMS and E_PLAYBOOK. */
export function planNodes(nodes: readonly Node[], setting: Setting, prefix: string): Planned[] {
  return flatten(nodes).flatMap(
    (node, index) => tolerate(() => planNode(node, setting, prefix === "" ? `${index}` : `${prefix}.${index}`)) ?? [],
  );
}

function flatten(nodes: readonly Node[]): (TaskCall | Group | Composite)[] {
  return nodes.flatMap((node) => {
    if (node === false || node === null || node === undefined) return [];
    if (isList(node)) return flatten(node);
    if (typeof node === "object" && "node" in node) return [node];
    return refuseNode(node);
  });
}

function refuseNode(node: unknown): never[] {
  tolerate(() => {
    throw new FurrowError("E_PLAYBOOK", {
      what: "a play lists something that is not a task",
      current: typeof node === "function" ? "a task module without a call" : JSON.stringify(node),
      expected: "tasks, roles, blocks, or lists of them",
      hint: 'Call the task with its params: file({ path: "/etc/motd", content: "" })',
    });
  });
  return [];
}

/** Checks the params of calls that no list contains yet, as a plan does. Throws FurrowError E_PARAMS. */
export function checkCalls(calls: Iterable<TaskCall>): void {
  for (const call of calls) {
    tolerate(() => parseParams(call.module.card.params, call.input, nothingYet, whereOf(call)));
  }
}

function isList(node: Node): node is readonly Node[] {
  return Array.isArray(node);
}

function inherit(setting: Setting, options: CommonOptions, name?: string): Setting {
  // A JavaScript playbook may pass any value here.
  const become: unknown = options.become;
  if (become !== undefined && (typeof become !== "string" || /^$|^-|[\s:\0]/.test(become))) {
    throw new FurrowError("E_PLAYBOOK", {
      what: `a task or block becomes ${JSON.stringify(become)}, which is not a user name`,
      expected: "the name of a user on the host",
      hint: become === true ? 'Write become: "root"; only a play takes true' : "Correct `become`",
    });
  }
  return {
    target: setting.target,
    path: name === undefined ? setting.path : [...setting.path, name],
    tags: [...setting.tags, ...(options.tags ?? [])],
    when: options.when === undefined ? setting.when : [...setting.when, options.when],
    become: options.become ?? setting.become,
    source: setting.source,
    there: setting.there,
  };
}

function planNode(node: TaskCall | Group | Composite, setting: Setting, id: string): Planned[] {
  switch (node.node) {
    case "task":
      return [planTask(node, setting, id)];
    case "group":
      return [planGroup(node, setting, id)];
    case "composite": {
      const own = { ...inherit(setting, node.options, node.name), node: "composite" as const, id, composite: node };
      const expanded = expandComposite(own, nothingYet);
      return [expanded ?? own];
    }
  }
}

function planTask(call: TaskCall, setting: Setting, id: string): PlannedTask {
  const parsed = parseParams(call.module.card.params, call.input, nothingYet, whereOf(call, setting.source));
  return { ...inherit(setting, call.options), node: "task", id, call, parsed };
}

function planGroup(group: Group, setting: Setting, id: string): PlannedGroup {
  const shown = group.kind === "once" ? undefined : group.name;
  const own = inherit(setting, group.options, shown);
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
  const setting = { ...planned, source: planned.source ?? composite.source };
  const children = planNodes(composite.expand(parsed.params as never), setting, id);
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

/** All tasks of a plan in the order in which they run if nothing fails. */
export function mainTasks(plan: readonly Planned[]): PlannedTask[] {
  return plan.flatMap((node) => {
    if (node.node === "task") return [node];
    return node.node === "group" ? [...mainTasks(node.children), ...mainTasks(node.always ?? [])] : [];
  });
}

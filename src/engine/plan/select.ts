import type { TaskLabel } from "../../core/events.ts";
import type { Planned, PlannedComposite, PlannedTask } from "./plan.ts";

/** The options that determine which tasks in a plan run. */
export interface Selection {
  readonly tags: readonly string[];
  readonly skipTags: readonly string[];
}

/** True if --tags and --skip-tags let a task with these tags run, exactly as in Ansible. */
export function selectedByTags(tags: readonly string[], { tags: wanted, skipTags }: Selection): boolean {
  const own = tags.length === 0 ? ["untagged"] : tags;
  return isWanted(own, wanted) && !isSkipped(own, skipTags);
}

function isWanted(tags: readonly string[], wanted: readonly string[]): boolean {
  if (tags.includes("always") || tags.some((tag) => wanted.includes(tag))) return true;
  if (tags.includes("never")) return false;
  return wanted.length === 0 || wanted.includes("all") || (wanted.includes("tagged") && isTagged(tags));
}

function isSkipped(tags: readonly string[], skipTags: readonly string[]): boolean {
  if (skipTags.includes("all")) return !tags.includes("always") || skipTags.includes("always");
  return tags.some((tag) => skipTags.includes(tag)) || (skipTags.includes("tagged") && isTagged(tags));
}

function isTagged(tags: readonly string[]): boolean {
  return tags.some((tag) => tag !== "untagged");
}

/**
 * The plan without the tasks that --tags and --skip-tags exclude, and without groups that become empty. If all tasks of
 * a rescue are excluded, the group has no rescue, so failures are not caught.
 */
export function selectTasks(plan: readonly Planned[], selection: Selection): Planned[] {
  const keep: Keep = (node) => selectedByTags(node.tags, selection);
  const left = (part: readonly Planned[]): Planned[] => filterPlan(part, keep, left);
  return left(plan);
}

/** The tags of all tasks in a plan, except those of a composite's tasks that are known only later. */
export function tagsIn(plan: readonly Planned[]): readonly string[] {
  return plan.flatMap((node): readonly string[] =>
    node.node === "group" ? [node.children, node.rescue ?? [], node.always ?? []].flatMap(tagsIn) : node.tags,
  );
}

/**
 * The part of the plan that begins with the first task whose title or name is `title` (`*` matches anything); undefined
 * if no task matches. A composite whose tasks are not known yet is found only by its own name.
 */
export function startAt(
  plan: readonly Planned[],
  title: string,
  titlesOf: (task: PlannedTask) => readonly string[],
): Planned[] | undefined {
  const expression = titlePattern(title);
  let reached = false;
  const namesOf = (node: PlannedTask | PlannedComposite): readonly string[] =>
    node.node === "task" ? titlesOf(node) : [node.composite.name];
  // A rescue is kept whole even if it comes before the starting task, because it handles failures of tasks that run.
  const rest = filterPlan(
    plan,
    (node) => (reached ||= namesOf(node).some((name) => expression.test(name))),
    (rescue) => rescue,
  );
  return reached ? rest : undefined;
}

/** The pattern for `--start-at`, where `*` stands for any text. */
export function titlePattern(title: string): RegExp {
  return new RegExp(`^${title.split("*").map(escape).join(".*")}$`);
}

/** The names by which `--start-at` finds a task: its title alone, and its title with its groups, as in reports. */
export function titlesOf({ path, title, on }: TaskLabel): readonly string[] {
  const groups = path.filter((name) => on === undefined || name !== `on ${on}`);
  const whole = [...groups, title].join(" › ");
  return [title, whole, ...(on === undefined ? [] : [`${whole} on ${on}`])];
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

type Keep = (node: PlannedTask | PlannedComposite) => boolean;

type Left = (rescue: readonly Planned[]) => readonly Planned[];

/** `left` returns the part of a rescue that is kept. */
function filterPlan(plan: readonly Planned[], keep: Keep, left: Left): Planned[] {
  return plan.flatMap((node): Planned[] => {
    if (node.node !== "group") return keep(node) ? [node] : [];
    const children = filterPlan(node.children, keep, left);
    const always = node.always && filterPlan(node.always, keep, left);
    if (children.length === 0 && (always ?? []).length === 0) return [];
    const rescue = node.rescue && left(node.rescue);
    const catches = rescue?.length !== 0 || node.rescue?.length === 0;
    return [{ ...node, children, always, rescue: catches ? rescue : undefined }];
  });
}

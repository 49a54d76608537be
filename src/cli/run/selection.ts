import { FurrowError } from "../../core/errors.ts";
import { closest } from "../../core/closest.ts";
import { labelOf, type PlannedTask } from "../../engine/plan/plan.ts";
import type { RunRequest } from "../../engine/plan/request.ts";
import { allTasks, planAll, type PlayPlan } from "./plans.ts";

/**
 * Refuses tags or a --start-at that match no task, if that can be known without connecting: a run without tasks would
 * look like a success. Throws FurrowError E_USAGE.
 */
export function checkSelection(request: RunRequest, plays: readonly PlayPlan[]): void {
  const { selection, startAt } = request;
  const { tags = [], skipTags = [] } = selection ?? {};
  if (tags.length + skipTags.length === 0 && startAt === undefined) return;
  const { tasks, complete } = tasksOf(plays);
  if (!complete) return;
  if (tasks.length === 0 && tags.length + skipTags.length > 0) throw nothingSelected(request, tags, skipTags);
  if (startAt === undefined) return;
  const titles = [...new Set(tasks.map((task) => labelOf(task, task.target).title))];
  const expression = new RegExp(`^${startAt.split("*").map(literally).join(".*")}$`);
  if (titles.some((title) => expression.test(title))) return;
  const near = closest(startAt, titles);
  throw new FurrowError("E_USAGE", {
    what: `no task is named "${startAt}", so --start-at has nowhere to start`,
    ...(titles.length <= 12 && { expected: `one of ${titles.map((title) => `"${title}"`).join(", ")}` }),
    hint: near === undefined ? "Run furrow list to see all names; * matches anything" : `Write --start-at "${near}"`,
  });
}

function nothingSelected(request: RunRequest, tags: readonly string[], skipTags: readonly string[]): FurrowError {
  const all = tasksOf(planAll({ ...request, selection: { tags: [], skipTags: [] } })).tasks;
  const known = [...new Set(all.flatMap((task) => task.tags))];
  const near = tags.map((tag) => closest(tag, known)).find((tag) => tag !== undefined && !tags.includes(tag));
  return new FurrowError("E_USAGE", {
    what:
      tags.length > 0 ? `--tags ${tags.join(",")} selects no task` : `--skip-tags ${skipTags.join(",")} leaves no task`,
    expected: known.length === 0 ? "no tags: the playbook's tasks have none" : `one of ${known.join(", ")}`,
    hint: near === undefined ? "Run furrow list to see the tags of all tasks" : `Write --tags ${near}`,
  });
}

/** Returns the tasks of all plays. `complete` is false if some tasks are known only after connecting. */
function tasksOf(plays: readonly PlayPlan[]): { tasks: PlannedTask[]; complete: boolean } {
  const plans = plays.flatMap(({ hosts }) => hosts ?? []);
  const tasks = plans.flatMap(({ plan }) => (plan === "facts-needed" ? [] : allTasks(plan)));
  const open = plans.some(({ plan }) => plan === "facts-needed" || plan.some(({ node }) => node === "composite"));
  return { tasks, complete: !open && plays.every(({ hosts }) => hosts !== undefined) };
}

function literally(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

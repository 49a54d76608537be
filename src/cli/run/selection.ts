import { FurrowError } from "../../core/errors.ts";
import type { TaskLabel } from "../../core/events.ts";
import { closest } from "../../core/closest.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { labelOf, type PlannedTask } from "../../engine/plan/plan.ts";
import type { RunRequest } from "../../engine/plan/request.ts";
import { titlePattern, titlesOf } from "../../engine/plan/select.ts";
import { allTasks, type HostPlan, planAll, type PlayPlan } from "./plans.ts";

/**
 * Refuses tags or a --start-at that match no task, if that can be determined without connecting, because a run without
 * tasks would look like a success. Throws FurrowError E_USAGE.
 */
export function checkSelection(request: RunRequest, plays: readonly PlayPlan[]): void {
  const { selection, startAt } = request;
  const { tags = [], skipTags = [] } = selection ?? {};
  if (tags.length + skipTags.length === 0 && startAt === undefined) return;
  const { tasks, complete } = tasksOf(plays);
  if (!complete) return;
  refuseUnknownTags(request, plays);
  if (tasks.length === 0 && tags.length + skipTags.length > 0) {
    throw nothingSelected(request, knownTags(request));
  }
  if (startAt === undefined) return;
  const titles = [...new Set(tasks.map((task) => labelOf(task, task.target).title))];
  const expression = titlePattern(startAt);
  const labels = plays.flatMap(({ hosts }) => hosts ?? []).flatMap(labelsOf);
  if (labels.flatMap(titlesOf).some((title) => expression.test(title))) return;
  const near = closest(startAt, titles);
  throw new FurrowError("E_USAGE", {
    what: `no task is named "${startAt}", so --start-at has nowhere to start`,
    ...(titles.length <= 12 && { expected: `one of ${titles.map((title) => `"${title}"`).join(", ")}` }),
    hint: near === undefined ? "Run furrow list to see all names; * matches anything" : `Write --start-at "${near}"`,
  });
}

function nothingSelected(request: RunRequest, known: ReadonlySet<string>): FurrowError {
  const { tags = [], skipTags = [] } = request.selection ?? {};
  return new FurrowError("E_USAGE", {
    what:
      tags.length > 0 ? `--tags ${tags.join(",")} selects no task` : `--skip-tags ${skipTags.join(",")} leaves no task`,
    ...tagsHelp(unknownTags(request, known), known),
  });
}

/** Lists the known tags, and names the nearest one for each wrong tag. */
function tagsHelp(wrong: readonly WrongTag[], known: ReadonlySet<string>): { expected: string; hint: string } {
  const names = [...known];
  const nearest = wrong.flatMap(([flag, tag]) => {
    const near = closest(tag, names);
    return near === undefined ? [] : [`${flag} ${near}${wrong.length > 1 ? ` instead of ${tag}` : ""}`];
  });
  return {
    expected: names.length === 0 ? "no tags: the playbook's tasks have none" : `one of ${names.join(", ")}`,
    hint: nearest.length === 0 ? "Run furrow list to see the tags of all tasks" : `Write ${listed(nearest, ", and ")}`,
  };
}

function listed(parts: readonly string[], and: string): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")}${and}${parts.at(-1)}`;
}

/** Tags with a special meaning, as in Ansible. */
const special = new Set(["all", "tagged", "untagged", "always", "never"]);

/** A flag, and a tag that is given with it. */
type WrongTag = readonly [flag: string, tag: string];

/** The words of --tags and --skip-tags that are not among the known tags, with their flags. */
function unknownTags({ selection }: RunRequest, known: ReadonlySet<string>): readonly WrongTag[] {
  const { tags = [], skipTags = [] } = selection ?? {};
  const given = [
    ...tags.map((tag) => ["--tags", tag] as const),
    ...skipTags.map((tag) => ["--skip-tags", tag] as const),
  ];
  return given.filter(([, tag]) => !special.has(tag) && !known.has(tag));
}

/** Refuses unknown tags, unless hosts are left out: a tag may then belong to the tasks of these hosts. */
function refuseUnknownTags(request: RunRequest, plays: readonly PlayPlan[]): void {
  if (request.isLimited === true || plays.some(({ hosts }) => hosts?.length === 0)) return;
  const known = knownTags(request);
  const wrong = unknownTags(request, known);
  const { tags = [] } = request.selection ?? {};
  // If no tag is known, the error for a selection without tasks reports that.
  if (wrong.length === 0 || (tags.length > 0 && !tags.some((tag) => special.has(tag) || known.has(tag)))) return;
  const places = [...Map.groupBy(wrong, ([flag]) => flag)].map(([flag, own]) => {
    const quoted = own.map(([, tag]) => `"${tag}"`);
    return `${listed(quoted, " and ")} in ${flag}`;
  });
  throw new FurrowError("E_USAGE", {
    what: `${listed(places, ", and ")} ${wrong.length > 1 ? "match" : "matches"} no task`,
    ...tagsHelp(wrong, known),
  });
}

function knownTags(request: RunRequest): ReadonlySet<string> {
  const all = tasksOf(planAll({ ...request, selection: { tags: [], skipTags: [] } })).tasks;
  return new Set([...all.flatMap((task) => task.tags), ...request.playbook.plays.flatMap(({ tags }) => tags ?? [])]);
}

/** The tags of all tasks that were planned during a run. */
export class SeenTags {
  readonly #tags = new Set<string>();
  readonly #planned = new Map<Play<never>, Set<string>>();
  #isAnySelected = false;

  /** Records the tags of a play's tasks on one host, and whether --tags and --skip-tags select any of the tasks. */
  add(tags: readonly string[], play: Play<never>, host: string, isAnySelected: boolean): void {
    this.#isAnySelected ||= isAnySelected;
    for (const tag of tags) this.#tags.add(tag);
    this.#planned.set(play, (this.#planned.get(play) ?? new Set()).add(host));
  }

  /**
   * The notice, at the end of a run, about tags that no planned task had. Undefined if each tag was seen, or if the
   * tasks of some host are unknown, because one of them may have the tag.
   */
  notice(request: RunRequest, plays: readonly PlayPlan[]): string | undefined {
    if (!this.#isComplete(plays)) return undefined;
    const known = this.#known(request);
    const wrong = unknownTags(request, known);
    if (wrong.length === 0) return undefined;
    const words = wrong.map(([flag, tag]) => `${flag} ${tag}`).join(", ");
    const have = known.size === 0 ? "the tasks have no tags" : `the tags are ${[...known].join(", ")}`;
    return `no task on these hosts has the tag: ${words}; ${have}`;
  }

  /**
   * Refuses, at the end of a run, a selection that matches no task in any play, because the run would look like a
   * success. Throws FurrowError E_USAGE.
   */
  requireSelected(request: RunRequest, plays: readonly PlayPlan[]): void {
    const { tags = [], skipTags = [] } = request.selection ?? {};
    if (tags.length + skipTags.length === 0 || this.#isAnySelected || !this.#isComplete(plays)) return;
    throw nothingSelected(request, this.#known(request));
  }

  #isComplete(plays: readonly PlayPlan[]): boolean {
    return plays.every(
      ({ play, hosts }) => hosts?.every(({ host }) => this.#planned.get(play)?.has(host)) ?? this.#planned.has(play),
    );
  }

  #known(request: RunRequest): ReadonlySet<string> {
    return new Set([...request.playbook.plays.flatMap(({ tags = [] }) => tags), ...this.#tags]);
  }
}

/** Returns the tasks of all plays. `complete` is false if some tasks are known only after connecting. */
function tasksOf(plays: readonly PlayPlan[]): { tasks: PlannedTask[]; complete: boolean } {
  const plans = plays.flatMap(({ hosts }) => hosts ?? []);
  const tasks = plans.flatMap(({ plan }) => (plan === "facts-needed" ? [] : allTasks(plan)));
  const open = plans.some(({ plan }) => plan === "facts-needed" || plan.some(({ node }) => node === "composite"));
  return { tasks, complete: !open && plays.every(({ hosts }) => hosts !== undefined) };
}

function labelsOf({ host, plan }: HostPlan): TaskLabel[] {
  return plan === "facts-needed" ? [] : allTasks(plan).map((task) => labelOf(task, host));
}

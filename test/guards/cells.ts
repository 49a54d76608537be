import { clusterLists, type ListName } from "../../roles/cluster-answers/answers.ts";
import { badLists, badSingles, type BadAnswer, failures } from "./bad-answers.ts";
import { badObjects, badStatistics } from "./bad-objects.ts";
import type { Guard } from "./guard.ts";
import { guards } from "./registry.ts";

/** One cell of the table: a guard, the path that gets a bad answer, and that answer. */
export interface Cell {
  readonly guard: Guard;
  readonly path: string;
  readonly what: string;
  readonly bad: BadAnswer;
}

/** The lists for which a report, status or verdict already gets all bad answers. */
const reported = new Set<ListName>();

/**
 * The bad answers to a request for a list. All reports and verdicts read lists through `lookAtEach`, and no other task
 * depends on their result, so only the first of them that reads this list gets all bad answers; the others get a few. A
 * guard always gets all bad answers.
 */
function badAnswersTo(list: ListName, { says }: Guard): readonly BadAnswer[] {
  const all = [...failures, ...badLists, ...badObjects(list)];
  if (says !== "report" && says !== "status" && says !== "verdict") return all;
  const isFirst = !reported.has(list);
  reported.add(list);
  return isFirst ? all : [failures, badLists, badObjects(list)].flatMap((kind) => kind.slice(0, 2));
}

/** Every guard with every bad answer that it may get. */
export const cells: readonly Cell[] = guards.flatMap((guard) => [
  ...guard.lists.flatMap((list) => {
    const { path, what } = clusterLists[list];
    return badAnswersTo(list, guard).map((bad) => ({ guard, path, what, bad }));
  }),
  ...(guard.object === undefined
    ? []
    : [...failures, ...badSingles].map((bad) => ({
        guard,
        path: guard.object ?? "",
        what: guard.object?.split("/").at(-1) ?? "",
        bad,
      }))),
  ...(guard.statistics === undefined
    ? []
    : [...failures, ...badStatistics].map((bad) => ({
        guard,
        path: guard.statistics?.path ?? "",
        what: `the free space of ${guard.statistics?.node}`,
        bad,
      }))),
]);

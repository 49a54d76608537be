import { type Fact, type Facts, type HostFact, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { isKind } from "../../core/facts/kind.ts";
import { accountOf } from "./become-account.ts";
import type { PlannedTask } from "./plan.ts";

/**
 * The directories above the files that a task names, if the task acts as a user other than the session's user. The
 * session's user, root, reads the directories' modes, which decide what the task's user may do. The modes are read
 * along with the task's own facts.
 */
export function parentDirectoriesOf(task: PlannedTask, user: string | undefined, facts: Facts): HostFact<unknown>[] {
  if (task.become === "root" || accountOf(task, user) === undefined || !isKind("file")) return [];
  const paths = listFacts(facts).flatMap(({ fact }) =>
    isFile(fact) || isTree(fact) ? directoriesAbove(fact.key) : [],
  );
  return [...new Set(paths)].map(fileAt);
}

/** The directories above an absolute path, `/` first. */
export function directoriesAbove(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return path === "/" ? [] : ["/", ...parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`)];
}

/** The question about the mode and owner of a path. */
export function fileAt(key: string): HostFact<unknown> {
  return { kind: "file", key, facets: [] };
}

/** True if the fact is about a directory on the host and everything below it. */
export function isTree(fact: Fact): fact is HostFact<unknown> {
  return !isControllerFact(fact) && fact.kind === "tree";
}

/** True if the fact is about a file on the host. */
export function isFile(fact: Fact): fact is HostFact<unknown> {
  return !isControllerFact(fact) && fact.kind === "file" && fact.key.startsWith("/");
}

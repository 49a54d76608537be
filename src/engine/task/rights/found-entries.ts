import type { Bound } from "../../../core/authoring/evaluate.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import type { Step } from "../../../core/host/step.ts";
import { isFile, isTree } from "../../plan/parent-directories.ts";
import type { Entry } from "./file-permission.ts";

/**
 * The value of a path in the facts of a task: from the fact about the file, otherwise from a tree that contains it;
 * undefined if the facts do not include it.
 */
export function foundAt(facts: readonly Bound[], path: string): unknown {
  const own = facts.find(({ fact }) => isFile(fact) && fact.key === path);
  if (own) return own.now;
  for (const { fact, now } of facts) {
    if (!isTree(fact) || (path !== fact.key && !path.startsWith(`${fact.key}/`))) continue;
    if (now === absent) return absent;
    const entries = isRecord(now) ? now["entries"] : undefined;
    if (!isRecord(entries)) return undefined;
    const below = path === fact.key ? "." : path.slice(fact.key.length + 1);
    return (Object.hasOwn(entries, below) ? entries[below] : undefined) ?? absent;
  }
  return undefined;
}

/** The directory after a step that sets the attributes of an existing directory; undefined for other steps. */
export function directoryAfter(step: Step, there: Entry | undefined): Entry | undefined {
  if (step.step !== "setAttributes" || there?.type !== "directory") return undefined;
  const { mode = there.mode, owner = there.owner, group = there.group } = step;
  return { type: there.type, mode, owner, group };
}

import { walkStages, collect } from "../../../core/authoring/evaluate.ts";
import { type Fact, isControllerFact, listFacts } from "../../../core/facts/fact.ts";
import { Refusal } from "../../../core/authoring/refusal.ts";
import { absent, isRecord, knownAfterApply } from "../../../core/facts/symbols.ts";
import type { TreeTask } from "../controller-trees.ts";

/** An imagined state: the entries of the source, by path below it, and the names in the host's tree. */
interface Imagined {
  readonly entries: Readonly<Record<string, object>>;
  readonly names?: readonly string[];
}

/** The state that a task wants for its tree. */
interface TreeWant {
  readonly entries: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Undefined if any other names are allowed. */
  readonly names: readonly unknown[] | undefined;
}

/**
 * The state that a task that copies a tree would want for the tree, given an imagined state; undefined if only a real
 * host can tell.
 */
export function treeWant({ task }: TreeTask, { entries, names }: Imagined): TreeWant | undefined {
  const { parsed, call } = task;
  if (!("params" in parsed)) return undefined;
  const value = (fact: Fact): unknown => {
    if (isControllerFact(fact)) return { path: "", entries };
    if (fact.kind === "tree") return names === undefined ? absent : { entries: {}, names };
    // The owner may be a user that exists only on the host.
    return ["removal", "file"].includes(fact.kind) ? absent : knownAfterApply;
  };
  try {
    const { facts, values } = walkStages(call.module, parsed.params, (asked) => collect(asked, value));
    const want = call.module.want(parsed.params as never, values as never);
    if (want instanceof Refusal) return undefined;
    const tree = listFacts(facts).find(({ fact }) => !isControllerFact(fact) && fact.kind === "tree");
    const wanted: unknown = tree && want[tree.name];
    if (!isRecord(wanted)) return undefined;
    const own: unknown = wanted["names"];
    const wantedEntries: unknown = wanted["entries"];
    return {
      entries: isRecord(wantedEntries) ? (wantedEntries as TreeWant["entries"]) : {},
      names: Array.isArray(own) ? (own as unknown[]) : undefined,
    };
  } catch {
    // The task needs a value that only a real host has; the run checks it.
    return undefined;
  }
}

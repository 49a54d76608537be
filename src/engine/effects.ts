import type { Bound } from "../core/evaluate.ts";
import { type FactPattern, isControllerFact } from "../core/fact.ts";
import type { Implied } from "../core/implied.ts";
import { isKind, type Kind, kindOf } from "../core/kind.ts";
import { type Step, touchedPaths } from "../core/step.ts";
import { absent } from "../core/symbols.ts";
import { isRan } from "./ahead.ts";
import type { PlannedTask } from "./plan.ts";

/** What a task's steps leave to be read again, beside its own facts. */
export interface Effects {
  /** What it says it touches, everything where it does not say; the paths of its steps; what shows the change. */
  readonly disturbed: readonly FactPattern[];
  /** What it may bring about where that is missing. */
  readonly provided: readonly FactPattern[];
  /** What goes, or comes, with the change as its kinds have it. */
  readonly touched: readonly FactPattern[];
  /** What shows the change, as its kinds have it. */
  readonly renewed: readonly FactPattern[];
  /** What follows from the change, as its kinds have it. */
  readonly implied: readonly Implied[];
}

/** The effects of a task on the facts of a host; `facts` with what it wants of them. */
export function effectsOf(
  planned: PlannedTask,
  params: unknown,
  steps: readonly Step[],
  facts: readonly Bound[],
): Effects {
  const { card } = planned.call.module;
  const opaque = steps.some((step) => touchedPaths(step) === undefined);
  const declared = card.disturbs?.(params) ?? (opaque ? ["everything"] : []);
  const paths = steps.flatMap((step) => touchedPaths(step) ?? []).map((path) => `file:${path}`);
  const provided = card.mayProvide?.(params) ?? [];
  const changed = facts.filter(({ fact, match }) => !isControllerFact(fact) && !isRan(fact) && match !== "same");
  const renewed = changed.flatMap(renews);
  const implied = changed.flatMap(implies);
  const near = [...declared, ...paths, ...changed.map(({ id }) => id)].flatMap((id) => shows(id, "mayShowIn"));
  const shown = (id: FactPattern): readonly FactPattern[] => shows(id, "shownIn");
  return {
    disturbed: [...declared, ...paths, ...provided.flatMap(shown), ...renewed, ...implied.map(({ of }) => of), ...near],
    provided,
    touched: [...changed.flatMap(touches), ...[...declared, ...paths].flatMap(shown)],
    renewed,
    implied,
  };
}

/** All that must be read again once the steps have run: the task's own facts, too. */
export function forgotten({ disturbed, provided, touched }: Effects, facts: readonly Bound[]): readonly FactPattern[] {
  return [...disturbed, ...provided, ...facts.map(({ id }) => id), ...touched];
}

/** Ids of what shows the things that a pattern names: somebody who says that he writes a file need not know of trees. */
function shows(pattern: FactPattern, how: "shownIn" | "mayShowIn"): readonly FactPattern[] {
  const [name = "", ...key] = pattern.split(":");
  const kind: Kind | undefined = key.length === 0 || !isKind(name) ? undefined : kindOf(name);
  return kind?.[how]?.(key.join(":")) ?? [];
}

function touches(bound: Bound): readonly FactPattern[] {
  if (isControllerFact(bound.fact)) return [];
  return kindOf(bound.fact.kind).touches?.(bound.fact.key, bound.now, after(bound)) ?? [];
}

function renews(bound: Bound): readonly FactPattern[] {
  if (isControllerFact(bound.fact)) return [];
  return kindOf(bound.fact.kind).renews?.(bound.fact.key, bound.now, after(bound)) ?? [];
}

function implies(bound: Bound): readonly Implied[] {
  if (isControllerFact(bound.fact)) return [];
  return kindOf(bound.fact.kind).implies?.(bound.fact.key, bound.now, after(bound)) ?? [];
}

/** What a fact is to become, as its kind foresees it. */
function after({ fact, now, wanted }: Bound): unknown {
  const predict = isControllerFact(fact) ? undefined : kindOf(fact.kind).predict;
  return wanted === absent || predict === undefined ? wanted : predict(now, wanted, { user: "root" });
}

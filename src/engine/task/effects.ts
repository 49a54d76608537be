import type { Bound } from "../../core/authoring/evaluate.ts";
import { exactly, factId, type FactPattern, isControllerFact, type Question } from "../../core/facts/fact.ts";
import type { Implied } from "../../core/facts/implied.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { shows } from "../../core/facts/shows.ts";
import { type Step, touchedPaths } from "../../core/host/step.ts";
import { absent } from "../../core/facts/symbols.ts";
import { isRan } from "../../core/facts/ran.ts";
import type { PathNames } from "../paths/path-names.ts";
import { resolutionsThrough } from "../paths/path-resolution-patterns.ts";
import type { PlannedTask } from "../plan/plan.ts";

/** The facts that must be read again after a task's steps, by reason. */
export interface Effects {
  /**
   * The patterns that the task declares (everything if it declares none and a step is opaque), the paths of its steps,
   * and the facts that show these changes.
   */
  readonly disturbed: readonly FactPattern[];
  /** Facts that the task may provide if they are missing. */
  readonly provided: readonly FactPattern[];
  /** Facts that appear or disappear with the change, according to their kinds. */
  readonly touched: readonly FactPattern[];
  /** Facts that the change brings up to date, according to their kinds. */
  readonly renewed: readonly FactPattern[];
  /** The effects of the change on other facts, according to their kinds. */
  readonly implied: readonly Implied[];
  /** Exact patterns of the task's own facts, under every name of the things that they describe. */
  readonly own: readonly FactPattern[];
}

/**
 * The effects of a task on a host's facts. `facts` contains the task's wants; `names` are the host's names before the
 * steps.
 */
export function effectsOf(
  planned: PlannedTask,
  params: unknown,
  steps: readonly Step[],
  facts: readonly Bound[],
  names: PathNames,
): Effects {
  const { card } = planned.call.module;
  const opaque = steps.some((step) => touchedPaths(step) === undefined);
  const declared = names.patterns(card.disturbs?.(params) ?? (opaque ? ["everything"] : []));
  const paths = names.patterns(
    steps.flatMap((step) => touchedPaths(step) ?? []).map((path) => `file:${exactly(path)}`),
  );
  const provided = names.patterns(card.mayProvide?.(params) ?? []);
  const changed = facts.flatMap((bound) => changesOf(bound, names));
  const own = [...new Set([...changed.map(({ fact }) => factId(fact)), ...facts.map(({ id }) => id)])].map(exactly);
  const touched = changed.flatMap(({ fact, from, to }) => kindOf(fact.kind).touches?.(fact.key, from, to) ?? []);
  const renewed = changed.flatMap(({ fact, from, to }) => kindOf(fact.kind).renews?.(fact.key, from, to) ?? []);
  const implied = changed.flatMap(({ fact, from, to }) => kindOf(fact.kind).implies?.(fact.key, from, to) ?? []);
  const near = [...declared, ...paths, ...own].flatMap((id) => shows(id, "mayShowIn"));
  const shown = (id: FactPattern): readonly FactPattern[] => shows(id, "shownIn");
  const resolutions = resolutionsThrough([
    ...declared,
    ...touched,
    ...provided,
    ...linkPaths(steps),
    ...changed.flatMap(reroutes),
  ]);
  const direct = [
    ...declared,
    ...paths,
    ...provided.flatMap(shown),
    ...renewed,
    ...implied.map(({ of }) => of),
    ...near,
  ];
  const hardLinks = hardLinksAndTrees([...direct, ...own, ...touched], names);
  return {
    disturbed: [...direct, ...resolutions, ...hardLinks],
    provided,
    touched: [...touched, ...[...declared, ...paths].flatMap(shown)],
    renewed,
    implied,
    own,
  };
}

/** A change to one thing, under one of its names. */
interface Change {
  readonly fact: Question;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * The changes that a task makes to a thing, once for each name of the thing: the name that the task uses, the real
 * name, and the names through bind mounts.
 */
function changesOf(bound: Bound, names: PathNames): Change[] {
  const { fact, match, now } = bound;
  if (isControllerFact(fact) || isRan(fact) || match === "same") return [];
  const to = after(bound);
  const real = names.fact(fact);
  const keys = new Set([...names.aliases(real.key), fact.key]);
  return [...keys].map((key) => ({ fact: { ...fact, key }, from: now, to }));
}

/** The id of a thing if the change redirects paths, for example by giving a link another target. */
function reroutes({ fact, from, to }: Change): readonly FactPattern[] {
  const { linkTarget, reroutes: elsewhere = (a, b) => linkTarget?.(a) !== linkTarget?.(b) } = kindOf(fact.kind);
  return elsewhere(from, to) ? [exactly(factId(fact))] : [];
}

/** Patterns of the paths that steps create or remove, if these paths may be links. */
function linkPaths(steps: readonly Step[]): readonly FactPattern[] {
  return steps.flatMap((step) =>
    step.step === "link" || step.step === "remove" ? [`file:${exactly(step.path)}`] : [],
  );
}

/** The other names (hard links) of touched files, and the trees that may contain one of them. */
function hardLinksAndTrees(patterns: readonly FactPattern[], names: PathNames): readonly FactPattern[] {
  const hardLinks = names.hardLinksOf(patterns).map(exactly);
  return hardLinks.length === 0 && !(names.hasHardLinks && patterns.some((one) => one.startsWith("tree:")))
    ? []
    : [...hardLinks, "tree:**"];
}

/** Patterns of everything that must be read again after the steps, including the task's own facts. */
export function toReadAgain({ disturbed, provided, touched, own }: Effects): readonly FactPattern[] {
  return [...disturbed, ...provided, ...own, ...touched];
}

/** The predicted value of a fact after the task, according to its kind. */
function after({ fact, now, wanted }: Bound): unknown {
  const predict = isControllerFact(fact) ? undefined : kindOf(fact.kind).predict;
  return wanted === absent || predict === undefined ? wanted : predict(now, wanted, { user: "root" });
}

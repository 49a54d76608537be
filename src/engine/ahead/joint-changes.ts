import { factId, type Facts, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { isAdvice } from "../../core/facts/kind.ts";
import type { JointWork, Step } from "../../core/host/step.ts";
import { isRan } from "../../core/facts/ran.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import type { UnguardedValue } from "./sent-frame.ts";

/** One change in the list of a {@link JointChanges}. */
interface Member {
  readonly change: ForeseenChange;
  /** The number of tasks that were forecast before this change. */
  place: number;
  /** True if the first change in the series also does the work of this change. */
  readonly joins: boolean;
}

/**
 * Finds forecast changes that one command can make, e.g. several packages in one installation. The changes must be
 * adjacent, and each must have a single step with the same `joint.key`. Nothing that a user would notice may happen
 * between them, and the later changes must be certain to run.
 */
export class JointChanges {
  readonly #members: Member[] = [];
  /**
   * Facts of tasks between the members of the most recent series. A change to one of these facts cannot join the
   * series, because the fact must not change before those tasks see it.
   */
  #passed = new Set<string>();

  /**
   * True if the change can be made together with the previous change. `foreseen`: the number of tasks forecast so far.
   */
  joins(change: ForeseenChange, foreseen: number): boolean {
    const before = this.#members.at(-1);
    const work = workOf(change);
    if (before === undefined || work === undefined || before.place !== foreseen) return false;
    const isFree = change.decision.facts.every(({ id, match }) => match === "same" || !this.#passed.has(id));
    return (
      workOf(before.change)?.key === work.key && isFree && isPlain(change) && sameUserAndTimeout(change, before.change)
    );
  }

  /** The number of the first change in the most recent series: the series that the next change may join. */
  get first(): number {
    return this.#firstOf(this.#members.length - 1);
  }

  #firstOf(number: number): number {
    return this.#members.findLastIndex(({ joins }, at) => at <= number && !joins);
  }

  /** Adds a change to the list. */
  add(change: ForeseenChange, place: number, joins: boolean): void {
    if (!joins) this.#passed = new Set();
    this.#members.push({ change, place, joins });
  }

  /**
   * Records a task that changes nothing. The changes before and after that task still count as adjacent if the task
   * reads only facts of the kinds that may be read between the two changes.
   */
  pass(facts: Facts): void {
    const last = this.#members.at(-1);
    const work = last && workOf(last.change);
    if (last === undefined || work === undefined) return;
    const kinds = new Set([...kindsOf(last.change.facts), ...(work.across ?? [])]);
    if (![...kindsOf(facts)].every((kind) => kinds.has(kind))) return;
    last.place += 1;
    for (const { fact } of listFacts(facts)) if (!isControllerFact(fact)) this.#passed.add(factId(fact));
  }

  /** The changes that are made together with this one. Empty if this change itself joins another change. */
  after(number: number): readonly ForeseenChange[] {
    if (this.#members[number]?.joins !== false) return [];
    const rest = this.#members.slice(number + 1);
    const end = rest.findIndex(({ joins }) => !joins);
    return (end < 0 ? rest : rest.slice(0, end)).map(({ change }) => change);
  }

  /**
   * The values that decisions to change were based on, but that no guard checks. For a change that joins a series, a
   * value counts as unguarded as soon as the first change in the series has run, because the host then no longer has
   * the value.
   */
  unguardedValues(): UnguardedValue[] {
    return this.#members.flatMap(({ change, joins }, until) => {
      return change.decision.facts.flatMap(({ fact, now: value }): UnguardedValue[] =>
        !isRan(fact) && !isControllerFact(fact) && until > 0 && (joins || isAdvice(fact))
          ? [{ fact, value, from: isAdvice(fact) ? 0 : this.#firstOf(until) + 1, until }]
          : [],
      );
    });
  }
}

/** Returns the steps; the command also gets the `joint` words of the changes that it includes. */
export function withJointWork(steps: readonly Step[], others: readonly ForeseenChange[]): readonly Step[] {
  const words = others.flatMap((other) => workOf(other)?.words ?? []);
  if (words.length === 0) return steps;
  return steps.map((step) => (step.step === "run" ? { ...step, argv: [...step.argv, ...words] } : step));
}

function kindsOf(facts: Facts): Set<string> {
  return new Set(listFacts(facts).map(({ fact }) => (isControllerFact(fact) ? fact.driver : fact.kind)));
}

function workOf({ steps }: ForeseenChange): JointWork | undefined {
  const [only, second] = steps;
  return second === undefined && only?.step === "run" ? only.joint : undefined;
}

/** True if only the task's own facts decide whether it runs, and it has no `until`. */
function isPlain({ task }: ForeseenChange): boolean {
  return task.when.every((condition) => condition === true) && task.call.options.until === undefined;
}

/** True if both tasks run as the same user with the same timeout. */
function sameUserAndTimeout({ task: a }: ForeseenChange, { task: b }: ForeseenChange): boolean {
  return a.become === b.become && a.call.options.timeoutSeconds === b.call.options.timeoutSeconds;
}

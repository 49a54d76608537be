import { factId, type Facts, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { isAdvice } from "../../core/facts/kind.ts";
import type { JointWork, Step } from "../../core/host/step.ts";
import { isRan } from "../../core/facts/ran.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import type { UnguardedValue } from "./sent-frame.ts";

/** A forecast change among the others. */
interface Member {
  readonly change: ForeseenChange;
  /** How many tasks were forecast before this change. */
  place: number;
  /** True if this change's work is done by the first change of its series. */
  readonly joins: boolean;
}

/**
 * Finds forecast changes that can be made by one command, e.g. several packages in one installation. They must be
 * neighbours, and each must have a single step with the same `joint.key`. Nothing a user would notice may happen
 * between them, and it must be certain that the later ones run.
 */
export class Joint {
  readonly #members: Member[] = [];
  /**
   * Facts that tasks between the members of the last series looked at. A change to one of these cannot join: the fact
   * must not change before those tasks see it.
   */
  #passed = new Set<string>();

  /**
   * True if the change can be made together with the one before it. `foreseen`: how many tasks were forecast so far.
   */
  joins(change: ForeseenChange, foreseen: number): boolean {
    const before = this.#members.at(-1);
    const work = workOf(change);
    if (before === undefined || work === undefined || before.place !== foreseen) return false;
    const isFree = change.decision.facts.every(({ id, match }) => match === "same" || !this.#passed.has(id));
    return workOf(before.change)?.key === work.key && isFree && isPlain(change) && sameWay(change, before.change);
  }

  /** The number of the change that does the work of all changes that join it now. */
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
   * Notes a task that changes nothing. The changes before and after it still count as neighbours if it is about the
   * same kinds of things.
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

  /** The changes that are made together with this one. Empty if this change itself joins another. */
  after(number: number): readonly ForeseenChange[] {
    if (this.#members[number]?.joins !== false) return [];
    const rest = this.#members.slice(number + 1);
    const end = rest.findIndex(({ joins }) => !joins);
    return (end < 0 ? rest : rest.slice(0, end)).map(({ change }) => change);
  }

  /**
   * The values that changes were decided on and that no guard checks. For a change that joins a series, a value counts
   * from the moment at which the first change of the series has run: from then on the host no longer has it.
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

/** The steps, extended with the words of changes whose work they do too. */
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

/** True if only the task's own facts decide whether it runs, and no `until` decides when it has succeeded. */
function isPlain({ task }: ForeseenChange): boolean {
  return task.when.every((condition) => condition === true) && task.call.options.until === undefined;
}

/** True if both tasks run as the same user with the same timeout. */
function sameWay({ task: a }: ForeseenChange, { task: b }: ForeseenChange): boolean {
  return a.become === b.become && a.call.options.timeoutSeconds === b.call.options.timeoutSeconds;
}

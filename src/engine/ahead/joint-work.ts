import { factId, type Facts, isControllerFact, listFacts } from "../../core/fact.ts";
import { isAdvice } from "../../core/kind.ts";
import type { JointWork, Step } from "../../core/step.ts";
import { isRan } from "../../core/ran.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import type { Kept } from "./sent-frame.ts";

/** One foreseen change among the others. */
interface Member {
  readonly change: ForeseenChange;
  /** How many tasks were foreseen when this one was. */
  place: number;
  /** It is done by the first change of its run, which comes before it. */
  readonly joins: boolean;
}

/**
 * Which foreseen changes can be made in one go: neighbours whose one step says the same of its joint work. Nothing that
 * a user would see as between them may stand there, and what decides whether a later one runs must be settled.
 */
export class Joint {
  readonly #members: Member[] = [];
  /** What tasks between the members of the last run have looked at: nobody may have changed it before they do. */
  #passed = new Set<string>();

  /** True where the change can be made with the one before it; `foreseen`: how many tasks were foreseen so far. */
  joins(change: ForeseenChange, foreseen: number): boolean {
    const before = this.#members.at(-1);
    const work = workOf(change);
    if (before === undefined || work === undefined || before.place !== foreseen) return false;
    const isFree = change.decision.facts.every(({ id, match }) => match === "same" || !this.#passed.has(id));
    return workOf(before.change)?.key === work.key && isFree && isPlain(change) && sameWay(change, before.change);
  }

  /** The number of the change that does the work of all that join it now. */
  get first(): number {
    return this.#firstOf(this.#members.length - 1);
  }

  #firstOf(number: number): number {
    return this.#members.findLastIndex(({ joins }, at) => at <= number && !joins);
  }

  /** Takes a change in. */
  add(change: ForeseenChange, place: number, joins: boolean): void {
    if (!joins) this.#passed = new Set();
    this.#members.push({ change, place, joins });
  }

  /** A task that changes nothing stands between two: where it is about the same kinds of things, they stay neighbours. */
  pass(facts: Facts): void {
    const last = this.#members.at(-1);
    const work = last && workOf(last.change);
    if (last === undefined || work === undefined) return;
    const kinds = new Set([...kindsOf(last.change.facts), ...(work.across ?? [])]);
    if (![...kindsOf(facts)].every((kind) => kinds.has(kind))) return;
    last.place += 1;
    for (const { fact } of listFacts(facts)) if (!isControllerFact(fact)) this.#passed.add(factId(fact));
  }

  /** The changes that are made together with this one; none where it joins another itself. */
  after(number: number): readonly ForeseenChange[] {
    if (this.#members[number]?.joins !== false) return [];
    const rest = this.#members.slice(number + 1);
    const end = rest.findIndex(({ joins }) => !joins);
    return (end < 0 ? rest : rest.slice(0, end)).map(({ change }) => change);
  }

  /**
   * What the changes were decided on and no guard holds. For one that joins it is from the moment at which the first of its
   * run has acted: then the host has it no more.
   */
  kept(): Kept[] {
    return this.#members.flatMap(({ change, joins }, until) => {
      return change.decision.facts.flatMap(({ fact, now: value }): Kept[] =>
        !isRan(fact) && !isControllerFact(fact) && until > 0 && (joins || isAdvice(fact))
          ? [{ fact, value, from: isAdvice(fact) ? 0 : this.#firstOf(until) + 1, until }]
          : [],
      );
    });
  }
}

/** A step that does the work of others with its own. */
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

/** True where nothing but its own facts decides whether it runs, and nothing else says when it has ended well. */
function isPlain({ task }: ForeseenChange): boolean {
  return task.when.every((condition) => condition === true) && task.call.options.until === undefined;
}

function sameWay({ task: a }: ForeseenChange, { task: b }: ForeseenChange): boolean {
  return a.become === b.become && a.call.options.timeoutSeconds === b.call.options.timeoutSeconds;
}

import { type Fact, isControllerFact, listFacts, type Question } from "../../core/fact.ts";
import type { FrameItem } from "../../core/frame.ts";
import { isAdvice } from "../../core/kind.ts";
import type { Step } from "../../core/step.ts";
import { stepsAs } from "../plan/become-account.ts";
import { isRan } from "./read-ahead.ts";
import { shownQuestions } from "../task/fact-changes.ts";
import type { Forecast } from "./forecast.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import { withJointWork } from "./joint-work.ts";
import { labelOf } from "../plan/plan.ts";
import { questionsOf } from "../host/read-facts.ts";
import type { Shadow } from "./predicted-host.ts";
import type { Script, TapedTask } from "./sent-frame.ts";

/**
 * What is foreseen as one frame: the steps of each task that will change something, a guard behind each on all that
 * later tasks build on, and at the end, in any case but a failed step, what is to be read ahead. `user` is the session's.
 */
export function scriptOf(
  forecast: Forecast,
  ahead: readonly Fact[],
  { diff, user }: { readonly diff: boolean; readonly user: string | undefined },
): Script {
  const items: FrameItem[] = [];
  const tasks: TapedTask[] = [];
  const { changes, shadow } = forecast;
  for (const [number, change] of changes.entries()) {
    const shown = diff ? shownQuestions(change.decision.facts) : [];
    const old = shown.length === 0 ? undefined : items.push({ item: "read", questions: shown }) - 1;
    const acts = items.push(stepsItem(change, withJointWork(change.steps, forecast.joined(number)), user)) - 1;
    const last = number === changes.length - 1;
    const expected = shadow.expectations(number);
    const after = last
      ? readItem([...expected.map(({ question }) => question), ...ownFacts(change)], shadow)
      : ({ item: "guard", expected } as const);
    const count = after === undefined ? 0 : items.push(after);
    tasks.push({
      task: change.task.id,
      steps: change.steps,
      shown: old,
      acts,
      after: count === 0 ? undefined : count - 1,
    });
  }
  const questions = questionsOf(ahead, shadow);
  const count = questions.length === 0 ? 0 : items.push({ item: "read", questions, always: true });
  return { items, tasks, foreseen: forecast.tasks, kept: forecast.kept(), ahead: count === 0 ? undefined : count - 1 };
}

function stepsItem({ task }: ForeseenChange, steps: readonly Step[], user: string | undefined): FrameItem {
  const { timeoutSeconds } = task.call.options;
  return {
    item: "steps",
    task: task.id,
    title: labelOf(task, task.target).title,
    steps: stepsAs(task, steps, user),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  };
}

function ownFacts({ facts }: ForeseenChange): Question[] {
  return listFacts(facts).flatMap(({ fact }) =>
    isRan(fact) || isControllerFact(fact) || isAdvice(fact) ? [] : [fact],
  );
}

function readItem(facts: readonly Question[], shadow: Shadow): FrameItem | undefined {
  const waysFor = (fact: Fact): Question[] => shadow.waysFor(fact);
  const questions = questionsOf(facts, { facetsOf: () => [], waysFor, asked: (fact) => fact });
  return questions.length === 0 ? undefined : { item: "read", questions };
}

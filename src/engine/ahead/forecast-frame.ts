import { type Fact, isControllerFact, listFacts, type Question } from "../../core/facts/fact.ts";
import type { FrameItem } from "../../core/host/frame.ts";
import { isAdvice } from "../../core/facts/kind.ts";
import type { Step } from "../../core/host/step.ts";
import { stepsAs } from "../plan/become-account.ts";
import { isRan } from "../../core/facts/ran.ts";
import { shownQuestions } from "../task/fact-changes.ts";
import type { Forecast } from "./forecast.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import { withJointWork } from "./joint-changes.ts";
import { labelOf } from "../plan/plan.ts";
import { questionsOf, readItem } from "../host/read-facts.ts";
import type { PredictedHost } from "./predicted-host.ts";
import type { ForecastFrame, SentTask } from "./sent-frame.ts";

/**
 * Turns a forecast into one frame. The frame contains the steps of each task that will change something and, after each
 * task's steps, a guard on everything that later tasks rely on. The last item reads facts ahead; it runs unless a step
 * failed. `user` is the session's user.
 */
export function forecastFrame(
  forecast: Forecast,
  ahead: readonly Fact[],
  { diff, user }: { readonly diff: boolean; readonly user: string | undefined },
): ForecastFrame {
  const items: FrameItem[] = [];
  const tasks: SentTask[] = [];
  const { changes, predicted } = forecast;
  for (const [number, change] of changes.entries()) {
    const shown = diff ? shownQuestions(change.decision.facts) : [];
    const old = shown.length === 0 ? undefined : items.push({ item: "read", questions: shown }) - 1;
    const stepsItem = items.push(stepsItemOf(change, withJointWork(change.steps, forecast.joined(number)), user)) - 1;
    const last = number === changes.length - 1;
    const expected = predicted.expectations(number);
    const after = last
      ? readItem([...expected.map(({ question }) => question), ...ownFacts(change)], unknownHost(predicted))
      : ({ item: "guard", expected } as const);
    const count = after === undefined ? 0 : items.push(after);
    tasks.push({
      task: change.task.id,
      change,
      shown: old,
      stepsItem,
      after: count === 0 ? undefined : count - 1,
    });
  }
  const questions = questionsOf(ahead, predicted);
  const count = questions.length === 0 ? 0 : items.push({ item: "read", questions, always: true });
  return {
    items,
    tasks,
    forecastTasks: forecast.tasks,
    unguarded: forecast.unguardedValues(),
    ahead: count === 0 ? undefined : count - 1,
  };
}

function stepsItemOf({ task }: ForeseenChange, steps: readonly Step[], user: string | undefined): FrameItem {
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

/** The context for reads after the last steps, in which nothing is assumed to be known about the host. */
function unknownHost(predicted: PredictedHost): Parameters<typeof readItem>[1] {
  return {
    facetsOf: () => [],
    resolutionQuestions: (fact) => predicted.resolutionQuestions(fact),
    asked: (fact) => fact,
  };
}

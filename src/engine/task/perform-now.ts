import { type FactPattern, listFacts } from "../../core/facts/fact.ts";
import { isAdvice } from "../../core/facts/kind.ts";
import { isRan } from "../../core/facts/ran.ts";
import { inFrame } from "../../core/host/step.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import { factChanges, readShown } from "./fact-changes.ts";
import { performSteps } from "./perform-steps.ts";
import type { PerformedTask } from "./performer.ts";
import type { AttemptContext } from "./task-context.ts";

/** Sends a task's steps in its own turn and re-reads its facts, together with those that the performer reads ahead. */
export async function performNow(
  { task, facts: asked, decision: { facts }, steps }: ForeseenChange,
  patterns: readonly FactPattern[],
  context: AttemptContext,
): Promise<PerformedTask> {
  const { host, signal, diff, performer } = context;
  const changes = factChanges(facts, diff, diff ? await readShown(facts, host, signal) : undefined);
  host.knowledge.forget(patterns);
  const readable = listFacts(asked).flatMap(({ fact }) => (isRan(fact) || isAdvice(fact) ? [] : [fact]));
  const sent = context.simulation?.steps(host.name, facts, steps) ?? steps;
  const watch = await context.paranoia?.watch(host, patterns, signal);
  try {
    return {
      changes,
      ...(await performSteps(task, sent, [...readable, ...performer.questions(context)], context, watch)),
    };
  } finally {
    if (!sent.every(inFrame)) host.knowledge.controller.note(patterns);
  }
}

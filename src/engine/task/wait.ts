import { differences, merge, UnknownValue } from "../../core/facts/compare.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { type Bound, decide } from "../../core/authoring/evaluate.ts";
import { exactly, factId, listFacts } from "../../core/facts/fact.ts";
import { printMarkers } from "../../core/secrets/secret.ts";
import type { RefusalReason } from "../../core/authoring/refusal.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";
import { now } from "../../core/world.ts";
import { readTaskFacts } from "./decide-task.ts";
import type { AttemptContext, AttemptResult, TaskFacts } from "./task-context.ts";
import { waitForChange } from "./wait-for-change.ts";
import type { PlannedTask } from "../plan/plan.ts";

/**
 * Waits for facts: reads them repeatedly until they match the want in the required number of consecutive checks.
 * Changes nothing. In check mode, reads the facts at most once; unless they match, says what the run would wait for.
 * Throws FurrowError E_WAIT at the deadline.
 */
export async function waitFor(
  planned: PlannedTask,
  params: unknown,
  context: AttemptContext,
): Promise<AttemptResult & { readonly because?: string }> {
  const own = planned.call.module.poll?.(params as never);
  if (own === undefined) throw new FurrowError("E_BUG", { what: "a wait without a poll" });
  const poll = context.simulation?.poll(own) ?? own;
  if (context.mode === "check") {
    const found = await lookAhead(planned, params, context);
    if (found !== undefined && "refusal" in found) throw refusedError(found.refusal, `would wait for ${poll.waitsFor}`);
    if (found !== undefined) return { outcome: "ok", changes: [], values: found.values, results: undefined };
    const because = `would wait for ${poll.waitsFor}`;
    return { outcome: "ok", changes: [], values: {}, results: undefined, because };
  }
  const started = now();
  const deadline = started + poll.deadlineSeconds * 1000;
  let inRow = 0;
  let said = "";
  for (;;) {
    const looked = await context.performer.inTurn(context.host, () => look(planned, params, context));
    const elapsed = Math.round((now() - started) / 1000);
    if ("refusal" in looked) throw refusedError(looked.refusal, `waited ${elapsed} s for ${poll.waitsFor}`);
    inRow = "reasons" in looked ? 0 : inRow + 1;
    if (!("reasons" in looked) && inRow >= (poll.consecutive ?? 1)) {
      return { outcome: "ok", changes: [], values: looked.values, results: undefined };
    }
    const progress = "reasons" in looked ? looked.reasons.join("; ") : `in the wanted state ${inRow} times in a row`;
    const text = `${progress} (deadline: ${poll.deadlineSeconds} s)\n`;
    if (progress !== said) context.onOutput({ task: planned.id, step: 0, stream: "stdout", text });
    said = progress;
    const left = deadline - now();
    if (left <= 0) {
      const unmet = context.simulation?.unmet(poll) ?? {
        what: `waited ${elapsed} s for ${poll.waitsFor}, but it did not happen`,
        hint: "Find out why it does not happen, or raise deadlineSeconds if it just needs more time",
      };
      throw new FurrowError("E_WAIT", { ...unmet, ...("reasons" in looked && { details: looked.reasons }) });
    }
    // Check one last time at the deadline itself, so that a change right before the deadline is not missed.
    const times = { intervalMs: poll.intervalSeconds * 1000, leftMs: left };
    await waitForChange("reasons" in looked ? looked.found : undefined, times, context);
  }
}

/**
 * Check mode: reads the facts once if no earlier task in this run would change anything, because the run will then find
 * the same values. Returns undefined if the run may have to wait.
 */
async function lookAhead(
  planned: PlannedTask,
  params: unknown,
  context: AttemptContext,
): Promise<TaskFacts | { readonly refusal: RefusalReason } | undefined> {
  if (context.hostIsMissing || context.outputs.isChanged) return undefined;
  try {
    const looked = await context.performer.inTurn(context.host, () => look(planned, params, context));
    return "reasons" in looked ? undefined : looked;
  } catch (error) {
    if (error instanceof UnknownValue) return undefined;
    throw error;
  }
}

function refusedError({ message, hint }: RefusalReason, waited: string): FurrowError {
  return new FurrowError("E_WAIT", { what: message, details: [waited], ...(hint !== undefined && { hint }) });
}

/**
 * Checks the facts once: returns the values if they match the want, otherwise the reasons why they do not, or why they
 * never will. A fact that cannot be read is also a reason.
 */
async function look(
  planned: PlannedTask,
  params: unknown,
  context: AttemptContext,
): Promise<
  TaskFacts | { readonly reasons: readonly string[]; readonly found?: TaskFacts } | { readonly refusal: RefusalReason }
> {
  const repeats = context.mode === "apply";
  // Each repetition reads its own facts again, and nothing for later tasks.
  const reader = repeats ? { ...context, upcoming: () => [] } : context;
  try {
    const asked = { facts: {} };
    if (repeats) context.host.knowledge.forget(firstStageIds(planned, params));
    const taskFacts = await readTaskFacts(planned, params, reader, asked);
    const decision = decide(planned.call.module, params, taskFacts.facts, taskFacts.values);
    if ("refusal" in decision) {
      const { reason } = decision.refusal;
      return reason.final === true ? { refusal: reason } : { reasons: [reason.message], found: taskFacts };
    }
    if (repeats) context.host.knowledge.forget(listFacts(taskFacts.facts).map(({ fact }) => exactly(factId(fact))));
    if (decision.match === "same") return taskFacts;
    return { reasons: decision.facts.flatMap(explain), found: taskFacts };
  } catch (error) {
    if (!isFurrowError(error) || endsWait.has(error.code) || context.signal.aborted) throw error;
    return { reasons: [error.message, ...(error.failure.details ?? [])] };
  }
}

/** Errors that no later check can overcome. Another run that holds the host may change what this run has done. */
const endsWait: ReadonlySet<string> = new Set(["E_INTERRUPTED", "E_LOCKED"]);

function firstStageIds(planned: PlannedTask, params: unknown): string[] {
  const [stage] = planned.call.module.stages;
  return stage === undefined ? [] : listFacts(stage(params as never, {} as never)).map(({ fact }) => factId(fact));
}

function explain({ id, now, bound, match }: Bound): string[] {
  if (match === "same") return [];
  return differences(now, bound).map(({ path, from, to }) => {
    const part = path === "" ? id : `${path} of ${id}`;
    return `${part}: current value is ${show(from)}, expected ${show(to)}`;
  });
}

function show(value: unknown): string {
  if (value === absent) return "absent";
  if (isRecord(value) && Object.keys(value).length === 0) return "present";
  const text = printMarkers(JSON.stringify(merge(undefined, value)) ?? "nothing");
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

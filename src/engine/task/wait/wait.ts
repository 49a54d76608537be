import { differences, merge, UnknownValue } from "../../../core/facts/compare.ts";
import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import { type Bound, decide } from "../../../core/authoring/evaluate.ts";
import { exactly, factId, isControllerFact, listFacts } from "../../../core/facts/fact.ts";
import { printMarkers } from "../../../core/secrets/secret.ts";
import type { Poll } from "../../../core/authoring/task-definition.ts";
import type { RefusalReason } from "../../../core/authoring/refusal.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import { now, sleep } from "../../../core/world.ts";
import { readTaskFacts } from "../decide-task.ts";
import { inTurn } from "../in-turn.ts";
import type { AttemptContext, AttemptResult, TaskFacts } from "../task-context.ts";
import { waitForChange } from "./wait-for-change.ts";
import type { PlannedTask } from "../../plan/plan.ts";

/**
 * Waits for facts: reads them repeatedly until they match the want in the required number of consecutive checks.
 * Changes nothing. In check mode, reads the facts at most once; unless they match, reports what the run would wait for.
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
  if (context.mode === "check") return foresee(planned, params, poll, context);
  context.freshness.expireIfActive();
  const started = now();
  const deadline = started + poll.deadlineSeconds * 1000;
  let inRow = 0;
  let said = "";
  let before: readonly string[] | undefined;
  for (;;) {
    const found = await lookUntil(deadline, planned, params, context);
    // The reasons from the previous check are more useful than the note that the last check was cut short.
    const looked = found === "late" ? { reasons: before ?? [tooLate] } : found;
    if ("reasons" in looked) before = looked.reasons;
    const elapsed = Math.round((now() - started) / 1000);
    if ("refusal" in looked) throw refusedError(looked.refusal, `waited ${elapsed} s for ${poll.waitsFor}`);
    if (looked.lasting !== undefined && now() - started >= graceMs) throw looked.lasting;
    inRow = "reasons" in looked ? 0 : inRow + 1;
    if (!("reasons" in looked) && inRow >= (poll.consecutive ?? 1)) {
      return { outcome: "ok", changes: [], values: looked.values, results: undefined };
    }
    const progress = "reasons" in looked ? looked.reasons.join("; ") : `in the desired state ${inRow} times in a row`;
    const text = `${progress} (deadline: ${poll.deadlineSeconds} s)\n`;
    if (progress !== said) context.onOutput({ task: planned.id, step: 0, stream: "stdout", text });
    said = progress;
    const left = deadline - now();
    if (left <= 0) {
      const unmet = context.simulation?.unmet(poll) ?? {
        what: `waited ${elapsed} s for ${poll.waitsFor}, but it did not happen`,
        hint: "Find out why it does not happen, or raise deadlineSeconds if it just needs more time",
      };
      const { reasons, hint } = "reasons" in looked ? looked : {};
      throw new FurrowError("E_WAIT", {
        ...unmet,
        ...(reasons !== undefined && { details: reasons }),
        ...(hint !== undefined && { hint }),
      });
    }
    // Check one last time at the deadline itself, so that a change right before the deadline is not missed.
    const times = { intervalMs: poll.intervalSeconds * 1000, leftMs: left };
    await waitForChange("reasons" in looked ? looked.found : undefined, times, context);
    context.freshness.waited();
  }
}

/**
 * Check mode: the result of a wait. If an earlier task would change something, a wait counts as over only if no task
 * changes the things that it waits for. An earlier change may also remove the reason for a refusal, so the wait is then
 * not refused.
 */
async function foresee(
  planned: PlannedTask,
  params: unknown,
  { waitsFor, about = [] }: Poll,
  context: AttemptContext,
): Promise<AttemptResult & { readonly because?: string }> {
  const { isChanged } = context.outputs;
  const untouched = about.filter((id) => !context.outputs.mayHaveChanged(id));
  const found = isChanged && untouched.length === 0 ? undefined : await lookAhead(planned, params, context);
  const wait = `would wait for ${waitsFor}`;
  if (!isChanged && found !== undefined && "refusal" in found) throw refusedError(found.refusal, wait);
  if (!isChanged && found?.lasting !== undefined) throw found.lasting;
  const isOver = found !== undefined && !("reasons" in found) && !("refusal" in found);
  if (isOver && (!isChanged || untouched.length === about.length))
    return { outcome: "ok", changes: [], values: found.values, results: undefined, mayDiffer: isChanged };
  const reasons = found === undefined || isOver ? [] : "refusal" in found ? [found.refusal.message] : found.reasons;
  const because = reasons.length === 0 ? wait : `${wait}; now: ${reasons.join("; ")}`;
  return { outcome: "ok", changes: [], values: {}, results: undefined, because };
}

/** Check mode: reads the facts once. Returns undefined if they are not known before the run. */
async function lookAhead(planned: PlannedTask, params: unknown, context: AttemptContext): Promise<Looked | undefined> {
  if (context.hostIsMissing) return undefined;
  try {
    return await context.performer.inTurn(context.host, () => look(planned, params, context));
  } catch (error) {
    if (error instanceof UnknownValue) return undefined;
    throw error;
  }
}

function refusedError({ message, hint }: RefusalReason, waited: string): FurrowError {
  return new FurrowError("E_WAIT", { what: message, details: [waited], ...(hint !== undefined && { hint }) });
}

type Looked =
  | (TaskFacts & { readonly lasting?: undefined })
  | {
      readonly reasons: readonly string[];
      readonly found?: TaskFacts;
      /** The hint, if the facts could not be read. */
      readonly hint?: string | undefined;
      /** The error, if waiting cannot help. */
      readonly lasting?: FurrowError | undefined;
    }
  | { readonly refusal: RefusalReason; readonly lasting?: undefined };

/** A right that an earlier task has granted may take this long to come into effect, in milliseconds. */
const graceMs = 10_000;

const tooLate = "there was no complete answer before the deadline";

/**
 * Checks the facts once. The controller's requests to a service end at the deadline, even if the service does not
 * respond.
 */
async function lookUntil(
  deadline: number,
  planned: PlannedTask,
  params: unknown,
  context: AttemptContext,
): Promise<Looked | "late"> {
  const once = (own: AttemptContext): Promise<Looked> => inTurn(own, () => look(planned, params, own));
  const [stage] = planned.call.module.stages;
  const asked = stage === undefined ? [] : listFacts(stage(params as never, {} as never));
  if (context.simulation || asked.length === 0 || !asked.every(({ fact }) => isControllerFact(fact)))
    return once(context);
  const late = new AbortController();
  const over = new AbortController();
  const timer = sleep(Math.max(deadline - now(), 1000), over.signal).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    return await once({ ...context, signal: AbortSignal.any([context.signal, late.signal]) });
  } catch (error) {
    if (!late.signal.aborted || context.signal.aborted) throw error;
    return "late";
  } finally {
    over.abort();
    await timer;
  }
}

/**
 * Checks the facts once: returns the values if they match the want, otherwise the reasons why they do not, or why they
 * never will. A fact that cannot be read is also a reason.
 */
async function look(planned: PlannedTask, params: unknown, context: AttemptContext): Promise<Looked> {
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
    const { current, details = [], hint, isLasting } = error.failure;
    const reasons = [`${error.message}${current === undefined ? "" : `: ${current}`}`, ...details];
    return { reasons, hint, ...(isLasting === true && { lasting: error }) };
  }
}

/**
 * Errors that end a wait, because no later check can overcome them. If another run holds the host, it may change what
 * this run has done.
 */
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

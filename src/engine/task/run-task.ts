import { thrownAt } from "../../core/authoring/position.ts";
import { guardUnknown } from "../../core/facts/compare.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { EventSink, RunEvent, TaskLabel } from "../../core/events.ts";
import { guardOutput } from "../../core/guarded/output.ts";
import { parseParams } from "../../core/params/params.ts";
import { describeStep } from "../../core/host/step.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import { callUser, userFailure } from "../../core/authoring/user-code.ts";
import { now } from "../../core/world.ts";
import { decideTask } from "./decide-task.ts";
import { inTurn } from "./in-turn.ts";
import type { AttemptContext, AttemptResult } from "./task-context.ts";
import { readableResults } from "./results/cut-output.ts";
import { failedOutput } from "./results/failed-output.ts";
import { predictMaybeSkipped } from "./check-mode.ts";
import { interruption } from "../host/host.ts";
import { known, outputOf, unknownOutput, unknownResults } from "../plan/outputs.ts";
import { reasonToSkip } from "../plan/condition.ts";
import { pause } from "./pause.ts";
import { intolerable, withRetries } from "./retries.ts";
import { labelOf, type PlannedTask, whereOf } from "../plan/plan.ts";
import { hiddenOutput, hidesOutput, secretResults, withoutOutput } from "./results/secret-output.ts";
import { Stopped } from "./stopped.ts";
import { dependsOnCondition, dependsOnOutputs } from "./undecided/unknown-input.ts";
import { waitFor } from "./wait/wait.ts";

/** The parts of the run that a task needs. */
export interface TaskContext extends Omit<
  AttemptContext,
  "title" | "hostIsMissing" | "onStep" | "onOutput" | "onFailedStep"
> {
  readonly sink: EventSink;
  /** Check mode: true if no host may be contacted, as if the host did not exist yet; only controller facts are read. */
  readonly onlyController?: boolean;
}

/** Thrown to stop the host of a failed task, unless a rescue or `ignoreFailure` catches the failure. */
export class TaskFailure extends Error {
  readonly error: FurrowError;
  readonly outcome: "failed" | "unreachable";

  constructor(error: FurrowError) {
    super(error.message);
    this.error = error;
    this.outcome = ["E_UNREACHABLE", "E_AUTH", "E_HOST_KEY"].includes(error.code) ? "unreachable" : "failed";
  }
}

type Finish = Omit<Extract<RunEvent, { type: "taskFinished" }>, "type" | "host" | "task" | "durationMs">;
const quiet = { changes: [], notes: [], ignored: false } as const;

/** Runs one task to its end, with retries. Throws TaskFailure if the task failed and the failure is not ignored. */
export async function runTask(planned: PlannedTask, context: TaskContext): Promise<void> {
  const { sink, playHost, outputs } = context;
  const { call } = planned;
  const task = labelOf(planned, playHost);
  const started = now();
  const finish = (end: Finish): void =>
    sink({ type: "taskFinished", host: playHost, task, ...end, durationMs: now() - started });
  try {
    const skipped = reasonToSkip(planned, outputs.lookupFor(playHost));
    if (skipped === "unknown") {
      outputs.set(call, playHost, unknownOutput);
      predictMaybeSkipped(planned, outputs.lookupFor(playHost), context.host, task.title);
      const dependsOn = dependsOnCondition(planned, outputs.lookupFor(playHost));
      return finish({ ...quiet, outcome: "undecided", dependsOn });
    }
    if (skipped !== undefined) return finish({ ...quiet, outcome: "skipped", because: skipped });
    const params = resolveParams(planned, context);
    if (params === "unknown") {
      outputs.set(call, playHost, unknownOutput);
      predictMaybeSkipped(planned, outputs.lookupFor(playHost), context.host, task.title);
      const dependsOn = dependsOnOutputs(planned, outputs.lookupFor(playHost));
      return finish({ ...quiet, outcome: "undecided", dependsOn });
    }
    const done = await tryTask(planned, params.params, task, context);
    const known = putOut(planned, params.params, done, task.title, context);
    finish({
      outcome: done.outcome,
      changes: done.changes,
      notes: known,
      ignored: false,
      ...(done.dependsOn && { dependsOn: done.dependsOn }),
      ...(done.intends && { intends: done.intends }),
      ...(done.because !== undefined && { because: done.because }),
    });
  } catch (thrown) {
    // A host that stopped by itself has not done anything for this task, so the task must not count as done.
    if (thrown instanceof Stopped && (context.stop.aborted || context.signal.aborted)) throw thrown;
    const error = asFurrowError(thrown, context).at({
      host: playHost,
      ...whereOf(call, planned.source),
      task: task.title,
    });
    const failure = new TaskFailure(error);
    const ignored = call.options.ignoreFailure === true && !intolerable.has(error.code);
    finish({ ...quiet, outcome: failure.outcome, error, ignored });
    if (!ignored) throw failure;
  }
}

function asFurrowError(thrown: unknown, context: TaskContext): FurrowError {
  if (isFurrowError(thrown)) return thrown;
  if (thrown instanceof Stopped) {
    return new FurrowError("E_PROTOCOL", {
      what: "the host stopped before this task, although furrow did not tell it to stop",
      hint: "Rerun; if it happens again, please report it",
    });
  }
  if (context.signal.aborted) return interruption(context.signal);
  // The functions of a task module or a playbook may be the user's own code.
  if (thrown instanceof Error && thrownAt(thrown) !== undefined) return userFailure("playbook code", thrown);
  return new FurrowError("E_BUG", {
    what: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    cause: thrown,
  });
}

function resolveParams(planned: PlannedTask, context: TaskContext): { params: unknown } | "unknown" {
  if ("params" in planned.parsed) return planned.parsed;
  const { call } = planned;
  const parsed = parseParams(
    call.module.card.params,
    call.input,
    context.outputs.lookupFor(context.playHost),
    whereOf(call),
  );
  if ("params" in parsed) return parsed;
  if (parsed.waitsFor.length === 0) return "unknown";
  throw new FurrowError("E_PARAMS", {
    what: `param "${parsed.waitsFor[0]?.slice(1)}" is the output of a task that has not run`,
    hint: "List that task earlier, and do not skip it by tags or a condition",
  });
}

type Done = AttemptResult & { readonly because?: string };

async function tryTask(planned: PlannedTask, params: unknown, task: TaskLabel, context: TaskContext): Promise<Done> {
  const { sink, playHost, outputs } = context;
  const hides = hidesOutput(planned, params);
  const show: AttemptContext["onOutput"] = ({ stream, text }) =>
    sink({ type: "stepOutput", host: playHost, task, stream, text });
  const attemptContext: AttemptContext = {
    ...context,
    title: task.title,
    hostIsMissing:
      context.onlyController === true ||
      (context.mode === "check" && planned.there?.resolve(outputs.lookupFor(playHost)) === knownAfterApply),
    onStep: (step) => sink({ type: "stepStarted", host: playHost, task, step: describeStep(step) }),
    onOutput: hides ? hiddenOutput(show) : show,
    onFailedStep: (results) => {
      const output = failedOutput(planned, params, hides ? secretResults(results, task.title) : results, task.title);
      if (output !== undefined) outputs.set(planned.call, playHost, output);
    },
  };
  const attempt = async (tried: number): Promise<Done> => {
    sink({ type: "taskStarted", host: playHost, task, attempt: tried + 1 });
    const decided = planned.call.module.poll
      ? await waitFor(planned, params, attemptContext)
      : await inTurn(attemptContext, () => decideTask(planned, params, attemptContext));
    const { results } = decided;
    const done = hides && results ? { ...decided, results: secretResults(results, task.title) } : decided;
    if (context.mode === "apply") verifyUntil(planned, params, done, task.title, context);
    return done;
  };
  return withRetries(planned.call.options, attempt, {
    asError(thrown) {
      const failed = asFurrowError(thrown, context);
      return hides ? withoutOutput(failed) : failed;
    },
    mayRetry: () => context.mode !== "check" && !context.stop.aborted,
    async wait(error, delaySeconds) {
      sink({ type: "taskRetry", host: playHost, task, error, delaySeconds });
      try {
        await pause(delaySeconds * 1000, context);
        context.freshness.waited();
      } catch (ended) {
        // A run that is stopping does not retry.
        throw ended instanceof Stopped ? error : ended;
      }
    },
  });
}

/** Throws E_NOT_CONVERGED if the task has an `until` that is not true for its output. */
function verifyUntil(
  planned: PlannedTask,
  params: unknown,
  done: AttemptResult,
  title: string,
  { outputs, playHost }: TaskContext,
): void {
  const { until } = planned.call.options;
  if (!until) return;
  const put = (results: Done["results"]): unknown =>
    planned.call.module.outputs?.(params as never, done.values as never, results);
  const output = put(readableResults(done.results, title));
  if (callUser("`until`", () => until(guardOutput(output, planned.call.module.card.name) as never))) return;
  // Later tasks may look at the output, although `until` did not accept it.
  outputs.set(planned.call, playHost, { value: output, changed: done.outcome === "changed" });
  throw new FurrowError("E_NOT_CONVERGED", {
    what: "the task ran, but its `until` is not true",
    current: JSON.stringify(put(done.results)) ?? "no output",
    hint: "Raise `retries`, or look at the task's output",
  });
}

/** Stores the task's output for later Refs; returns its notes. */
function putOut(
  planned: PlannedTask,
  params: unknown,
  done: Done,
  title: string,
  context: TaskContext,
): readonly string[] {
  const { module } = planned.call;
  if (done.because !== undefined || done.mayDiffer === true) {
    // Check mode does not know the facts that the run would wait for.
    context.outputs.set(planned.call, context.playHost, { value: knownAfterApply, changed: false });
    return [];
  }
  const foreseen = context.mode === "check" && done.outcome !== "ok";
  const results = foreseen ? unknownResults : readableResults(done.results, title);
  const value = outputOf(module, params, done.values, results);
  const changed = done.outcome === "undecided" ? knownAfterApply : done.outcome === "changed";
  const things = known(() => module.card.changesOnly?.(params, guardUnknown(done.values)));
  const only = things === knownAfterApply ? undefined : things;
  context.outputs.set(planned.call, context.playHost, { value, changed }, only);
  const seen = foreseen ? undefined : done.results;
  const notes = known(() => module.notes?.(params as never, guardUnknown(done.values) as never, seen) ?? []);
  return [...(notes === knownAfterApply ? [] : notes), ...(done.notes ?? [])];
}

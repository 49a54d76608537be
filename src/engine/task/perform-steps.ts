import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Fact } from "../../core/facts/fact.ts";
import { RanCommand } from "../../core/host/driver.ts";
import type { FrameItem } from "../../core/host/frame.ts";
import {
  type CallStep,
  type ConfirmStep,
  type FetchStep,
  type FrameStep,
  inFrame,
  type RebootStep,
  type Step,
  type StepResult,
} from "../../core/host/step.ts";
import type { PerformedSteps } from "./performer.ts";
import type { AttemptContext } from "./task-context.ts";
import type { Watch } from "./paranoid.ts";
import { labelOf, type PlannedTask } from "../plan/plan.ts";
import { learnAnswers, readItem } from "../host/read-facts.ts";
import { transferLine } from "../../core/transfer-line.ts";
import { confirmChange } from "../host/confirm-change.ts";
import { rebootHost } from "../host/reboot-host.ts";
import { stepsAs } from "../plan/become-account.ts";

/**
 * Performs steps in order, in as few frames as possible, and reads the facts in `then` in the last frame. With `watch`,
 * each step has its own frame. Throws any error that the watch throws.
 */
export async function performSteps(
  planned: PlannedTask,
  steps: readonly Step[],
  then: readonly Fact[],
  context: AttemptContext,
  watch?: Watch,
): Promise<PerformedSteps> {
  const results: StepResult[] = [];
  const errors = new Map<string, FurrowError>();
  let at = 0;
  while (at < steps.length) {
    const step = steps[at];
    if (step !== undefined && !inFrame(step)) {
      const own = watch ? [step] : alongside(step, steps.slice(at));
      for (const result of await actTogether(planned.id, own, context)) {
        if (isFurrowError(result)) return { results, failed: result, errors };
        results.push(result);
      }
      await watch?.after(step);
      at += own.length;
      continue;
    }
    const rest = steps.slice(at);
    const end = watch ? 1 : rest.findIndex((later) => !inFrame(later));
    const batch = (end < 0 ? rest : rest.slice(0, end)) as FrameStep[];
    at += batch.length;
    const failed = await sendBatch(planned, batch, at === steps.length ? then : [], context, results, errors);
    if (failed) return { results, failed, errors };
    if (step) await watch?.after(step);
  }
  if (!inFrame(steps.at(-1) as Step)) await readAfter(then, context, errors);
  return { results, failed: undefined, errors };
}

type ControllerStep = CallStep | ConfirmStep | FetchStep | RebootStep;

/** The steps that the controller performs at the same time as `step`, which is the first in `rest`. */
function alongside(step: ControllerStep, rest: readonly Step[]): readonly ControllerStep[] {
  if (step.step !== "call" || step.alongside === undefined) return [step];
  const key = step.alongside;
  const end = rest.findIndex((later) => later.step !== "call" || later.alongside !== key);
  return (end < 0 ? rest : rest.slice(0, end)) as readonly CallStep[];
}

/** The maximum number of steps that the controller performs at the same time. */
const mostAtOnce = 8;

/**
 * Performs several steps at the same time. After a failure, no further step begins. Once the running steps are done,
 * the rest are performed one by one in order, starting with the one that failed, because it may depend on an earlier
 * step. Returns the results, in order and up to the first error.
 */
async function actTogether(
  task: string,
  steps: readonly ControllerStep[],
  context: AttemptContext,
): Promise<(StepResult | FurrowError)[]> {
  const done = new Map<number, StepResult>();
  const act = async (at: number): Promise<StepResult | FurrowError> => {
    const step = steps[at] as ControllerStep;
    context.onStep(step);
    const result = await actAsController(task, step, context);
    if (!isFurrowError(result)) done.set(at, result);
    return result;
  };
  const left = [...steps.keys()];
  const worker = async (): Promise<void> => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) {
      let result: StepResult | FurrowError | undefined = undefined;
      try {
        result = await act(at);
      } finally {
        if (result === undefined || isFurrowError(result)) left.length = 0;
      }
    }
  };
  // A single step is not retried.
  if (steps.length === 1) return [await act(0)];
  const ended = await Promise.allSettled(Array.from({ length: mostAtOnce }, worker));
  for (const end of ended) if (end.status === "rejected") throw end.reason;
  const results: (StepResult | FurrowError)[] = [];
  for (const at of steps.keys()) {
    const result = done.get(at) ?? (await act(at));
    results.push(result);
    if (isFurrowError(result)) break;
  }
  return results;
}

async function sendBatch(
  planned: PlannedTask,
  batch: readonly FrameStep[],
  then: readonly Fact[],
  context: AttemptContext,
  results: StepResult[],
  errors: Map<string, FurrowError>,
): Promise<FurrowError | undefined> {
  const { host, signal } = context;
  const steps = stepsAs(planned, batch, host.user);
  const { timeoutSeconds } = planned.call.options;
  const act: FrameItem = {
    item: "steps",
    task: planned.id,
    title: labelOf(planned, planned.target).title,
    steps,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  };
  const read = readItem(then, host.knowledge);
  batch.forEach((step) => context.onStep(step));
  const [acted, answered] = await host.frame({ items: read ? [act, read] : [act] }, signal, {
    output: context.onOutput,
  });
  if (acted?.item !== "steps")
    throw new FurrowError("E_PROTOCOL", { what: "the host did not report the results of the steps" });
  results.push(...acted.results);
  if (acted.failed) return acted.failed.error;
  if (read) for (const [id, error] of learnAnswers(read, answered, host)) errors.set(id, error);
  return undefined;
}

async function readAfter(
  then: readonly Fact[],
  context: AttemptContext,
  errors: Map<string, FurrowError>,
): Promise<void> {
  const read = readItem(then, context.host.knowledge);
  if (!read) return;
  const [answered] = await context.host.frame({ items: [read] }, context.signal);
  for (const [id, error] of learnAnswers(read, answered, context.host)) errors.set(id, error);
}

async function actAsController(
  task: string,
  step: ControllerStep,
  context: AttemptContext,
): Promise<StepResult | FurrowError> {
  const done = { exitCode: 0, stdout: "", stderr: "" };
  const say = (text: string): void => context.onOutput({ task, step: 0, stream: "stdout", text: `${text}\n` });
  try {
    switch (step.step) {
      case "fetch":
        await context.host.fetch(step, context.signal, (received, total) =>
          say(transferLine({ done: received, ...(total !== undefined && { total }) })),
        );
        return done;
      case "reboot":
        await rebootHost(context.host, step, context.signal);
        return done;
      case "confirm":
        await confirmChange(context.host, step, context.signal, say);
        return done;
      case "call": {
        const driver = await context.drivers(step.driver);
        if (!driver.call)
          throw new FurrowError("E_DRIVER", { what: `the ${step.driver} driver does not support calls` });
        const value = await driver.call(step.request, context.signal, say);
        return value instanceof RanCommand ? value.result : { ...done, value };
      }
    }
  } catch (error) {
    if (isFurrowError(error) && error.code !== "E_UNREACHABLE") return error;
    throw error;
  }
}

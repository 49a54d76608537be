import { accessTo, accessKindName, removableBy } from "../../../core/facts/access.ts";
import type { Bound } from "../../../core/authoring/evaluate.ts";
import { FurrowError } from "../../../core/errors.ts";
import { isKind } from "../../../core/facts/kind.ts";
import { describeStep, type Step } from "../../../core/host/step.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import type { AttemptContext } from "../task-context.ts";
import { askRights, removedTrees, writtenPaths } from "./asked-rights.ts";
import { withBecomeHint } from "./denied-step.ts";
import { type Hold, holdsOf } from "./held-paths.ts";

/** What programs print if the kernel prevents even root from changing a path. */
const prevented = /not permitted|permission denied|not a directory|busy|no such file/i;

/**
 * In a run: adds a hint to the error of a failed step. The host is asked only now whether the kernel protects the
 * step's path, because asking before each step would cost a round trip; check mode asks first, and refuses the task.
 */
export async function withRightsHint(
  error: FurrowError,
  planned: PlannedTask,
  steps: readonly Step[],
  facts: readonly Bound[],
  context: AttemptContext,
): Promise<FurrowError> {
  const hinted = withBecomeHint(error, planned, steps, context.host.user);
  const { current = "", details = [], hint } = hinted.failure;
  if (hinted.code !== "E_STEP" || hint !== undefined || !prevented.test([current, ...details].join("\n")))
    return hinted;
  const hold = await askHold(planned, steps, facts, context, hinted.failure.what);
  if (hold === undefined) return hinted;
  return new FurrowError(hinted.code, {
    ...hinted.failure,
    current: current === "" ? hold.current : `${current}: ${hold.current}`,
    hint: hold.hint,
  });
}

/** The obstacle to the step that failed, if the host can name one now. `what`: what failed. */
async function askHold(
  planned: PlannedTask,
  steps: readonly Step[],
  facts: readonly Bound[],
  context: AttemptContext,
  what: string,
): Promise<Hold | undefined> {
  const { host, performer, simulation, signal } = context;
  if (simulation || performer.isBusy || signal.aborted || !isKind(accessKindName)) return undefined;
  const paths = writtenPaths(steps).map(({ path }) => accessTo(path));
  const trees = removedTrees(planned, facts, steps, host.user).map(({ user, path }) => removableBy(user, path));
  const questions = [...paths, ...trees];
  try {
    await askRights(questions, context);
    return holdsOf(planned, facts, steps, host).find(({ step }) => what === `${describeStep(step)} failed`)?.hold;
  } catch {
    // The error of the step matters more than that of the question.
    return undefined;
  } finally {
    // The obstacle may be gone by the time the next task asks.
    host.knowledge.forgetFacts(questions);
  }
}

import { FurrowError } from "../../../core/errors.ts";
import type { Step } from "../../../core/host/step.ts";
import type { PlannedTask } from "../../plan/plan.ts";

/** What programs print if their user lacks a permission that root has. */
const denied =
  /permission denied|operation not permitted|access denied|authentication (?:is )?required|(?:must be|are you|only|needs?|requires?|run as|be run with) (?:the )?(?:root|super-?user|privileged)|(?:root|superuser) (?:privileges?|rights|access)|cannot lock \/etc\//i;

/**
 * Adds a hint to the error of a step that the task's user was not permitted to perform. Check mode first asks what the
 * user may do, and refuses the task; a run does not ask, because the question would cost a round trip. `session` is the
 * session's user.
 */
export function withBecomeHint(
  error: FurrowError,
  { become }: Pick<PlannedTask, "become">,
  steps: readonly Step[],
  session: string | undefined,
): FurrowError {
  const user = become ?? session;
  const { current = "", details = [], hint } = error.failure;
  if (error.code !== "E_STEP" || hint !== undefined || user === undefined || user === "root") return error;
  if (steps.every((step) => step.user !== undefined && step.user !== user)) return error;
  if (!denied.test([current, ...details].join("\n"))) return error;
  return new FurrowError(error.code, {
    ...error.failure,
    hint: `Add become: "root" to the task or the play: the task acts as ${user}`,
  });
}

import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { isKind } from "../../core/facts/kind.ts";
import type { Step } from "../../core/host/step.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { PlannedTask } from "./plan.ts";

/**
 * The fact that shows whether the become user of a task exists. Undefined if the session itself runs as that user: then
 * the open session proves that the user exists. `user` is the session's user.
 */
export function accountOf({ become }: PlannedTask, user: string | undefined): HostFact<unknown> | undefined {
  if (become === undefined || become === user || !isKind("user")) return undefined;
  return { kind: "user", key: become, facets: [] };
}

/** Throws E_BECOME if the account is known to be missing; `value` is its known value. */
export function requireAccount({ key }: HostFact<unknown>, value: unknown): void {
  if (value !== absent) return;
  throw new FurrowError("E_BECOME", {
    what: `cannot switch to the user ${key}`,
    current: `there is no user ${key} on the host`,
    expected: `the user ${key}, or an earlier task that creates it`,
    hint: "Correct the name of the become user, or create that user first",
  });
}

/**
 * Sets the task's user on steps that name no user themselves, unless that user is the session's user `own`. Leaves out
 * the session's own user, because only root can switch users: any other user cannot switch even to itself.
 */
export function stepsAs<S extends Step>(
  { become }: PlannedTask,
  steps: readonly S[],
  own: string | undefined,
): readonly S[] {
  return steps.map((step) => {
    if (step.user !== undefined) return step.user === own && own !== "root" ? { ...step, user: undefined } : step;
    return become === undefined || become === own ? step : { ...step, user: become };
  });
}

import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/fact.ts";
import { isKind } from "../../core/kind.ts";
import type { Step } from "../../core/step.ts";
import { absent } from "../../core/symbols.ts";
import type { PlannedTask } from "./plan.ts";

/**
 * The question whether the user exists that a task becomes inside a session of another one, root's; undefined where the
 * session itself is that user's: opening it is the answer. `user` is the session's.
 */
export function accountOf({ become }: PlannedTask, user: string | undefined): HostFact<unknown> | undefined {
  if (become === undefined || become === user || !isKind("user")) return undefined;
  return { kind: "user", key: become, facets: [] };
}

/** Throws E_BECOME where the account is known to be missing; `value` is what is known of it. */
export function holdAccount({ key }: HostFact<unknown>, value: unknown): void {
  if (value !== absent) return;
  throw new FurrowError("E_BECOME", {
    what: `the task cannot become ${key}`,
    current: `there is no user ${key} on the host`,
    expected: `the user ${key}, or an earlier task that makes it`,
    hint: "Correct the user to become, or create it first",
  });
}

/** Steps as the user that the task names, where they name none themselves and the session's user, `own`, is another. */
export function stepsAs<S extends Step>(
  { become }: PlannedTask,
  steps: readonly S[],
  own: string | undefined,
): readonly S[] {
  return become === undefined || become === own
    ? steps
    : steps.map((step) => (step.user ? step : { ...step, user: become }));
}

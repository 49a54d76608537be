import { rehearseParts } from "./parts.ts";
import { rehearsePermissions } from "./permissions.ts";
import type { PlannedCall } from "./planned-call.ts";
import { rehearsePolicies } from "./policies.ts";
import { rehearseQuotas } from "./quotas.ts";

/**
 * Asks Google whether it would accept a planned call. Compute Engine has no dry runs, so furrow reads everything that
 * could cause a refusal: permissions, policies of the organization, quotas, service accounts and keys. Throws
 * FurrowError E_REFUSED if Google would refuse the call after the `earlier` calls of the plan. If something cannot be
 * checked, returns the reasons.
 */
export async function rehearse(
  call: PlannedCall,
  earlier: readonly PlannedCall[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const open = [
    await rehearsePermissions(call, signal),
    await rehearsePolicies(call, signal),
    await rehearseQuotas(call, earlier, signal),
    await rehearseParts(call, signal),
  ].filter((reason) => reason !== undefined);
  return open.length === 0 ? undefined : open.join("; ");
}

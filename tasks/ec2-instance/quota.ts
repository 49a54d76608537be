import { refuse, type Refusal } from "../../src/authoring.ts";
import type { Ec2Quota } from "../../src/facts/catalogue.ts";

/** Returns a note if it is not known whether a quota allows one more resource. */
export function noteQuota(quota: Ec2Quota | undefined, unit: string): readonly string[] {
  if (quota === undefined || quota.known) return [];
  return [`not known in advance: whether the account's quota allows another ${unit} (${quota.why ?? "no answer"})`];
}

/** Refuses a resource that would exceed a quota; undefined if it fits, or if the quota is not known. */
export function refuseQuota(quota: Ec2Quota | undefined, unit: string): Refusal | undefined {
  if (quota === undefined || !quota.known || quota.used + quota.needed <= quota.most) return undefined;
  const { name, used, needed, most } = quota;
  return refuse({
    code: "quota",
    message: `the account's quota does not allow ${needed} more ${unit}: ${name}`,
    current: `${used} of ${most} in use`,
    hint: "Ask for a higher quota in the Service Quotas console, or remove resources that are not needed",
  });
}

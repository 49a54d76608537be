import type { World } from "./world.ts";

/** The names of the quotas that the fake has, by code. */
const names: Readonly<Record<string, string>> = {
  "L-1216C47A": "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
  "L-F678F1CE": "VPCs per Region",
};

/**
 * The response of Service Quotas
 * (https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html). A quota that the
 * account does not have is an error.
 */
export function serviceQuota({ behaviour }: World, body: string): { status: number; body: string } {
  const { ServiceCode, QuotaCode } = JSON.parse(body) as { readonly ServiceCode: string; readonly QuotaCode: string };
  const values: Readonly<Record<string, number | undefined>> = {
    "L-1216C47A": behaviour.processors,
    "L-F678F1CE": behaviour.mostVpcs,
  };
  const Value = values[QuotaCode];
  if (Value === undefined) return { status: 400, body: JSON.stringify({ __type: "NoSuchResourceException" }) };
  const Quota = { ServiceCode, QuotaCode, QuotaName: names[QuotaCode], Value, Unit: "None" };
  return { status: 200, body: JSON.stringify({ Quota }) };
}

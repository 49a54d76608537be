import { isRecord } from "../../../core/facts/symbols.ts";
import type { Ec2 } from "../client.ts";
import { jsonCall } from "../json-call.ts";

/** A quota's value and name. */
export interface ServiceQuota {
  readonly most: number;
  readonly name: string;
}

/**
 * Asks Service Quotas for a quota of the account
 * (https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html). If Service Quotas does
 * not answer or the credentials do not permit the call, returns the reason instead of throwing an error, because a
 * quota is only needed to find a failure early.
 */
export async function serviceQuota(ec2: Ec2, ServiceCode: string, QuotaCode: string): Promise<ServiceQuota | string> {
  const said = await jsonCall(ec2, {
    service: "servicequotas",
    name: "Service Quotas",
    variable: "AWS_ENDPOINT_URL_SERVICE_QUOTAS",
    target: "ServiceQuotasV20190624.GetServiceQuota",
    input: { ServiceCode, QuotaCode },
  });
  if (typeof said === "string") return said;
  const { answer } = said;
  const quota = isRecord(answer) && isRecord(answer["Quota"]) ? answer["Quota"] : {};
  const { Value: most, QuotaName: name } = quota as { readonly Value?: unknown; readonly QuotaName?: unknown };
  if (typeof most === "number") return { most, name: typeof name === "string" ? name : QuotaCode };
  return `Service Quotas does not report ${QuotaCode}`;
}

import { isRecord } from "../../../core/facts/symbols.ts";
import type { Ec2 } from "../client.ts";
import { signedHeaders } from "./signed-request.ts";

/** A quota's value and name. */
export interface ServiceQuota {
  readonly most: number;
  readonly name: string;
}

/** The number of milliseconds after which furrow goes on without the answer. */
const patienceMs = 10_000;

/**
 * Asks Service Quotas for a quota of the account
 * (https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html). Returns the reason if it
 * does not answer or the credentials do not permit the call, because a quota is only needed to find a failure early.
 */
export async function serviceQuota(ec2: Ec2, ServiceCode: string, QuotaCode: string): Promise<ServiceQuota | string> {
  const region = await ec2.client.config.region();
  const url = new URL(
    process.env["AWS_ENDPOINT_URL_SERVICE_QUOTAS"] ?? process.env["AWS_ENDPOINT_URL"] ?? endpointIn(region),
  );
  const body = JSON.stringify({ ServiceCode, QuotaCode });
  const target = "ServiceQuotasV20190624.GetServiceQuota";
  const credentials = await ec2.client.config.credentials();
  const headers = signedHeaders({ service: "servicequotas", region, url, target, body }, credentials, new Date());
  try {
    const signal = AbortSignal.any([ec2.signal, AbortSignal.timeout(patienceMs)]);
    const answer = await fetch(url, { method: "POST", headers, body, signal });
    const said: unknown = answer.ok ? await answer.json() : undefined;
    const quota = isRecord(said) && isRecord(said["Quota"]) ? said["Quota"] : {};
    const { Value: most, QuotaName: name } = quota as { readonly Value?: unknown; readonly QuotaName?: unknown };
    if (typeof most === "number") return { most, name: typeof name === "string" ? name : QuotaCode };
    return answer.ok ? `Service Quotas does not show ${QuotaCode}` : `Service Quotas answers ${answer.status}`;
  } catch (error) {
    ec2.signal.throwIfAborted();
    return `Service Quotas does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function endpointIn(region: string): string {
  return `https://servicequotas.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`;
}

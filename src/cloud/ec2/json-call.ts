import { credentialsOf, type Ec2 } from "./client.ts";
import { signedHeaders } from "./quotas/signed-request.ts";

/** A call to an AWS service that uses the JSON protocol, and whose SDK furrow does not otherwise need. */
export interface JsonCall {
  /** The service's name in its endpoint and in signatures: `ssm`. */
  readonly service: string;
  /** The name of the service for messages: `Systems Manager`. */
  readonly name: string;
  /** The environment variable that overrides its endpoint. */
  readonly variable: string;
  /** `AmazonSSM.GetServiceSetting`. */
  readonly target: string;
  readonly input: object;
}

/** The number of milliseconds after which furrow continues without the answer. */
const patienceMs = 10_000;

/**
 * Calls a service. Returns its response or, if the call failed, a string with the reason. Use this only for calls
 * that help to find a failure early.
 */
export async function jsonCall(ec2: Ec2, call: JsonCall): Promise<{ readonly answer: unknown } | string> {
  const { service, name, variable, target, input } = call;
  const region = await ec2.client.config.region();
  const url = new URL(process.env[variable] ?? process.env["AWS_ENDPOINT_URL"] ?? endpointOf(service, region));
  const body = JSON.stringify(input);
  const credentials = await credentialsOf(ec2);
  const headers = signedHeaders({ service, region, url, target, body }, credentials, new Date());
  try {
    const signal = AbortSignal.any([ec2.signal, AbortSignal.timeout(patienceMs)]);
    const answer = await fetch(url, { method: "POST", headers, body, signal });
    return answer.ok ? { answer: await answer.json() } : `${name} answers ${answer.status}`;
  } catch (error) {
    ec2.signal.throwIfAborted();
    return `${name} does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function endpointOf(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`;
}

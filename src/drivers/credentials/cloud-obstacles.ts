import { z } from "zod";
import type { CloudCredential } from "../../facts/controller/cloud-credentials.ts";
import { httpDriver } from "../http.ts";
import { type HttpAnswer, parsed, type Question, requestTo } from "./cloud-request.ts";
import { type Side, Unanswered } from "./side.ts";

/**
 * The obstacles to renewing the credentials that are due; undefined if there are no obstacles or no such credentials.
 */
export async function obstaclesTo(
  local: Side,
  question: Question,
  found: Readonly<Record<string, { readonly credential: CloudCredential }>>,
  signal: AbortSignal,
) {
  const due = Object.entries(found).filter(([, one]) => one.credential.due);
  if (due.length === 0) return undefined;
  const life = await lifeOfTokens(local);
  if (life !== undefined && life < question.renewBeforeSeconds)
    return `Rancher's kubeconfigs expire after ${Math.floor(life / 60)} minutes, so each run would create another; ${shortLife}`;
  const all: string[] = [];
  for (const [own, { credential }] of due) {
    const obstacle = await obstacleTo(question, credential, signal);
    if (obstacle !== undefined) all.push(due.length === 1 ? obstacle : `${own}: ${obstacle}`);
  }
  return all.length === 0 ? undefined : all.join("; ");
}

/** What to do if kubeconfigs expire too soon. */
export const shortLife =
  "lower renewBeforeHours, or raise Rancher's settings kubeconfig-default-token-ttl-minutes and auth-token-max-ttl-minutes";

const settingSchema = z.looseObject({
  kind: z.literal("Setting"),
  value: z.string().default(""),
  default: z.string().default(""),
});

/**
 * The lifetime of a kubeconfig's token, in seconds, according to Rancher's settings, in which 0 means no expiry
 * (pkg/auth/tokens in rancher/rancher); undefined if the token does not expire, or if the settings cannot be read. The
 * token itself is also checked before it is written.
 */
async function lifeOfTokens(local: Side): Promise<number | undefined> {
  const lives: number[] = [];
  for (const setting of ["kubeconfig-default-token-ttl-minutes", "auth-token-max-ttl-minutes"]) {
    try {
      const { data } = settingSchema.safeParse(await local.object(`/apis/management.cattle.io/v3/settings/${setting}`));
      const minutes = Number(data?.value || data?.default);
      if (minutes > 0) lives.push(minutes * 60);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
    }
  }
  return lives.length === 0 ? undefined : Math.min(...lives);
}

/** Asks Rancher whether this API token is allowed to create a kubeconfig for the cluster. */
async function obstacleTo(question: Question, { cluster }: CloudCredential, signal: AbortSignal) {
  if (cluster === "") return "the credential has no clusterId";
  const request = requestTo(question, `/v3/clusters/${encodeURIComponent(cluster)}`);
  const answer = (await httpDriver.read(request, signal)) as HttpAnswer;
  if ("error" in answer) return `Rancher does not answer (${answer.error.message})`;
  if (answer.status === 401) return "Rancher does not accept the API token";
  if (answer.status !== 200) return `Rancher answers HTTP ${answer.status} for the cluster ${cluster}`;
  const { data } = clusterSchema.safeParse(parsed(answer.body));
  if (data === undefined) return "the answer for the cluster is not from Rancher";
  return data.actions.generateKubeconfig === undefined
    ? `the API token is not allowed to create kubeconfigs for ${cluster}`
    : undefined;
}

const clusterSchema = z.looseObject({
  type: z.literal("cluster"),
  actions: z.looseObject({ generateKubeconfig: z.string().optional() }).default({}),
});

import { z } from "zod";
import { absent } from "../../../core/facts/symbols.ts";
import {
  type KubeEvictable,
  kubePodKey,
  type KubePodsWhere,
  type KubeVictim,
} from "../../../facts/controller/kube-pods.ts";
import type { KubeProblem } from "../../../facts/controller/kube-object.ts";
import { type ApiAnswer, messageOf, parsed, retryAfterMs } from "../../kubernetes-exchange.ts";
import type { Cluster } from "../cluster.ts";
import { findResource, pathOf, type Resource } from "../discovery.ts";
import { failureOf, isUnasked, problemOf, statusOf } from "../failures.ts";
import { readPods } from "./pods.ts";

/** A server's API for evictions. */
export interface EvictionApi {
  readonly pods: Resource;
  /** `policy/v1`, or `policy/v1beta1` before Kubernetes 1.22. */
  readonly version: string;
}

/** Finds out which version of the eviction API a server supports. Throws FurrowError E_DRIVER if it supports none. */
export async function evictionApi(cluster: Cluster): Promise<EvictionApi> {
  const pods = await findResource(cluster, "v1", "Pod");
  const version = pods?.subresources["eviction"];
  if (pods !== undefined && version !== undefined) return { pods, version };
  const message = "the server does not list the eviction subresource of pods";
  throw failureOf("evict pods", cluster.server, { code: "no-eviction", message });
}

/** Requests one eviction. The uid protects a new pod of the same name that was created in the meantime. */
export function askToEvict(
  cluster: Cluster,
  { pods, version }: EvictionApi,
  { namespace, name, uid }: KubeVictim,
  options: { readonly gracePeriodSeconds?: number | undefined; readonly isDryRun: boolean },
): Promise<ApiAnswer> {
  const { gracePeriodSeconds, isDryRun } = options;
  const path = `${pathOf("v1", pods, name, namespace)}/eviction`;
  const deleteOptions = {
    preconditions: { uid },
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    // Server versions differ in where they look for `dryRun`, so the path contains it too.
    ...(isDryRun && { dryRun: ["All"] }),
  };
  const body = { apiVersion: version, kind: "Eviction", metadata: { name, namespace }, deleteOptions };
  const request = { method: "POST", path: isDryRun ? `${path}?dryRun=All` : path, body, answersBusy: true };
  return cluster.ask(request, `evict Pod ${namespace}/${name}`);
}

/** The meaning of the response to an eviction. */
export type EvictionOutcome =
  /** The pod is being deleted. */
  | { readonly is: "evicted" }
  /** The pod is gone, or was replaced by a different one; only another read can tell which. */
  | { readonly is: "unclear" }
  /** The pod cannot be evicted yet. `afterMs`: how long the server wants the client to wait before the next request. */
  | { readonly is: "blocked"; readonly why: string; readonly afterMs: number | undefined }
  | { readonly is: "refused" };

const delay = z.looseObject({ details: z.looseObject({ retryAfterSeconds: z.number().min(0) }) });

/**
 * The server's response to an eviction: 429 if a disruption budget forbids it now, or if a webhook first moves the
 * pod's virtual machine elsewhere (https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/).
 */
export function outcomeOf(answer: ApiAnswer): EvictionOutcome {
  const { status } = answer;
  if (status === 200 || status === 201) return { is: "evicted" };
  const said = statusOf(answer);
  if (status === 409 || (status === 404 && said?.reason === "NotFound")) return { is: "unclear" };
  const causes = said?.details.causes ?? [];
  const ends = status === 403 && causes.some(({ reason }) => reason === "NamespaceTerminating");
  if (![429, 503, 504].includes(status) && !ends) return { is: "refused" };
  const budgets = causes.filter(({ reason }) => reason === "DisruptionBudget").map(({ message }) => message);
  const why = (budgets.length === 0 ? messageOf(answer.body) : budgets.join(" ")).replace(/\.$/, "");
  return { is: "blocked", why, afterMs: delayOf(answer) };
}

function delayOf({ retryAfter, body }: ApiAnswer): number | undefined {
  const header = retryAfter === undefined ? Number.NaN : retryAfterMs(retryAfter);
  if (!Number.isNaN(header)) return header;
  const seconds = delay.safeParse(parsed(body)).data?.details.retryAfterSeconds;
  return seconds === undefined || seconds === 0 ? undefined : seconds * 1000;
}

/** Why the server refuses an eviction; undefined if its response is not a refusal. */
export function evictionProblem(answer: ApiAnswer, { namespace, name }: KubeVictim): KubeProblem | undefined {
  const message = messageOf(answer.body);
  if (/more than one PodDisruptionBudget/.test(message)) {
    return {
      code: "many-budgets",
      message: `Pod ${namespace}/${name} cannot be evicted: ${message}`,
      hint: "Make sure that only one PodDisruptionBudget matches the pod",
    };
  }
  return problemOf(answer, `the eviction of Pod ${namespace}/${name}`);
}

/** How many evictions are requested in parallel. */
const mostAtOnce = 8;

/** Processes the elements, a few at a time. */
export async function eachOf<T>(list: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = [...list];
  const work = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await act(one);
  };
  await Promise.all(Array.from({ length: mostAtOnce }, work));
}

/** Asks the server, in a dry run, whether it would evict the pods that still exist. */
export async function rehearseEviction(
  cluster: Cluster,
  where: KubePodsWhere,
  victims: readonly KubeVictim[],
): Promise<KubeEvictable> {
  const { details } = await readPods(cluster, where);
  const left = victims.filter((victim) => details[kubePodKey(victim)]?.deleting === absent);
  if (left.length === 0) return { blocked: [] };
  const api = await evictionApi(cluster);
  const blocked: string[] = [];
  const problems: KubeProblem[] = [];
  const unasked: string[] = [];
  await eachOf(left, async (victim) => {
    const answer = await askToEvict(cluster, api, victim, { isDryRun: true });
    const outcome = outcomeOf(answer);
    const name = `${victim.namespace}/${victim.name}`;
    if (outcome.is === "blocked") blocked.push(`${name} (${outcome.why})`);
    if (outcome.is !== "refused") return;
    if (isUnasked(answer)) {
      unasked.push(messageOf(answer.body));
      return;
    }
    const problem = evictionProblem(answer, victim);
    if (problem === undefined) throw failureOf(`ask whether Pod ${name} can be evicted`, cluster.server, answer);
    problems.push(problem);
  });
  const [problem] = problems.toSorted((a, b) => (a.message < b.message ? -1 : 1));
  const [why] = unasked;
  return {
    blocked: blocked.toSorted(),
    ...(problem !== undefined && { problem }),
    ...(why !== undefined && { unasked: why }),
  };
}

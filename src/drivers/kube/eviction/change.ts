import { setTimeout as pause } from "node:timers/promises";
import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { kubePodKey, type KubePods, type KubePodsWhere, type KubeVictim } from "../../../facts/controller/kube-pods.ts";
import type { Cluster } from "../cluster.ts";
import { askToEvict, eachOf, evictionApi, type EvictionApi, outcomeOf } from "./eviction.ts";
import { failureOf } from "../failures.ts";
import { readPods } from "./pods.ts";

/** Pods to evict. */
export interface Eviction {
  readonly where: KubePodsWhere;
  readonly victims: readonly KubeVictim[];
  readonly gracePeriodSeconds?: number | undefined;
  readonly deadlineSeconds: number;
  /** Milliseconds between two checks of the pods; a refused eviction is retried after five times as long. */
  readonly pauseMs: number;
}

/** A pod that still exists. */
interface Left {
  readonly victim: KubeVictim;
  isAccepted: boolean;
  /** When the next request may be sent. */
  dueAt: number;
  why: string;
}

/**
 * Evicts pods, and waits until they are gone. A pod that is re-created under the same name is a different pod. Throws
 * FurrowError E_DRIVER if the server refuses an eviction for good, and E_WAIT at the deadline, with the reason for each
 * pod. Requests are retried while the cluster is unreachable: an evicted pod may have held the cluster's address.
 */
export async function evict(
  cluster: Cluster,
  eviction: Eviction,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const { where, victims, deadlineSeconds, pauseMs } = eviction;
  const api = await evictionApi(cluster);
  const left = new Map(victims.map((victim) => [kubePodKey(victim), newLeft(victim)]));
  const end = Date.now() + deadlineSeconds * 1000;
  let said = "";
  let unseen: string | undefined;
  for (;;) {
    unseen = update(left, await look(cluster, where, signal));
    if (unseen === undefined && left.size === 0) return;
    const progress = progressOf([...left.values()], victims.length, unseen);
    if (progress !== said) say?.(progress);
    said = progress;
    if (Date.now() >= end) throw tooLate([...left.values()], eviction, unseen);
    // Nothing is evicted while the cluster's state cannot be read.
    if (unseen === undefined) await sendDue(cluster, api, [...left.values()], eviction, signal);
    await pause(pauseMs, undefined, { signal });
  }
}

function newLeft(victim: KubeVictim): Left {
  return { victim, isAccepted: false, dueAt: 0, why: "will be evicted" };
}

/** The pods, or why they cannot be read. */
async function look(cluster: Cluster, where: KubePodsWhere, signal: AbortSignal): Promise<KubePods | string> {
  try {
    return await readPods(cluster, where);
  } catch (error) {
    signal.throwIfAborted();
    if (isFurrowError(error)) return error.failure.current ?? error.message;
    throw error;
  }
}

/** Drops the pods that are gone. If the pods could not be read, returns the reason. */
function update(left: Map<string, Left>, seen: KubePods | string): string | undefined {
  if (typeof seen === "string") return seen;
  for (const [key, one] of left) {
    const now = seen.details[key];
    if (now === undefined) left.delete(key);
    else if (now.deleting !== absent) {
      one.isAccepted = true;
      one.why = `is being deleted${now.deleting.length === 0 ? "" : `, and waits for ${now.deleting.join(", ")}`}`;
    }
  }
  return undefined;
}

async function sendDue(
  cluster: Cluster,
  api: EvictionApi,
  left: readonly Left[],
  { gracePeriodSeconds, pauseMs, victims }: Eviction,
  signal: AbortSignal,
): Promise<void> {
  const due = left.filter(({ isAccepted, dueAt }) => !isAccepted && dueAt <= Date.now());
  let failure: FurrowError | undefined;
  await eachOf(due, async (one) => {
    if (failure !== undefined) return;
    const later = (why: string, afterMs = pauseMs * 5): void => {
      one.why = why;
      one.dueAt = Date.now() + afterMs;
    };
    try {
      const answer = await askToEvict(cluster, api, one.victim, { gracePeriodSeconds, isDryRun: false });
      const outcome = outcomeOf(answer);
      if (outcome.is === "evicted") {
        one.isAccepted = true;
        one.why = "is being deleted";
      } else if (outcome.is === "blocked") later(outcome.why, outcome.afterMs);
      else if (outcome.is === "unclear") later("is changing at the moment");
      else failure ??= failureOf(`evict Pod ${nameOf(one)}`, cluster.server, answer);
    } catch (error) {
      signal.throwIfAborted();
      // An error means only that no response arrived. The uid makes a retry safe.
      if (!isFurrowError(error)) throw error;
      later(`cannot be evicted: ${error.failure.current ?? error.message}`);
    }
  });
  if (failure === undefined) return;
  const begun = begunOf(left).map(nameOf);
  const gone = victims.length - left.length;
  throw new FurrowError("E_DRIVER", {
    ...failure.failure,
    ...(gone + begun.length > 0 && { hasChanged: true }),
    details: [
      `${gone} of ${victims.length} pods are gone`,
      ...(begun.length === 0 ? [] : [`being deleted: ${begun.join(", ")}`]),
    ],
  });
}

/** The pods that are being deleted. */
function begunOf(left: readonly Left[]): readonly Left[] {
  return left.filter(({ isAccepted }) => isAccepted);
}

function nameOf({ victim: { namespace, name } }: Left): string {
  return `${namespace}/${name}`;
}

/** The maximum number of pods that a progress message names. */
const mostNames = 5;

function progressOf(left: readonly Left[], all: number, unseen: string | undefined): string {
  const gone = `${all - left.length} of ${all} pods are gone`;
  if (unseen !== undefined) return `${gone}; the others could not be read: ${unseen}`;
  // Pods that are blocked come first.
  const told = left.toSorted((a, b) => Number(a.isAccepted) - Number(b.isAccepted)).slice(0, mostNames);
  const more = left.length > mostNames ? `; and ${left.length - mostNames} more` : "";
  return `${gone}; ${told.map(reasonOf).join("; ")}${more}`;
}

function reasonOf(one: Left): string {
  return `${nameOf(one)}: ${one.why}`;
}

function tooLate(
  left: readonly Left[],
  { victims, deadlineSeconds }: Eviction,
  unseen: string | undefined,
): FurrowError {
  const all = victims.length;
  const gone = all - left.length;
  const evicted = gone + begunOf(left).length;
  return new FurrowError("E_WAIT", {
    what: `${left.length} of ${all} pods still exist ${deadlineSeconds} s after the eviction began`,
    ...(unseen !== undefined && { current: `they could not be read: ${unseen}` }),
    ...(evicted > 0 && { hasChanged: true }),
    details: [
      ...(evicted === 0 ? [] : [`evicted so far: ${evicted} of ${all} pods; ${gone} are gone`]),
      ...left.map(reasonOf),
    ],
    hint: "Find out why the pods do not terminate and what their disruption budgets require, or raise deadlineSeconds",
  });
}

import { setTimeout as pause } from "node:timers/promises";
import { FurrowError } from "../../../core/errors.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { kubeName, type KubeObjectData } from "../../../facts/controller/kube-object.ts";
import type { KubeEnding, KubeScale, KubeScaleTo } from "../../../facts/controller/kube-scale.ts";
import type { Cluster } from "../cluster.ts";
import { afterChange } from "../done-before.ts";
import { findResource, type Resource } from "../discovery.ts";
import { failureOf, NotNow, notNow, unseen } from "../failures.ts";
import type { LiveObject } from "../live-object.ts";
import { readLive } from "../live-read.ts";
import { endingPods } from "./ending-pods.ts";
import { type Numbers, readNumbers, replaced, scaleRequest } from "./scale.ts";
import { latestWarning } from "../seen.ts";

/** A change to one object's number of replicas. */
export interface ScaleChange extends KubeScaleTo {
  readonly object: KubeObjectData;
}

/** The maximum number of times that a change is retried because someone else changed the object at the same time. */
const mostConflicts = 20;

/**
 * Sets the number of replicas, unless it is already correct, and waits until the controller has applied it. Throws
 * FurrowError E_DRIVER if the server refuses the change, if the object was replaced after the decision, or if someone
 * else sets a different number in the meantime; and E_WAIT at the deadline, with the progress so far.
 */
export async function scale(
  cluster: Cluster,
  change: ScaleChange,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const { object } = change;
  const doing = `scale ${kubeName(object)} to ${change.replicas}`;
  const resource = await findResource(cluster, object.apiVersion, object.kind);
  if (resource === undefined) throw failureOf(doing, cluster.server, replaced);
  const before = await setNumber(cluster, resource, change, doing, signal);
  const { deadlineSeconds } = change;
  if (deadlineSeconds === undefined) return;
  const done =
    before === undefined
      ? undefined
      : `its number of replicas was set to ${change.replicas} (before: ${numberText(before)})`;
  await afterChange(done, () => follow(cluster, resource, { ...change, deadlineSeconds }, signal, say));
}

/** Sets the number of replicas. Returns the previous number; undefined if it was already correct. */
async function setNumber(
  cluster: Cluster,
  resource: Resource,
  change: ScaleChange,
  doing: string,
  signal: AbortSignal,
): Promise<KubeScale["replicas"] | undefined> {
  const { object, replicas, currentReplicas } = change;
  for (let conflicts = 0; ; conflicts += 1) {
    const { scale: now, resourceVersion } = await readSame(cluster, resource, change, doing);
    if (now.replicas === replicas) return undefined;
    if (currentReplicas !== undefined && now.replicas !== currentReplicas) {
      throw failureOf(doing, cluster.server, {
        code: "other-number",
        message: `its number of replicas is ${numberText(now.replicas)}, but currentReplicas is ${currentReplicas}`,
      });
    }
    const answer = await cluster.ask(scaleRequest(resource, object, replicas, resourceVersion), doing);
    if (answer.status === 200) return now.replicas;
    if (answer.status !== 409 || conflicts >= mostConflicts) throw failureOf(doing, cluster.server, answer);
    await pause(50, undefined, { signal });
  }
}

type Read = Numbers & { readonly live: LiveObject };

/** Reads the object. Throws FurrowError E_DRIVER if it was deleted or replaced after the decision. */
async function readSame(
  cluster: Cluster,
  resource: Resource,
  { object, uid }: ScaleChange,
  doing: string,
): Promise<Read> {
  const live = await readLive(cluster, resource, { object });
  if (live === undefined || live.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined)
    throw failureOf(doing, cluster.server, replaced);
  return { ...(await readNumbers(cluster, resource, object, live)), live };
}

async function follow(
  cluster: Cluster,
  resource: Resource,
  change: ScaleChange & { readonly deadlineSeconds: number },
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const { object, replicas, deadlineSeconds } = change;
  const name = kubeName(object);
  const end = Date.now() + deadlineSeconds * 1000;
  let said = "";
  for (;;) {
    const seen = await readSame(cluster, resource, change, `wait for ${name}`).catch(notNow);
    if (!(seen instanceof NotNow) && seen.scale.replicas !== replicas) {
      throw failureOf(`keep ${name} at ${replicas} replicas`, cluster.server, {
        code: "other-number",
        message: `someone else has set its number of replicas to ${numberText(seen.scale.replicas)}`,
      });
    }
    const ending = replicas === 0 ? await endingPods(cluster, resource, object).catch(notNow) : { pods: [] };
    if (!(seen instanceof NotNow) && !(ending instanceof NotNow) && hasFollowed(seen.scale) && ending.pods.length === 0)
      return;
    const progress = [seen instanceof NotNow ? unseen(seen) : progressOf(seen.scale), ...endingText(ending)].join("; ");
    if (progress !== said) say?.(`${name}: ${progress}`);
    said = progress;
    if (Date.now() >= end) {
      const warning = seen instanceof NotNow ? absent : await latestWarning(cluster, seen.live);
      throw new FurrowError("E_WAIT", {
        what: `${name} does not have ${replicas} replicas ${deadlineSeconds} s after the request`,
        current: `${progress}${warning === absent ? "" : `. Its last warning: ${warning}`}`,
        hint: "Look at its pods and their events, raise deadlineSeconds, or set wait: false",
      });
    }
    await pause(500, undefined, { signal });
  }
}

/** True if exactly the requested number of replicas is running and ready. */
function hasFollowed({ replicas, running, ready, isOutdated }: KubeScale): boolean {
  return !isOutdated && running === replicas && (ready === absent || ready === replicas);
}

function progressOf({ replicas, running, ready, isOutdated }: KubeScale): string {
  const outdated = isOutdated ? "its controller has not seen the change yet; " : "";
  const isReady = ready === absent ? "" : `, ${ready} ready`;
  return `${outdated}${numberText(running)} of ${numberText(replicas)} replicas exist${isReady}`;
}

function endingText(ending: KubeEnding | NotNow): string[] {
  if (ending instanceof NotNow) return [`its pods: ${unseen(ending)}`];
  return ending.pods.length === 0 ? [] : [`still being deleted: ${ending.pods.join(", ")}`];
}

function numberText(number: KubeScale["replicas"]): string {
  return number === absent ? "not set" : String(number);
}

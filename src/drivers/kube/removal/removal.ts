import { setTimeout as pause } from "node:timers/promises";
import { FurrowError } from "../../../core/errors.ts";
import {
  type KubeObjectState,
  kubeName,
  kubeNothing,
  type KubeProblem,
} from "../../../facts/controller/kube-object.ts";
import { kubeMisnamed } from "../../../facts/controller/kube-kind.ts";
import { kubeNotEmpty } from "../../../facts/controller/kube-not-empty.ts";
import type { Cluster } from "../cluster.ts";
import { unreachableOf } from "../early/not-yet.ts";
import { afterChange } from "../done-before.ts";
import { contentsOf } from "./contents.ts";
import type { Identity } from "./gone-before.ts";
import { forgetKinds, isUnserved, pathOf, type Resource, versionsThatServe, whileServed } from "../discovery.ts";
import { denialOf, failureOf, isNotFound, NotNow, notNow, problemOf, unseen } from "../failures.ts";
import { readLive } from "../live-read.ts";
import { holdersOf, type LiveObject } from "../live-object.ts";
import { nearKinds } from "../mistakes/near-kinds.ts";
import { placeProblem } from "../place-problem.ts";
import { ownersProblem } from "./owners.ts";
import { replaced } from "../scale/scale.ts";
import type { Sent } from "../view.ts";

/** An object to delete. */
export interface Deleted extends Sent {
  readonly force?: boolean | undefined;
  /** Objects that are deleted before this one, so they do not count as lost with it. */
  readonly besides?: readonly Identity[] | undefined;
}

const nothing = { ...kubeNothing, after: kubeNothing };

/** Reads an object, finds what else would be deleted with it, and asks for a dry run of the deletion. */
export async function readDeleted(cluster: Cluster, deleted: Deleted): Promise<KubeObjectState> {
  const { object } = deleted;
  const state = await whileServed(cluster, object, (resource) => readServed(cluster, resource, deleted));
  if (state !== undefined) return state;
  const problem = await whyUnknown(cluster, object);
  return problem === undefined ? nothing : { ...nothing, problem };
}

/**
 * For an object whose kind the server does not serve: why furrow cannot tell whether the object is gone; undefined
 * if it is gone.
 */
async function whyUnknown(cluster: Cluster, object: Sent["object"]): Promise<KubeProblem | undefined> {
  const servedIn = await versionsThatServe(cluster, object.apiVersion, object.kind);
  return kubeMisnamed(object, kubeName(object), { servedIn, near: await nearKinds(cluster, object) });
}

async function readServed(cluster: Cluster, resource: Resource, deleted: Deleted): Promise<KubeObjectState> {
  const { object, force } = deleted;
  const misplaced = placeProblem(resource, deleted);
  if (misplaced !== undefined) return { ...nothing, problem: misplaced };
  const live = await readLive(cluster, resource, deleted);
  if (live === undefined) return nothing;
  const { uid, deletionTimestamp } = live.metadata;
  const there = { exists: true, fields: {}, owner: {}, after: kubeNothing, uid };
  if (deletionTimestamp !== undefined) return { ...there, deleting: holdersOf(live) };
  const owners = force === true ? undefined : ownersProblem(deleted, live);
  if (owners !== undefined) return { ...there, problem: owners };
  const contents = await contentsOf(cluster, live, deleted.besides);
  const doing = `ask whether ${kubeName(object)} can be deleted`;
  const answer = await cluster.ask(deletion(resource, deleted, { uid }, true), doing);
  if (answer.status === 200 || answer.status === 202) return { ...there, ...(contents !== "" && { contents }) };
  if (isNotFound(answer, object.metadata.name)) return nothing;
  const denied = denialOf(answer, kubeName(object)) ?? unreachableOf(answer, object);
  if (denied !== undefined) return { ...there, denied };
  const problem = problemOf(answer, kubeName(object));
  if (problem === undefined) throw failureOf(doing, cluster.server, answer);
  return { ...there, problem };
}

/** The deletion of one object, by its uid. */
export interface Deletion extends Sent {
  readonly force?: boolean | undefined;
  /** True if everything in a namespace, all objects of a kind, or the object's volumes may be deleted with it. */
  readonly deleteContents?: boolean | undefined;
  readonly uid: string;
  readonly deadlineSeconds: number;
}

/**
 * Deletes an object, and waits until it is gone. Throws FurrowError E_REFUSED if the object has changed since the
 * decision in such a way that it must no longer be deleted, E_DRIVER with the server's message, and E_WAIT at the
 * deadline, with the finalizers that the object is waiting for.
 */
export async function remove(
  cluster: Cluster,
  deleted: Deletion,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const { object } = deleted;
  const isGone = await whileServed(cluster, object, async (resource) => {
    const end = Date.now() + deleted.deadlineSeconds * 1000;
    if (await begin(cluster, resource, deleted, end, signal))
      await afterChange("its deletion was requested", () =>
        waitUntilGone(cluster, resource, deleted, end, signal, say),
      );
    return true;
  });
  const problem = isGone === true ? undefined : await whyUnknown(cluster, object);
  if (problem !== undefined) throw new FurrowError("E_REFUSED", { what: problem.message, hint: problem.hint });
  if (object.kind === "CustomResourceDefinition") forgetKinds(cluster);
}

async function waitUntilGone(
  cluster: Cluster,
  resource: Resource,
  deleted: Deletion,
  end: number,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const { object, uid, deadlineSeconds } = deleted;
  const name = kubeName(object);
  let said = "";
  for (;;) {
    const live = await readLive(cluster, resource, deleted).catch(notNow);
    if (live === undefined || (!(live instanceof NotNow) && live.metadata.uid !== uid)) return;
    const waitsFor = live instanceof NotNow ? unseen(live) : waits(live);
    if (waitsFor !== said) say?.(`${name} ${waitsFor}`);
    said = waitsFor;
    if (Date.now() >= end) {
      throw new FurrowError("E_WAIT", {
        what: `${name} still exists ${deadlineSeconds} s after its deletion began`,
        current: waitsFor,
        hint:
          waitsFor === unbegun ? unbegunHint : "Find out why its finalizers are not removed, or raise deadlineSeconds",
      });
    }
    await pause(500, undefined, { signal });
  }
}

/** The maximum number of times that a deletion is retried because someone changed the object at the same time. */
const mostConflicts = 20;

/**
 * Requests the deletion of exactly the object that was read and judged immediately before. If anyone changes the object
 * in the meantime, it is read and judged again. False if the object does not exist.
 */
async function begin(
  cluster: Cluster,
  resource: Resource,
  deleted: Deletion,
  end: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { object, uid } = deleted;
  const doing = `delete ${kubeName(object)}`;
  for (let conflicts = 0; ; conflicts += 1) {
    const live = await readLive(cluster, resource, deleted);
    if (live === undefined) return false;
    if (live.metadata.uid !== uid) throw failureOf(doing, cluster.server, replaced);
    const isBegun = live.metadata.deletionTimestamp !== undefined;
    if (isBegun && conflicts > 0) return true;
    if (!isBegun) await judge(cluster, deleted, live);
    const answer = await cluster.ask(deletion(resource, deleted, isBegun ? { uid } : versionOf(live), false), doing);
    if (isNotFound(answer, object.metadata.name)) return false;
    if (answer.status === 200 || answer.status === 202) return true;
    const isConflict = answer.status === 409 && denialOf(answer, kubeName(object)) === undefined;
    // If the kind has just been removed, the next read shows that.
    if (!(isConflict || isUnserved(answer)) || conflicts >= mostConflicts || Date.now() >= end)
      throw failureOf(doing, cluster.server, answer);
    await pause(50, undefined, { signal });
  }
}

/** Throws FurrowError E_REFUSED if the object, as it is now, must not be deleted. */
async function judge(cluster: Cluster, deleted: Deletion, live: LiveObject): Promise<void> {
  const owners = deleted.force === true ? undefined : ownersProblem(deleted, live);
  const contents = deleted.deleteContents === true ? "" : await contentsOf(cluster, live, "deleted");
  const problem = owners ?? (contents === "" ? undefined : kubeNotEmpty(deleted.object, contents));
  if (problem === undefined) return;
  throw new FurrowError("E_REFUSED", {
    what: problem.message,
    current: "the object or its contents have changed since furrow decided to delete it",
    hint: problem.hint,
  });
}

function versionOf({ metadata: { uid, resourceVersion } }: LiveObject): Preconditions {
  return { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
}

/** The identity and version that the object must still have when the server deletes it. */
interface Preconditions {
  readonly uid: string;
  readonly resourceVersion?: string;
}

const unbegun = "is not being deleted, although the server accepted the deletion";
const unbegunHint =
  "Delete the object with kubectl, to see whether the server itself or a proxy in front of it answers without deleting";

/** Describes what an object that is being deleted is waiting for. */
function waits(live: LiveObject): string {
  if (live.metadata.deletionTimestamp === undefined) return unbegun;
  const holders = holdersOf(live);
  return holders.length === 0 ? "is being deleted" : `is being deleted and waits for ${holders.join(", ")}`;
}

function deletion(resource: Resource, { object }: Sent, preconditions: Preconditions, isDryRun: boolean) {
  const { name, namespace } = object.metadata;
  const path = pathOf(object.apiVersion, resource, name, namespace);
  const options = { apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy: "Background" };
  return { method: "DELETE", path, body: { ...options, ...(isDryRun && { dryRun: ["All"] }) } };
}

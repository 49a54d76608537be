import { FurrowError } from "../../../core/errors.ts";
import { seal } from "../../../core/secrets/secret.ts";
import { type KubeBasis, kubeName } from "../../../facts/controller/kube-object.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { pathOf, type Resource } from "../discovery.ts";
import { fieldsIn } from "../field-set.ts";
import { entryOf, liveObject, type LiveObject } from "../live-object.ts";
import type { Sent } from "../view.ts";

/** The basis of a decision about an object; undefined if the server gives its objects no versions. */
export function basisOf(live: LiveObject, fieldManager: string): KubeBasis | undefined {
  const { uid, resourceVersion: version } = live.metadata;
  return version === undefined ? undefined : { uid, version, ours: oursIn(live, fieldManager) };
}

/** A hash of the fields that a manager owns, and of their values. */
function oursIn(live: LiveObject, fieldManager: string): string {
  const entry = entryOf(live, fieldManager);
  const fields = entry === undefined ? [] : fieldsIn(entry.fieldsV1, live).map(({ name, value }) => [name, value]);
  return seal(Buffer.from(JSON.stringify(fields)));
}

/** The identity and version that an object must still have when the server changes it. */
export type Precondition = Pick<KubeBasis, "uid" | "version">;

/**
 * The identity and current version of an object to which a decision still applies: others may have changed the object,
 * but not the fields that the manager owns. Throws FurrowError E_REFUSED if the manager's own fields have changed, if
 * the object is being deleted, or if it was replaced by another one.
 */
export function stillDecided(sent: Sent, live: LiveObject | undefined, basis: KubeBasis): Precondition {
  const { object, fieldManager } = sent;
  const current = live === undefined ? undefined : basisOf(live, fieldManager);
  if (current?.uid !== basis.uid || live?.metadata.deletionTimestamp !== undefined) {
    throw deleted(sent, "nothing is applied: the decision to change the object was based on an older version of it");
  }
  if (current.ours === basis.ours) return current;
  throw new FurrowError("E_REFUSED", {
    what: `${kubeName(object)} was changed by another run with the field manager ${fieldManager} at the same moment`,
    current: "nothing is applied: the decision to change the object was based on an older version of it",
    hint,
  });
}

/** The error for an object that someone deleted after it was read. */
export function deleted({ object }: Sent, current: string): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: `${kubeName(object)} was deleted by someone else at the same moment`,
    current,
    hint: "Find out who deletes it; rerun to create it again",
  });
}

/**
 * Throws FurrowError E_REFUSED if another run with the same field manager created the object just before this run
 * applied it, so this run has replaced the other run's values. The API has no way to apply an object only if it does
 * not exist yet.
 */
export async function refuseReplaced(
  cluster: Cluster,
  resource: Resource,
  { object, fieldManager }: Sent,
  live: LiveObject,
): Promise<void> {
  const before = await previousOf(cluster, resource, live);
  // Without an older version, this run changed nothing: the object was created with these values.
  if (before === undefined || entryOf(before, fieldManager) === undefined) return;
  if (oursIn(before, fieldManager) === oursIn(live, fieldManager)) return;
  throw new FurrowError("E_REFUSED", {
    what: `${kubeName(object)} was created by another run with the field manager ${fieldManager} at the same moment`,
    current: "this run's values have replaced those of the other run",
    hint,
  });
}

/**
 * An object as it was before its latest change; undefined if that change created it, or if the server does not say. The
 * version is the revision of the whole store (https://kubernetes.io/docs/reference/using-api/api-concepts/,
 * `resourceVersionMatch`).
 */
async function previousOf(
  cluster: Cluster,
  resource: Resource,
  { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion = "" } }: LiveObject,
): Promise<LiveObject | undefined> {
  if (!/^[1-9]\d*$/.test(resourceVersion)) return undefined;
  const selector = encodeURIComponent(`metadata.name=${name}`);
  const revision = `resourceVersion=${BigInt(resourceVersion) - 1n}&resourceVersionMatch=Exact`;
  const path = `${pathOf(apiVersion, resource, undefined, namespace)}?fieldSelector=${selector}&${revision}`;
  const doing = `read the previous version of ${name}`;
  const answer = await readList(path, (page) => cluster.ask({ path: page }, doing));
  // The items of a list do not repeat its type.
  const items = "error" in answer ? [] : answer.items.map((item) => ({ apiVersion, kind, ...(item as object) }));
  return items
    .flatMap((item) => liveObject.safeParse(item).data ?? [])
    .find(({ metadata }) => metadata.name === name && metadata.uid === uid);
}

const hint =
  "Rerun to compare the object with this run's values; if two playbooks apply it, give each its own fieldManager";

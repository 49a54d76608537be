import { FurrowError } from "../../../core/errors.ts";
import { type KubeBasis, kubeName, type KubeObjectData } from "../../../facts/controller/kube-object.ts";
import { type ApiAnswer, parsed } from "../../kubernetes-exchange.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { pathOf, type Resource } from "../discovery.ts";
import { entryOf, liveObject, type LiveObject, othersOf } from "../live-object.ts";
import type { Sent } from "../view.ts";
import { atOnce, oursIn } from "./basis.ts";

/**
 * Throws FurrowError E_REFUSED if someone else created the object just before this run applied it, unless that was
 * another run with the same field manager and values. The API has no way to apply an object only if it does not exist
 * yet; it answers 200 instead of 201 if the object existed. Throws E_DRIVER if the values of the other writer cannot be
 * read.
 */
export async function refuseJoined(cluster: Cluster, resource: Resource, sent: Sent, answer: ApiAnswer): Promise<void> {
  const live = appliedIn(sent, answer);
  const before = await previousOf(cluster, resource, sent, live);
  // If there is no older version, this run changed nothing, because the object was created with these values.
  if (before === undefined) return;
  const { fieldManager } = sent;
  const isOurs = entryOf(before, fieldManager) !== undefined;
  if (isOurs && oursIn(before, fieldManager) === oursIn(live, fieldManager)) return;
  if (isOurs) throw atOnce(sent, "created", "another run", replacedValues);
  // The server applied this to an existing object and reported no conflict, so no other manager's value was replaced.
  if (isInEveryNamespace(sent.object)) return;
  const managers = othersOf(before, fieldManager).map(({ manager }) => manager);
  throw atOnce(sent, "created", managers, "this run's fields have been added to it");
}

/** True for an object that Kubernetes itself creates in each new namespace, a moment after the namespace. */
function isInEveryNamespace({ apiVersion, kind, metadata: { name } }: KubeObjectData): boolean {
  return apiVersion === "v1" && ["ServiceAccount default", "ConfigMap kube-root-ca.crt"].includes(`${kind} ${name}`);
}

/**
 * Throws FurrowError E_REFUSED if another run with the same field manager changed the manager's fields after the
 * decision and before this run applied the object regardless of its version. Throws E_DRIVER if that cannot be checked.
 */
export async function refuseOverwritten(
  cluster: Cluster,
  resource: Resource,
  sent: Sent,
  answer: ApiAnswer,
  basis: KubeBasis,
): Promise<void> {
  const { fieldManager } = sent;
  const live = appliedIn(sent, answer);
  const before = await previousOf(cluster, resource, sent, live);
  if (before === undefined) return;
  if ([basis.ours, oursIn(live, fieldManager)].includes(oursIn(before, fieldManager))) return;
  throw atOnce(sent, "changed", "another run", replacedValues);
}

const replacedValues = "this run's values have replaced those of the other run";

/**
 * An object as it was before its latest change; undefined if that change created it. The version is the revision of the
 * whole store (https://kubernetes.io/docs/reference/using-api/api-concepts/, `resourceVersionMatch`).
 */
async function previousOf(
  cluster: Cluster,
  resource: Resource,
  sent: Sent,
  { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion = "" } }: LiveObject,
): Promise<LiveObject | undefined> {
  if (!/^[1-9]\d*$/.test(resourceVersion)) throw unchecked(sent, "the server sent no version of the object");
  const selector = encodeURIComponent(`metadata.name=${name}`);
  const revision = `resourceVersion=${BigInt(resourceVersion) - 1n}&resourceVersionMatch=Exact`;
  const path = `${pathOf(apiVersion, resource, undefined, namespace)}?fieldSelector=${selector}&${revision}`;
  const doing = `read the previous version of ${name}`;
  const answer = await readList(path, (page) => cluster.ask({ path: page }, doing));
  if ("error" in answer) throw unchecked(sent, `${answer.error.code}: ${answer.error.message}`);
  // The items of a list do not repeat its type.
  return answer.items
    .flatMap((item) => liveObject.safeParse({ apiVersion, kind, ...(item as object) }).data ?? [])
    .find(({ metadata }) => metadata.name === name && metadata.uid === uid);
}

function appliedIn(sent: Sent, { body }: ApiAnswer): LiveObject {
  const live = liveObject.safeParse(parsed(body)).data;
  if (live === undefined) throw unchecked(sent, "the response does not contain the object");
  return live;
}

function unchecked({ object }: Sent, why: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `someone else changed ${kubeName(object)} at the same moment; this run's fields are applied, but whose values they replaced is unknown`,
    current: `the previous version of the object cannot be read: ${why}`,
    hint: "Rerun to compare the object with this run's values; permission to list the objects of this kind lets furrow find out",
  });
}

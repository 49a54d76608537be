import type { FurrowError } from "../../core/errors.ts";
import { kubeName } from "../../facts/controller/kube-object.ts";
import { parsed } from "../kubernetes-exchange.ts";
import type { Cluster } from "./cluster.ts";
import { findResource, forgetKinds, isUnserved, pathOf, type Resource } from "./discovery.ts";
import { failureOf, isNotFound } from "./failures.ts";
import { liveObject, type LiveObject } from "./live-object.ts";
import { fromJointList } from "./joint-list.ts";
import { repeatedKey } from "./repeated-key.ts";
import type { Sent } from "./view.ts";

/**
 * The object on the server; undefined only if the server reports it as missing. Throws FurrowError E_DRIVER, and
 * {@link KindGone} if the server no longer serves the object's kind.
 */
export async function readLive(
  cluster: Cluster,
  resource: Resource,
  { object }: Pick<Sent, "object">,
): Promise<LiveObject | undefined> {
  const { name, namespace } = object.metadata;
  const doing = `read ${kubeName(object)}`;
  const joint = await fromJointList(cluster, resource, { apiVersion: object.apiVersion, namespace, name });
  if (joint.listed) {
    if (joint.object === undefined) return undefined;
    const listed = liveObject.safeParse(joint.object).data;
    if (listed !== undefined) return listed;
  }
  const answer = await cluster.ask({ path: pathOf(object.apiVersion, resource, name, namespace) }, doing);
  if (isNotFound(answer, name)) return undefined;
  if (isUnserved(answer)) throw await whyUnserved(cluster, object, doing);
  const live = answer.status === 200 ? liveObject.safeParse(parsed(answer.body)).data : undefined;
  const isOther =
    live?.kind !== object.kind ||
    live.metadata.name !== name ||
    (resource.namespaced && namespace !== undefined && live.metadata.namespace !== namespace);
  if (live === undefined || isOther) {
    throw failureOf(doing, cluster.server, answer.status === 200 ? notAnObject : answer);
  }
  const twice = repeatedKey(answer.body);
  if (twice !== undefined) {
    const message = `${notAnObject.message}: it contains the key ${twice} twice`;
    throw failureOf(doing, cluster.server, { ...notAnObject, message });
  }
  return live;
}

/**
 * The failure for an object whose path does not exist: its kind was removed after furrow read the kinds of the group,
 * for example because an operator was uninstalled.
 */
async function whyUnserved(
  cluster: Cluster,
  { apiVersion, kind }: Sent["object"],
  doing: string,
): Promise<FurrowError> {
  forgetKinds(cluster, apiVersion);
  const isServed = (await findResource(cluster, apiVersion, kind)) !== undefined;
  const code = isServed ? "half-served" : "kind-gone";
  const said = isServed ? "lists the kind, but does not serve its objects" : "no longer serves the kind";
  return failureOf(doing, cluster.server, { code, message: `the server ${said} (${kind} in ${apiVersion})` });
}

const notAnObject = { code: "not-an-object", message: "the response does not contain the requested object" };

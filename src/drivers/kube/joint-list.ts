import { readList } from "../kubernetes-list.ts";
import { isRecord } from "../../core/facts/symbols.ts";
import type { ApiAnswer } from "../kubernetes-exchange.ts";
import type { Cluster } from "./cluster.ts";
import { pathOf, type Resource } from "./discovery.ts";
import { Question } from "./question.ts";

/** With this many objects or more, one list is cheaper than one request per object. */
const fewest = 8;
/** The maximum length of a list, as a multiple of the number of requested objects; a longer list is not used. */
const mostTimes = 5;

/** Objects of one kind in one place that are requested at the same moment. */
interface Batch {
  readonly names: Set<string>;
  readonly answers: Promise<ReadonlyMap<string, object> | undefined>;
}

const open = new Map<string, Batch>();

/** Identifies an object by its version, kind, namespace and name. */
export interface Place {
  readonly apiVersion: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * The object as a list contains it, if many objects of its kind and namespace are requested at the same moment: one
 * list serves all these requests. `listed` is false if there is no complete list, because few objects are requested, or
 * because the cluster does not permit listing or has many more objects: the object must then be requested individually.
 * An object that is not in a complete list does not exist.
 */
export async function fromJointList(
  cluster: Cluster,
  resource: Resource,
  { apiVersion, namespace, name }: Place,
): Promise<{ readonly listed: false } | { readonly listed: true; readonly object: object | undefined }> {
  // Without a namespace, a list contains objects from all namespaces, and names are not unique in it.
  if (cluster.question === undefined || resource.namespaced !== (namespace !== undefined)) return { listed: false };
  const path = pathOf(apiVersion, resource, undefined, namespace);
  const key = `${cluster.id} ${path}`;
  const batch = open.get(key) ?? newBatch(cluster, key, { path, kind: resource.kind, namespace });
  batch.names.add(name);
  cluster.question.arrive();
  const objects = await batch.answers;
  if (objects === undefined) return { listed: false };
  const found = objects.get(name);
  // The items of a list do not repeat its type.
  return { listed: true, object: found && { apiVersion, kind: resource.kind, ...found } };
}

/** The list that a batch reads. */
interface Listed {
  readonly path: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

function newBatch(cluster: Cluster, key: string, { path, kind, namespace }: Listed): Batch {
  const names = new Set<string>();
  const answers = Question.allArrived().then(() => {
    // A query that comes later uses a new list.
    open.delete(key);
    return names.size < fewest ? undefined : listOf(cluster, { path, kind, namespace }, names.size * mostTimes);
  });
  const batch = { names, answers };
  open.set(key, batch);
  return batch;
}

/**
 * The objects of a list by name; undefined if the list cannot be read to its end, or if more than `mostLeft` objects
 * follow a page.
 */
async function listOf(
  cluster: Cluster,
  { path, kind, namespace }: Listed,
  mostLeft: number,
): Promise<ReadonlyMap<string, object> | undefined> {
  const ask = async (page: string): Promise<ApiAnswer> => cluster.ask({ path: page }, "list objects");
  // Without a list, each object is requested individually, and that request reports the error.
  const answer = await readList(path, ask, { mostLeft, repeats: true }).catch(() => undefined);
  if (answer === undefined || !("items" in answer) || answer.kind !== `${kind}List`) return undefined;
  const named = answer.items.map((item) => [nameOf(item, namespace), item] as const);
  // If one item is not an object of that namespace, the whole list is invalid.
  if (named.some(([name]) => name === undefined)) return undefined;
  return new Map(named as [string, object][]);
}

/** The name of an object; undefined if the item is not an object of this namespace. */
function nameOf(item: unknown, namespace: string | undefined): string | undefined {
  const { metadata } = item as { readonly metadata?: unknown };
  if (!isRecord(item) || !isRecord(metadata) || metadata["namespace"] !== namespace) return undefined;
  return typeof metadata["name"] === "string" ? metadata["name"] : undefined;
}

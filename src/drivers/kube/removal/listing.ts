import { z } from "zod";
import { parsed } from "../../kubernetes-exchange.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { failureOf } from "../failures.ts";

/** The definition of a custom kind: the parts that are needed to find the kind's objects. */
export const definition = z.looseObject({
  spec: z.looseObject({
    group: z.string().min(1),
    names: z.looseObject({ plural: z.string().min(1), kind: z.string().min(1), listKind: z.string().optional() }),
    versions: z.array(z.looseObject({ name: z.string().min(1), served: z.boolean() })),
  }),
});

const item = z.looseObject({
  metadata: z.looseObject({
    name: z.string().min(1),
    namespace: z.string().optional(),
    uid: z.string().min(1),
    ownerReferences: z
      .array(
        z.looseObject({ apiVersion: z.string().default(""), kind: z.string().default(""), uid: z.string().min(1) }),
      )
      .default([]),
  }),
});

/** The owner of an object. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly uid: string;
}

/** An object that may be deleted together with another one. */
export interface Contained {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  /** The object's namespace, kind and name, as text. */
  readonly identity: string;
  /** The object's owners. When the last owner is deleted, so is the object. */
  readonly owners: readonly Owner[];
  /** The object as the server sent it. */
  readonly sent: Readonly<Record<string, unknown>>;
}

/** A list of all objects of a kind. */
export interface Listing {
  readonly path: string;
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  /** The kind of the list itself, if it is known. */
  readonly listKind?: string | undefined;
}

/** The API group of a version; empty for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

/**
 * Reads a list; `space` is the namespace that all its objects must be in. Throws FurrowError E_DRIVER unless the list
 * is complete.
 */
export async function objectsIn(cluster: Cluster, listing: Listing, space?: string): Promise<readonly Contained[]> {
  const { path, kind, group } = listing;
  const doing = `count the objects of kind ${kind}`;
  const answer = await readList(path, (page) => cluster.ask({ path: page }, doing));
  if ("error" in answer) throw failureOf(doing, cluster.server, answer.error);
  if (
    answer.kind !== `${kind}List` &&
    answer.kind !== (listing.listKind ?? (await listKindOf(cluster, listing, doing)))
  )
    throw failureOf(doing, cluster.server, { code: "not-a-list", message: `the answer is a ${answer.kind}` });
  return answer.items.map((one) => {
    const sent = item.safeParse(one).data;
    if (sent === undefined) throw failureOf(doing, cluster.server, { code: "no-uid", message: "an object has no uid" });
    const { name, namespace, uid, ownerReferences: owners } = sent.metadata;
    if (space !== undefined && namespace !== space)
      throw failureOf(doing, cluster.server, {
        code: "other",
        message: `the list contains an object in namespace ${namespace}`,
      });
    const identity = JSON.stringify([namespace, group === "" ? kind : `${kind}.${group}`, name]);
    return { kind, name, namespace, uid, identity, owners, sent };
  });
}

/** The kind of a list of custom objects, as given in their definition; undefined if no definition gives one. */
async function listKindOf(cluster: Cluster, { plural, group }: Listing, doing: string): Promise<string | undefined> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`;
  const answer = await cluster.ask({ path }, doing);
  return answer.status === 200 ? definition.safeParse(parsed(answer.body)).data?.spec.names.listKind : undefined;
}

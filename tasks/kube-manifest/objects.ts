import { absent, type Absent, refuse, Refusal, z } from "../../src/authoring.ts";
import {
  type KubeDocument,
  type KubeDocuments,
  kubeIdentity,
  type KubeKind,
  isKubeVolume,
  kubeKindsOf,
  kubeName,
  type KubeObjectData,
  type KubeThere,
} from "../../src/facts/catalogue.ts";
import { object as schema } from "../kube-object/params.ts";
import { applyRank, deleteRank, isSpace, ownGroupsOf } from "./order.ts";
import type { Params } from "./params.ts";

/** An object of a manifest, and where it is written. */
export interface Listed {
  readonly object: KubeObjectData;
  /** `shop.yaml, line 12 (document 2)`. */
  readonly place: string;
}

/** The driver has made sure that the documents are JSON. */
const objectSchema = schema(z.custom<never>());

/** A cache of the objects, keyed by their documents, because each stage of facts needs the objects. */
const checked = new WeakMap<object, readonly Listed[] | Refusal>();

/** The objects of a manifest in the order of its documents, or why they cannot be applied. Contacts no cluster. */
function objectsOf(source: KubeDocuments): readonly Listed[] | Refusal {
  if ("problem" in source) return refuse(source.problem);
  const { documents } = source;
  const known = checked.get(documents) ?? check(documents);
  checked.set(documents, known);
  return known;
}

function check(documents: readonly KubeDocument[]): readonly Listed[] | Refusal {
  const listed: Listed[] = [];
  for (const { object, place } of documents) {
    const result = objectSchema.safeParse(object);
    if (!result.success) {
      const [issue] = result.error.issues;
      const field = (issue?.path ?? []).join(".");
      return refuse({
        code: "invalid-object",
        message: `${place}: ${field === "" ? "the object" : `the field ${field}`} is not valid`,
        expected: issue?.message ?? "an object",
        hint: "Correct the manifest",
      });
    }
    listed.push({ object: result.data, place });
  }
  return listed;
}

/** A cache of the results of {@link repeated}, keyed by the objects and their default namespace. */
const compared = new WeakMap<readonly Listed[], Map<string | undefined, Refusal | undefined>>();

/** Refuses a manifest that contains an object twice: the two would undo each other. */
function repeated(listed: readonly Listed[], namespace: string | undefined): Refusal | undefined {
  const known = compared.get(listed) ?? new Map<string | undefined, Refusal | undefined>();
  compared.set(listed, known);
  if (!known.has(namespace)) known.set(namespace, firstRepeated(listed, namespace));
  return known.get(namespace);
}

function firstRepeated(listed: readonly Listed[], namespace: string | undefined): Refusal | undefined {
  const places = new Map<string, string>();
  for (const { object, place } of listed) {
    // It does not matter whether the kind is namespaced: a second object with this name is wrong either way.
    const metadata = { ...object.metadata, namespace: object.metadata.namespace ?? namespace };
    const id = JSON.stringify(kubeIdentity({ ...object, metadata }));
    const first = places.get(id);
    if (first !== undefined) {
      return refuse({
        code: "repeated-object",
        message: `${kubeName(object)} is in the manifest twice: ${first}, and ${place}`,
        hint: "Remove one of them",
      });
    }
    places.set(id, place);
  }
  return undefined;
}

/** Why a manifest cannot be used; undefined if it can. */
export function unusableOf(p: Params, source: KubeDocuments): Refusal | undefined {
  const listed = objectsOf(source);
  return listed instanceof Refusal ? listed : repeated(listed, p.namespace);
}

/** The objects of a manifest in the order of its documents; none if it cannot be used. */
export function usable(p: Params, source: KubeDocuments): readonly Listed[] {
  const listed = objectsOf(source);
  return listed instanceof Refusal || repeated(listed, p.namespace) !== undefined ? [] : listed;
}

/**
 * The kinds of the objects that do not specify a namespace, if the manifest does not show whether these kinds are
 * namespaced.
 */
export function openKinds(listed: readonly Listed[], namespace: string | undefined): readonly KubeKind[] {
  if (namespace === undefined) return [];
  const defined = scopesIn(listed);
  const kinds = new Map<string, KubeKind>();
  for (const { object } of listed) {
    const { apiVersion, kind, metadata } = object;
    if (metadata.namespace === undefined && !defined.has(versioned(object)))
      kinds.set(versioned(object), { apiVersion, kind });
  }
  return [...kinds.values()];
}

/** The kinds that the manifest itself declares as namespaced or cluster-scoped. */
function scopesIn(listed: readonly Listed[]): ReadonlyMap<string, boolean> {
  const scopes = new Map([[versioned({ apiVersion: "v1", kind: "Namespace" }), false]]);
  for (const kind of listed.flatMap(({ object }) => kubeKindsOf(object))) {
    if (kind.namespaced !== undefined) scopes.set(versioned(kind), kind.namespaced);
  }
  return scopes;
}

/** A kind and its version, as a map key. */
export function versioned({ apiVersion, kind }: KubeKind): string {
  return JSON.stringify([apiVersion, kind]);
}

/** What the cluster reports about the kinds in {@link openKinds}. */
export type Scopes = readonly (KubeThere | Absent)[];

/**
 * A cache of the results of {@link inOrder}, keyed by the objects, and by everything else that the order depends on.
 */
const ordered = new WeakMap<readonly Listed[], Map<string, readonly Listed[]>>();

/**
 * The objects in the order in which they are applied or, with state absent, deleted; those without a namespace get the
 * default one if their kind is namespaced. None if the manifest cannot be used.
 */
export function inOrder(p: Params, source: KubeDocuments, scopes: Scopes = []): readonly Listed[] {
  const listed = usable(p, source);
  const orders = ordered.get(listed) ?? new Map<string, readonly Listed[]>();
  ordered.set(listed, orders);
  const key = JSON.stringify([
    p.state,
    p.namespace,
    scopes.map((scope) => scope !== absent && scope?.namespaced === true),
  ]);
  const known = orders.get(key) ?? sorted(p, listed, scopes);
  orders.set(key, known);
  return known;
}

function sorted(p: Params, listed: readonly Listed[], scopes: Scopes): readonly Listed[] {
  const known = new Map(scopesIn(listed));
  openKinds(listed, p.namespace).forEach((kind, index) => {
    const scope = scopes[index];
    if (scope !== undefined && scope !== absent) known.set(versioned(kind), scope.namespaced === true);
  });
  const placed = listed.map((one): Listed => {
    const { object, place } = one;
    const isOpen = p.namespace !== undefined && object.metadata.namespace === undefined;
    if (!isOpen || known.get(versioned(object)) !== true) return one;
    return { object: { ...object, metadata: { ...object.metadata, namespace: p.namespace } }, place };
  });
  if (p.state === "absent") {
    return placed.toSorted((a, b) => deleteRank(a.object) - deleteRank(b.object)).toReversed();
  }
  const own = ownGroupsOf(placed.map(({ object }) => object));
  return placed.toSorted((a, b) => applyRank(a.object, own) - applyRank(b.object, own));
}

/** The objects that are deleted before this one, and that its deletion would otherwise delete too. */
export function deletedBefore(one: Listed, listed: readonly Listed[]): readonly KubeObjectData[] {
  const { object } = one;
  const { name, namespace } = object.metadata;
  const kinds = new Set(kubeKindsOf(object).map((kind) => grouped(kind)));
  const isInside = (other: KubeObjectData): boolean =>
    isSpace(object)
      ? other.metadata.namespace === name
      : kinds.has(grouped(other)) || (isKubeVolume(other) && other.metadata.namespace === namespace);
  const before = listed.slice(0, listed.indexOf(one)).map((other) => other.object);
  return before.filter(isInside);
}

/** A kind and its group, as a map key. */
function grouped({ apiVersion, kind }: KubeKind): string {
  return JSON.stringify([apiVersion.includes("/") ? apiVersion.split("/")[0] : "", kind]);
}

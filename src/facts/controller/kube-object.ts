import type { Absent } from "../../core/facts/symbols.ts";
import { type ControllerFact, exactly, factId, type FactPattern, type Json } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";

/** A cluster: a kubeconfig on the controller, and one of its contexts (default: its current context). */
export interface KubeCluster {
  readonly kubeconfig: string;
  readonly context?: string | undefined;
}

/**
 * A Kubernetes object as data: `apiVersion`, `kind`, `metadata` and everything else. The object's strings may contain
 * secrets.
 */
export interface KubeObjectData {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly [field: string]: unknown;
}

/** What a task asks a cluster to do with one object. */
export interface KubeObjectRequest extends KubeCluster {
  readonly object: KubeObjectData;
  /** The name under which the server records who owns a field. */
  readonly fieldManager: string;
  /** True to take over fields that other managers own, and to delete an object that others own. */
  readonly force: boolean;
}

/** What the object needs and the server lacks: its namespace, or its kind. */
export type KubeLack = "namespace" | "kind";

/** The names of an object's fields, and their values; the names look like `spec.replicas` or `data.color`. */
export type KubeFields = Readonly<Record<string, Json | Absent>>;

/** The fields of an object that a field manager owns or wants to own, and the relevant owners. */
export interface KubeView {
  readonly exists: boolean;
  /** Secret values are replaced by a keyed hash, and the field's name then ends in `Seal`. */
  readonly fields: KubeFields;
  /**
   * The owners of the fields: the manager itself if it owns the field, otherwise all other owners. An owner that will
   * own the field together with the manager is marked `(stays an owner)`.
   */
  readonly owner: Readonly<Record<string, string | Absent>>;
  /**
   * The names of the items in each list whose items have keys (`spec.containers`), in the list's order; not for an
   * object that is new.
   */
  readonly order?: Readonly<Record<string, string>>;
}

/** Why the server would refuse to change or delete an object. */
export interface KubeProblem {
  /** `field-conflict`, `invalid-object`, `forbidden`, … */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** The basis of a decision to change an object: the object's identity, version and relevant fields. */
export interface KubeBasis {
  readonly uid: string;
  /** The object's `resourceVersion`. */
  readonly version: string;
  /** A keyed hash of the fields that the field manager owns, and of their values. */
  readonly ours: string;
}

/** An object on the server, and what it would become according to the server. */
export interface KubeObjectState extends KubeView {
  /**
   * The result of the server's own dry run or, if the server cannot predict the change yet, furrow's own prediction.
   */
  readonly after: KubeView;
  /**
   * The fields as they are sent, if the server has them all and applying them again would change nothing; none if the
   * server cannot tell. Their names are derived without the server, so a task can want them before the server knows the
   * object's kind or namespace.
   */
  readonly sent?: KubeFields;
  readonly lacks?: KubeLack;
  /** If the kind is missing and belongs to Kubernetes itself: what the user may have meant, like `ConfigMap in v1`. */
  readonly near?: readonly string[];
  readonly problem?: KubeProblem;
  /**
   * Why the cluster currently denies the change: a webhook or the API's own admission denies it, or a webhook cannot be
   * called. Once other objects have changed, the cluster may allow the change.
   */
  readonly denied?: KubeProblem;
  /** If the object does not match the schema of its custom kind: the name of the kind's CustomResourceDefinition. */
  readonly definition?: string;
  /** The values that the server gives to fields that are no longer sent. */
  readonly fallbacks?: KubeFields;
  /** Lists whose items the server keeps in a different order from the one that was sent. */
  readonly reordered?: readonly string[];
  /** A part of the object that is not sent, because the server ignores it. */
  readonly leftOut?: "status";
  /** Why the server could not check the object in a dry run. */
  readonly unasked?: string;
  /** The object's identity on the server, so that a deletion does not affect another object of the same name. */
  readonly uid?: string;
  /** The basis of a change to an existing object, so that it does not overwrite another run's concurrent changes. */
  readonly basis?: KubeBasis;
  /** The finalizers that an object is waiting for, if it is being deleted. */
  readonly deleting?: readonly string[];
  /**
   * What would be deleted in addition to the object itself, as text: `3 ConfigMap, 1 Secret`, or
   * `PersistentVolumeClaim shop/db (20Gi)`.
   */
  readonly contents?: string;
}

/** Asks a cluster what applying an object would change. */
export function kubeApplied(request: KubeObjectRequest): ControllerFact<KubeObjectState> {
  return { driver: "kubernetes", request: { of: kubeOf(request), apply: asked(request) } };
}

/**
 * Asks a cluster what else would be deleted together with an object. Does not count the objects in `besides`, which are
 * deleted first, nor the objects that they own.
 */
export function kubeDeleted(
  request: KubeObjectRequest,
  besides: readonly KubeObjectData[] = [],
): ControllerFact<KubeObjectState> {
  const own = besides.map((object) => kubeIdentity(object));
  const question = { ...asked(request), ...(own.length > 0 && { besides: own }) };
  return { driver: "kubernetes", request: { of: kubeOf(request), delete: question } };
}

/**
 * A step that applies an object (server-side apply); `now` is the state on which the decision is based. It fails if
 * another run with the same field manager changes or creates the object at the same moment. Until the deadline, it
 * waits for a webhook of the cluster that cannot be called yet; without a deadline, it fails at once.
 */
export function kubeApply(
  request: KubeObjectRequest,
  now: Pick<KubeObjectState, "exists" | "basis" | "denied" | "definition">,
  deadlineSeconds?: number,
): CallStep {
  const label = `apply ${kubeName(request.object)}`;
  const basis = now.exists ? now.basis : "absent";
  const own = {
    ...asked(request),
    ...(basis !== undefined && { basis: basis as unknown as Json }),
    ...((now.denied !== undefined || now.definition !== undefined) && { wasRefused: true }),
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
  };
  return { step: "call", driver: "kubernetes", request: { of: kubeOf(request), apply: own }, label };
}

/**
 * A step that deletes the object with this uid, and waits until it is gone. It fails if the object belongs to others by
 * then, or has contents, unless `deleteContents` is true.
 */
export function kubeDelete(
  request: KubeObjectRequest,
  uid: string,
  deadlineSeconds: number,
  deleteContents = false,
): CallStep {
  const label = `delete ${kubeName(request.object)}`;
  const own = { ...asked(request), uid, deadlineSeconds, ...(deleteContents && { deleteContents }) };
  return { step: "call", driver: "kubernetes", request: { of: kubeOf(request), delete: own }, label };
}

/** Asks whether a cluster has a namespace. */
export function kubeNamespace(cluster: KubeCluster, name: string): ControllerFact<KubeThere | Absent> {
  return { driver: "kubernetes", request: { has: { ...clusterOf(cluster), namespace: name } } };
}

/** Asks whether a cluster serves a kind in this version. */
export function kubeKind(cluster: KubeCluster, apiVersion: string, kind: string): ControllerFact<KubeThere | Absent> {
  return { driver: "kubernetes", request: { has: { ...clusterOf(cluster), apiVersion, kind } } };
}

/**
 * Returns a fact that every change to an object affects, so that check mode knows what depends on other objects. The
 * fact's value is always true, and the cluster is not queried for it.
 */
export function kubeAnyObject(cluster: KubeCluster): ControllerFact<true> {
  return { driver: "kubernetes", request: { any: clusterOf(cluster) } };
}

/**
 * Returns a fact that every change to a CustomResourceDefinition affects, so that check mode knows that an object may
 * match its schema later. The fact's value is always true, and the cluster is not queried for it.
 */
export function kubeDefinition(cluster: KubeCluster, name: string): ControllerFact<true> {
  const object = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name } };
  return { driver: "kubernetes", request: { of: kubeOf({ ...clusterOf(cluster), object }), defined: true } };
}

/**
 * Returns a fact that shows in check mode whether the contents of a namespace or of a CustomResourceDefinition may
 * differ by the time it is deleted; none for any other object, or if the deletion is refused anyway. If the namespace
 * or definition has contents, every deletion of one of these objects affects the fact; otherwise, every object that is
 * applied in the namespace or definition affects it. The fact's value is always true, and the cluster is not queried
 * for it.
 */
export function kubeContents(
  { object, ...cluster }: KubeCluster & { readonly object: KubeObjectData },
  { exists, contents, problem, deleting }: KubeObjectState,
): readonly ControllerFact<true>[] {
  const { kind, name } = kubeIdentity(object);
  const change = contents === undefined ? "gained" : "lost";
  const fact = (whole: KubeWhole): ControllerFact<true>[] => [
    { driver: "kubernetes", request: { [change]: { ...clusterOf(cluster), ...whole } } },
  ];
  if (!exists || problem !== undefined || deleting !== undefined) return [];
  if (kind === "Namespace") return fact({ namespace: name });
  return kind === definitionKind ? fact({ group: groupOfKinds(name) }) : [];
}

/** What contains an object: a namespace, or the kinds of an API group. */
type KubeWhole = { readonly namespace: string } | { readonly group: string };

const definitionKind = "CustomResourceDefinition.apiextensions.k8s.io";

/** The API group in the name of a CustomResourceDefinition: `example.com` in `tents.example.com`. */
function groupOfKinds(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

/** The facts of {@link kubeContents} that a change to the object affects. */
function contentsWith(
  { object, ...cluster }: KubeCluster & { readonly object: KubeObjectData },
  state: "present" | "absent",
): FactPattern[] {
  const change = state === "present" ? "gained" : "lost";
  const { kind, namespace } = kubeIdentity(object);
  // An object that is deleted with a namespace may be of any kind, and one that is deleted with a kind may be in any
  // namespace.
  if (state === "absent" && (kind === "Namespace" || kind === definitionKind)) {
    return [`kubernetes:${exactly(JSON.stringify({ [change]: clusterOf(cluster) }).slice(0, -2))},**`];
  }
  const [, group] = /^[^.]*\.(.*)$/s.exec(kind) ?? [];
  const wholes: KubeWhole[] = [
    ...(namespace === undefined ? [] : [{ namespace }]),
    ...(group === undefined ? [] : [{ group }]),
  ];
  return wholes.map(
    (whole) => `kubernetes:${exactly(JSON.stringify({ [change]: { ...clusterOf(cluster), ...whole } }))}`,
  );
}

/** A namespace or kind that a cluster has. */
export interface KubeThere {
  readonly there: true;
  /** For a kind: whether its objects are namespaced. */
  readonly namespaced?: boolean;
}

/** The desired value for a namespace or kind that a cluster must have. */
export const kubeThere: KubeThere = { there: true };

/** The value to want for a kind that a cluster serves after its CustomResourceDefinition is applied. */
export function kubeThereAs({ namespaced }: KubeKind): KubeThere {
  return { there: true, ...(namespaced !== undefined && { namespaced }) };
}

/** All facts about clusters, because a change to one object may affect the facts about any other. */
export const kubeFacts: readonly FactPattern[] = ["kubernetes:**"];

/**
 * The facts that change with this object: those about the object, about lists that contain it and about its namespace's
 * contents; if a namespace is deleted, also those about everything in it. `asked` is the task's own fact about the
 * object, which the task itself predicts.
 */
export function kubeFactsOf(
  { object, ...cluster }: KubeCluster & { readonly object: KubeObjectData },
  state: "present" | "absent",
  asked?: ControllerFact<KubeObjectState>,
): FactPattern[] {
  const own = JSON.stringify(kubeOf({ ...cluster, object }));
  const { kind } = kubeIdentity(object);
  const { namespace } = object.metadata;
  const inside = { ...clusterOf(cluster), namespace: object.metadata.name };
  return [
    `kubernetes:{"of":${exactly(own)},**`,
    `kubernetes:${exactly(JSON.stringify({ any: clusterOf(cluster) }))}`,
    ...(listedKinds.has(kind)
      ? [namespace, undefined].map(
          (place) =>
            `kubernetes:{"of":${exactly(JSON.stringify(kubeListOf({ ...cluster, namespace: place }, kind)))},**`,
        )
      : []),
    ...(object.kind === "Namespace" && state === "absent"
      ? [`kubernetes:{"of":${exactly(JSON.stringify(inside).slice(0, -1))},**`]
      : []),
    ...contentsWith({ ...cluster, object }, state),
    ...(asked === undefined ? [] : [`!${exactly(factId(asked))}`]),
  ];
}

/** The name of an object in messages: `Deployment shop/web`. */
export function kubeName({ kind, metadata: { name, namespace } }: KubeObjectData): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** The state of an object that does not exist. */
export const kubeNothing: KubeView = { exists: false, fields: {}, owner: {} };

/** The kinds, with their groups, that tasks read as whole lists. */
const listedKinds: ReadonlySet<string> = new Set(["Pod", "HorizontalPodAutoscaler.autoscaling"]);

/** The part of a request that identifies a cluster. */
export function clusterOf({ kubeconfig, context }: KubeCluster): { kubeconfig: string; context?: string } {
  return { kubeconfig, ...(context !== undefined && { context }) };
}

/**
 * The part of a request that identifies all objects of a kind, in one namespace or everywhere. `kind` has its group:
 * `Deployment.apps`.
 */
export function kubeListOf(
  { namespace, ...cluster }: KubeCluster & { readonly namespace?: string | undefined },
  kind: string,
): { [k: string]: Json } {
  return { ...clusterOf(cluster), ...(namespace !== undefined && { namespace }), kind };
}

/**
 * The part of a request that identifies an object. The names come first and in a fixed order, because
 * {@link kubeFactsOf} matches them.
 */
export function kubeOf({ object, ...cluster }: KubeCluster & { readonly object: KubeObjectData }): {
  [k: string]: Json;
} {
  return { ...clusterOf(cluster), ...kubeIdentity(object) };
}

/** The identity of an object in a cluster; the API version is not part of it. */
export function kubeIdentity({ apiVersion, kind, metadata }: KubeObjectData): {
  readonly namespace?: string;
  /** The kind with its API group: `Deployment.apps`. */
  readonly kind: string;
  readonly name: string;
} {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
  return {
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    kind: `${kind}${group}`,
    name: metadata.name,
  };
}

function asked({ object, fieldManager, force }: KubeObjectRequest): { [k: string]: Json } {
  return { fieldManager, ...(force && { force }), object: object as unknown as Json };
}

/** A kind in one of its versions. */
export interface KubeKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether the kind is namespaced; undefined if the definition does not specify this. */
  readonly namespaced?: boolean;
}

/** The kinds that a CustomResourceDefinition defines, in the versions that it serves; none for any other object. */
export function kubeKindsOf({ kind, ...object }: KubeObjectData): readonly KubeKind[] {
  if (kind !== "CustomResourceDefinition") return [];
  const { group, names, versions, scope } = (object["spec"] ?? {}) as Readonly<Record<string, unknown>>;
  const own = (names ?? {}) as { readonly kind?: unknown };
  if (typeof group !== "string" || typeof own.kind !== "string" || !Array.isArray(versions)) return [];
  const defined = own.kind;
  const place = scope === "Namespaced" || scope === "Cluster" ? { namespaced: scope === "Namespaced" } : {};
  return (versions as readonly { readonly name?: unknown; readonly served?: unknown }[])
    .filter(({ name, served }) => typeof name === "string" && served === true)
    .map(({ name }) => ({ apiVersion: `${group}/${String(name)}`, kind: defined, ...place }));
}

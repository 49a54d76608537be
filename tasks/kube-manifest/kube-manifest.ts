import { absent, onlyRead, type Refusal, refuse, type Step, task } from "../../src/authoring.ts";
import {
  kubeAnyObject,
  kubeApplied,
  kubeApply,
  kubeContents,
  kubeDefinition,
  kubeDelete,
  kubeDeleted,
  kubeDocuments,
  type KubeDocuments,
  kubeFacts,
  kubeFactsOf,
  kubeKept,
  kubeKind,
  kubeNamespace,
  type KubeObjectState,
  kubeThere,
  kubeThereAs,
  kubeThing,
} from "../../src/facts/catalogue.ts";
import { isToChange, notesOf, type ObjectWish, refusalOf, wantOf } from "../kube-object/decision.ts";
import {
  deletedBefore,
  inOrder,
  type Listed,
  openKinds,
  type Scopes,
  unusableOf,
  usable,
  versioned,
} from "./objects.ts";
import { nameOf, params, type Params, sourceOf } from "./params.ts";
import { lackingIn, lackingRefusals, makes } from "./surroundings.ts";

const own = { kubeconfig: "harvester.kubeconfig", fieldManager: "shop" };

/** Applies the Kubernetes objects of a manifest with server-side apply, or deletes them. */
export const kubeManifest = task({
  name: "kubeManifest",
  summary: "Apply the Kubernetes objects of a manifest with server-side apply, or delete them",
  params,
  examples: [
    { path: "manifests/shop", ...own, namespace: "shop" },
    {
      url: "https://example.org/operator/v1.2.3/operator.yaml",
      checksum: "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      ...own,
    },
    { text: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n", ...own, state: "absent" },
  ],
  title: (p) => `kubeManifest ${nameOf(p)}`,
  disturbs: () => kubeFacts,
  // A different task's fact about the same object has a different id, because the answer depends on what that task
  // sends.
  mayProvide: (p, now) => {
    const listed = listedIn(p, now);
    return listed?.flatMap((one) => kubeFactsOf({ ...p, ...one }, p.state, askedOf(p, one, listed))) ?? kubeFacts;
  },
  keeps: (p, now) => (listedIn(p, now) ?? []).flatMap((one) => kubeKept({ ...p, ...one })),
  changesOnly: (p, now) =>
    p.state === "present" ? listedIn(p, now)?.map(({ object }) => kubeThing(p, object)) : undefined,
})
  .facts((p) => ({ source: onlyRead(kubeDocuments(sourceOf(p))) }))
  .facts((p, { source }) => {
    const kinds = openKinds(usable(p, source), p.namespace);
    return kinds.length === 0 ? {} : { scopes: kinds.map((one) => onlyRead(kubeKind(p, one.apiVersion, one.kind))) };
  })
  .facts((p, { source, scopes }) => {
    const listed = inOrder(p, source, scopes);
    return listed.length === 0 ? {} : { objects: listed.map((one) => askedOf(p, one, listed)) };
  })
  .facts((p, { source, scopes, objects }) => {
    const listed = inOrder(p, source, scopes);
    const { namespaces, kinds } = makes(p, listed, objects ?? []);
    const lacking = lackingIn(listed, objects ?? []);
    const changed = redefined(p, listed, objects ?? []);
    const unfit = new Set((objects ?? []).flatMap(({ definition }) => definition ?? []));
    const definitions = [...unfit].filter((name) => !changed.includes(name));
    const contents = contentsOf(p, listed, objects ?? []);
    return {
      // An earlier task may delete the contents of a namespace or kind, or add to them.
      ...(contents.length > 0 && { contents: contents.map((one) => onlyRead(one)) }),
      // An earlier task may change the schema of the kind.
      ...(definitions.length > 0 && { definitions: definitions.map((name) => onlyRead(kubeDefinition(p, name))) }),
      // An earlier task may change an object on which the cluster's decision depends.
      ...(denials(p, listed, objects ?? []).some(Boolean) && { others: onlyRead(kubeAnyObject(p)) }),
      ...(namespaces.length > 0 && { namespaces: namespaces.map((name) => kubeNamespace(p, name)) }),
      ...(kinds.length > 0 && { kinds: kinds.map((one) => kubeKind(p, one.apiVersion, one.kind)) }),
      ...(lacking.namespaces.length > 0 && {
        neededNamespaces: lacking.namespaces.map((name) => onlyRead(kubeNamespace(p, name))),
      }),
      ...(lacking.kinds.length > 0 && {
        neededKinds: lacking.kinds.map((one) => onlyRead(kubeKind(p, one.apiVersion, one.kind))),
      }),
    };
  })
  .want((p, { source, scopes, objects = [], definitions, others, contents = [], namespaces, kinds, ...needed }) => {
    const unusable = unusableOf(p, source);
    if (unusable !== undefined) return unusable;
    const listed = inOrder(p, source, scopes);
    const open = definitions === undefined || definitions.every(Boolean) ? redefined(p, listed, objects) : [];
    const refused = listed.map((one, index) => {
      const now = objects[index] as KubeObjectState;
      if (!contents.every(Boolean)) return undefined;
      return open.includes(now.definition ?? "") ? undefined : refusalOf(wishOf(p, one), now);
    });
    const denied = others === true ? denials(p, listed, objects) : [];
    const lacking = lackingRefusals(listed, objects, needed.neededNamespaces, needed.neededKinds);
    const refusal = together(
      listed,
      refused.map((one, index) => one ?? denied[index] ?? lacking[index]),
    );
    if (refusal !== undefined) return refusal;
    const isPresent = p.state === "present";
    return {
      objects: listed.map((_, index) => wantOf(p, objects[index] as KubeObjectState)),
      ...(namespaces !== undefined && { namespaces: namespaces.map(() => (isPresent ? kubeThere : absent)) }),
      ...(kinds !== undefined && {
        kinds: makes(p, listed, objects).kinds.map((one) => (isPresent ? kubeThereAs(one) : absent)),
      }),
    };
  })
  .steps((p, { change, now: { source, scopes, objects = [] } }) =>
    inOrder(p, source, scopes).flatMap((one, index): Step[] => {
      if (change.objects?.[index] === undefined) return [];
      // Objects of one kind do not depend on each other.
      const now = objects[index] as KubeObjectState;
      if (p.state === "present")
        return [{ ...kubeApply(requestOf(p, one), now, p.deadlineSeconds), alongside: versioned(one.object) }];
      return [kubeDelete(requestOf(p, one), now.uid ?? "", p.deadlineSeconds, p.deleteContents)];
    }),
  )
  .notes((p, { source, scopes, objects = [] }) =>
    inOrder(p, source, scopes).flatMap((one, index) => notesOf(wishOf(p, one), objects[index] as KubeObjectState)),
  );

function askedOf(p: Params, one: Listed, listed: readonly Listed[]) {
  return p.state === "present"
    ? kubeApplied(requestOf(p, one))
    : kubeDeleted(requestOf(p, one), deletedBefore(one, listed));
}

/** The facts that show whether the contents of a namespace or kind that is deleted may still change. */
function contentsOf(p: Params, listed: readonly Listed[], objects: readonly KubeObjectState[]) {
  const isRefused = objects.some(({ problem }) => problem !== undefined);
  if (p.state === "present" || p.deleteContents || isRefused) return [];
  return listed.flatMap((one, index) => kubeContents({ ...p, ...one }, objects[index] as KubeObjectState));
}

function wishOf({ state, deleteContents }: Params, { object }: Listed): ObjectWish {
  return { object, state, deleteContents };
}

function requestOf(p: Params, { object }: Listed) {
  const { kubeconfig, context, fieldManager, force } = p;
  return { kubeconfig, context, fieldManager, force, object };
}

/**
 * Refuses objects that the cluster denies. The cluster's answer is not final until the earlier objects of the manifest
 * have changed, because the cluster may look at them, or one of them may start the webhook's program.
 */
function denials(
  p: Params,
  listed: readonly Listed[],
  objects: readonly KubeObjectState[],
): readonly (Refusal | undefined)[] {
  const first = objects.findIndex((object) => isToChange(p, object));
  return listed.map((_, index) => {
    const denied = objects[index]?.denied;
    return denied === undefined || (first !== -1 && first < index) ? undefined : refuse(denied);
  });
}

/** The names of the CustomResourceDefinitions that the manifest changes; their schemas change with them. */
function redefined(p: Params, listed: readonly Listed[], objects: readonly KubeObjectState[]): readonly string[] {
  const definitions = listed.filter(({ object }, index) => {
    const now = objects[index];
    return object.kind === "CustomResourceDefinition" && now !== undefined && isToChange(p, now);
  });
  return definitions.map(({ object }) => object.metadata.name);
}

/** The objects, as far as the task's facts show them; undefined if the manifest has not been read yet. */
function listedIn(p: Params, now: Readonly<Record<string, unknown>> = {}): readonly Listed[] | undefined {
  const { source, scopes } = now as { readonly source?: KubeDocuments; readonly scopes?: Scopes };
  return typeof source === "object" ? inOrder(p, source, Array.isArray(scopes) ? scopes : []) : undefined;
}

/** The maximum number of reasons in a message. */
const mostReasons = 10;

/** One refusal for all refused objects, with the place of each; undefined if no object is refused. */
function together(listed: readonly Listed[], refused: readonly (Refusal | undefined)[]): Refusal | undefined {
  const reasons = refused.flatMap((one, index) => (one === undefined ? [] : [{ ...one.reason, at: listed[index] }]));
  const [first] = reasons;
  if (first === undefined) return undefined;
  const messages = reasons.slice(0, mostReasons).map(({ message, at }) => `${message} (${at?.place ?? ""})`);
  const { code, hint = "Correct the manifest" } = first;
  if (reasons.length === 1) return refuse({ code, message: messages.join(""), hint });
  return refuse({ code, message: `${reasons.length} objects are refused: ${messages.join("; ")}`, hint });
}

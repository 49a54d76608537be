import { absent, onlyRead, refuse, task, z } from "../../src/authoring.ts";
import {
  kubeAnyObject,
  kubeApplied,
  kubeApply,
  kubeContents,
  kubeDefinition,
  kubeDelete,
  kubeDeleted,
  kubeFacts,
  kubeFactsOf,
  kubeKept,
  kubeThing,
  kubeKind,
  kubeKindsOf,
  kubeName,
  kubeNamespace,
  type KubeObjectData,
  kubeThere,
  kubeThereAs,
} from "../../src/facts/catalogue.ts";
import { isToChange, lackingRefusal, notesOf, type ObjectWish, refusalOf, wantOf } from "./decision.ts";
import { applying, object } from "./params.ts";

const params = z.strictObject({
  object: object().describe(
    "Object: `apiVersion`, `kind`, `metadata`, and the fields that it must have; other fields are left alone",
  ),
  ...applying,
});

type Params = z.output<typeof params>;

const example = {
  kubeconfig: "harvester.kubeconfig",
  fieldManager: "shop",
  object: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "web", namespace: "shop" },
    data: { color: "green" },
  },
};

/** Applies a Kubernetes object with server-side apply, or deletes it. */
export const kubeObject = task({
  name: "kubeObject",
  summary: "Apply a Kubernetes object with server-side apply, or delete it",
  params,
  examples: [
    example,
    { ...example, object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } } },
    { ...example, state: "absent" },
  ],
  title: (p) => `kubeObject ${nameOf(p)}`,
  disturbs: () => kubeFacts,
  // A different task's fact about the same object has a different id, because the answer depends on what that task
  // sends.
  mayProvide: (p) => kubeFactsOf({ ...p, object: dataOf(p) }, p.state, askedOf(p)),
  keeps: (p) => kubeKept({ ...p, object: dataOf(p) }),
  // A deletion may delete other objects too.
  changesOnly: (p) => (p.state === "present" ? [kubeThing(p, dataOf(p))] : undefined),
})
  .facts((p) => ({ object: askedOf(p) }))
  .facts((p, now) => {
    const { metadata, apiVersion, kind } = dataOf(p);
    const own = isToChange(p, now.object);
    const made = own && kind === "Namespace" && apiVersion === "v1";
    const defined = own ? kubeKindsOf(dataOf(p)) : [];
    const { lacks, denied, definition } = now.object;
    const contents =
      p.state === "present" || p.deleteContents ? [] : kubeContents({ ...p, object: dataOf(p) }, now.object);
    return {
      // An earlier task may delete the contents, or add to them.
      ...(contents.length > 0 && { contents: contents.map((one) => onlyRead(one)) }),
      // An earlier task may change the schema of the kind.
      ...(definition !== undefined && { definition: onlyRead(kubeDefinition(p, definition)) }),
      // An earlier task may change an object on which the cluster's decision depends.
      ...(denied !== undefined && { others: onlyRead(kubeAnyObject(p)) }),
      ...(made && { namespace: kubeNamespace(p, metadata.name) }),
      ...(lacks === "namespace" && { namespace: onlyRead(kubeNamespace(p, metadata.namespace ?? "")) }),
      ...(defined.length > 0 && { kinds: defined.map((one) => kubeKind(p, one.apiVersion, one.kind)) }),
      ...(lacks === "kind" && { kind: onlyRead(kubeKind(p, apiVersion, kind)) }),
    };
  })
  .want((p, { object: now, contents = [], definition, others, namespace, kinds, kind }) => {
    const refusal = contents.every(Boolean) ? refusalOf(wishOf(p), now) : undefined;
    if (refusal !== undefined && (now.definition === undefined || definition === true)) return refusal;
    if (now.denied !== undefined && others === true) return refuse(now.denied);
    if (now.lacks === "namespace" && namespace === absent) return lackingRefusal(dataOf(p), "namespace", lackingHint);
    if (now.lacks === "kind" && kind === absent) return lackingRefusal(dataOf(p), "kind", lackingHint, now.near);
    const there = p.state === "present" ? kubeThere : absent;
    return {
      object: wantOf(p, now),
      ...(namespace !== undefined && now.lacks !== "namespace" && { namespace: there }),
      ...(kinds !== undefined && { kinds: wantedKinds(p) }),
    };
  })
  .steps((p, { change, now }) => {
    if (Object.values(change).every((one) => one === undefined)) return [];
    return p.state === "present"
      ? [kubeApply(requestOf(p), now.object, p.deadlineSeconds)]
      : [kubeDelete(requestOf(p), now.object.uid ?? "", p.deadlineSeconds, p.deleteContents)];
  })
  .notes((p, now) => notesOf(wishOf(p), now.object));

const lackingHint = "Add a kubeObject task that creates it before this one, or correct the object";

/** The facts about the kinds that a definition adds or, with state absent, removes. */
function wantedKinds(p: Params) {
  return kubeKindsOf(dataOf(p)).map((kind) => (p.state === "present" ? kubeThereAs(kind) : absent));
}

function askedOf(p: Params) {
  return p.state === "present" ? kubeApplied(requestOf(p)) : kubeDeleted(requestOf(p));
}

function wishOf(p: Params): ObjectWish {
  const { state, deleteContents } = p;
  return { object: dataOf(p), state, deleteContents };
}

function dataOf(p: Params): KubeObjectData {
  return p.object;
}

function nameOf(p: Params): string {
  return kubeName(dataOf(p));
}

function requestOf(p: Params) {
  const { kubeconfig, context, fieldManager, force } = p;
  return { kubeconfig, context, fieldManager, force, object: dataOf(p) };
}

import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { kubeObject } from "./kube-object.ts";

const shop = { kubeconfig: "kubeconfig", fieldManager: "shop" };
const config = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web", namespace: "shop" },
  data: { color: "green" },
};
const call = kubeObject({ ...shop, object: config });
const removal = kubeObject({ ...shop, object: config, state: "absent" });
const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
const namespace = kubeObject({ ...shop, object: space });
const crd = kubeObject({
  ...shop,
  object: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tents.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "tents", kind: "Tent" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true },
        { name: "v0", served: false, storage: false },
      ],
    },
  },
});

const nothing = { exists: false, fields: {}, owner: {} };
const green = { exists: true, fields: { "data.color": "green" }, owner: {} };
const ours = { ...green, owner: { "data.color": "shop" } };
const there = { ...ours, after: ours, uid: "1" };
const gone = { exists: true, fields: {}, owner: {}, after: nothing, uid: "1" };
const problem = (code: string) => ({ code, message: "the server says no", hint: "Correct it" });

/** Test cases for `kubeObject`: the state of the object, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no object", call, now: { object: { ...nothing, after: green } }, steps: ["apply ConfigMap shop/web"] },
  { title: "already up to date", call, now: { object: there }, steps: [] },
  {
    title: "a different value",
    call,
    now: { object: { ...there, fields: { "data.color": "red" } } },
    steps: ["apply ConfigMap shop/web"],
  },
  {
    title: "a field that the playbook no longer sets",
    call,
    now: {
      object: {
        ...there,
        fields: { "data.color": "green", "data.size": "set" },
        after: { ...ours, fields: { "data.color": "green", "data.size": absent } },
      },
    },
    steps: ["apply ConfigMap shop/web"],
  },
  {
    title: "the correct value, which another manager set",
    call,
    now: { object: { ...there, owner: { "data.color": "kubectl" } } },
    steps: ["apply ConfigMap shop/web"],
  },
  {
    title: "another manager owns a field that has a different value",
    call,
    now: { object: { ...there, problem: problem("field-conflict") } },
    steps: [],
    refusal: "field-conflict",
  },
  {
    title: "a webhook denies the change, and no earlier task changes anything that the webhook looks at",
    call,
    now: { object: { ...nothing, after: green, sent: {}, denied: problem("denied") }, others: true },
    steps: [],
    refusal: "denied",
  },
  {
    title: "the object does not fit the schema of its kind, and no earlier task changes that",
    call,
    now: {
      object: {
        ...nothing,
        after: green,
        sent: {},
        problem: problem("invalid-object"),
        definition: "tents.example.com",
      },
      definition: true,
    },
    steps: [],
    refusal: "invalid-object",
  },
  {
    title: "the object is being deleted",
    call,
    now: { object: { ...there, deleting: ["shop/backup"] } },
    steps: [],
    refusal: "being-deleted",
  },
  {
    title: "the namespace does not exist",
    call,
    now: { object: { ...nothing, after: green, lacks: "namespace" }, namespace: absent },
    steps: [],
    refusal: "no-namespace",
  },
  {
    title: "the namespace does not exist, but an earlier task creates it",
    call,
    now: { object: { ...nothing, after: green, lacks: "namespace" }, namespace: { there: true } },
    steps: ["apply ConfigMap shop/web"],
  },
  {
    title: "the cluster does not know the kind",
    call,
    now: { object: { ...nothing, after: green, lacks: "kind" }, kind: absent },
    steps: [],
    refusal: "no-kind",
  },
  {
    title: "the kind is a misspelled kind of Kubernetes itself",
    call,
    now: { object: { ...nothing, after: green, lacks: "kind", near: ["ConfigMap in v1"] }, kind: absent },
    steps: [],
    refusal: "no-kind",
  },
  {
    title: "the cluster does not know the kind, but an earlier task defines it",
    call,
    now: { object: { ...nothing, after: green, lacks: "kind" }, kind: { there: true } },
    steps: ["apply ConfigMap shop/web"],
  },
  {
    title: "the effect of a webhook cannot be previewed",
    call,
    now: { object: { ...nothing, after: green, unasked: "a webhook does not support dry run" } },
    steps: ["apply ConfigMap shop/web"],
  },
  {
    title: "a new namespace",
    call: namespace,
    now: { object: { ...nothing, after: { ...nothing, exists: true } }, namespace: absent },
    steps: ["apply Namespace shop"],
  },
  {
    title: "a new kind",
    call: crd,
    now: { object: { ...nothing, after: { ...nothing, exists: true } }, kinds: [absent] },
    steps: ["apply CustomResourceDefinition tents.example.com"],
  },
  { title: "an object to delete", call: removal, now: { object: gone }, steps: ["delete ConfigMap shop/web"] },
  { title: "already gone", call: removal, now: { object: { ...nothing, after: nothing } }, steps: [] },
  {
    title: "an object to delete that another tool owns",
    call: removal,
    now: { object: { ...gone, problem: problem("owned-by-others") } },
    steps: [],
    refusal: "owned-by-others",
  },
  {
    title: "a deletion that has begun",
    call: removal,
    now: { object: { ...gone, deleting: ["shop/backup"] } },
    steps: ["delete ConfigMap shop/web"],
  },
  {
    title: "a namespace that is not empty",
    call: kubeObject({ ...shop, object: space, state: "absent" }),
    now: { object: { ...gone, contents: "2 ConfigMap" }, contents: [true], namespace: { there: true } },
    steps: [],
    refusal: "not-empty",
  },
  {
    title: "a namespace that may be deleted with all its contents",
    call: kubeObject({ ...shop, object: space, state: "absent", deleteContents: true }),
    now: { object: { ...gone, contents: "2 ConfigMap" }, namespace: { there: true } },
    steps: ["delete Namespace shop"],
  },
];

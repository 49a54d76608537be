import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { kubeManifest } from "./kube-manifest.ts";

const shop = { kubeconfig: "kubeconfig", fieldManager: "shop" };
const call = kubeManifest({ ...shop, path: "shop.yaml" });
const removal = kubeManifest({ ...shop, path: "shop.yaml", state: "absent" });
const placing = kubeManifest({ ...shop, path: "shop.yaml", namespace: "shop" });

const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
const config = (name: string, namespace?: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  data: { color: "green" },
});
const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "viewer" } };
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "tents.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "tents", kind: "Tent" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true }],
  },
};
const tent = { apiVersion: "example.com/v1", kind: "Tent", metadata: { name: "blue", namespace: "shop" } };

/** The documents of a file, in the order of its lines. */
const documents = (...objects: readonly { readonly [key: string]: unknown }[]) => ({
  documents: objects.map((object, at) => ({ object, place: `shop.yaml, line ${at * 5 + 1} (document ${at + 1})` })),
});

const nothing = { exists: false, fields: {}, owner: {} };
const green = { exists: true, fields: { "data.color": "green" }, owner: {} };
const missing = { ...nothing, after: green };
const bare = { ...nothing, after: { ...nothing, exists: true } };
const right = { ...green, after: green, sent: green.fields, uid: "1" };
const gone = { ...nothing, exists: true, after: nothing, uid: "1" };
const problem = (code: string) => ({ code, message: "the server says no", hint: "Correct it" });

const filled = {
  source: documents(space),
  objects: [{ ...gone, contents: "2 ConfigMap" }],
  namespaces: [{ there: true }],
};

/** Test cases for `kubeManifest`: what is in the manifest and in the cluster, and what the task does. */
export const cases: readonly Case[] = [
  {
    title: "an empty cluster: namespaces and kinds first, and objects of the manifest's own kinds last",
    call,
    now: {
      source: documents(config("web", "shop"), tent, role, crd, space),
      objects: [bare, bare, { ...missing, lacks: "namespace" }, bare, { ...missing, lacks: "kind" }],
      namespaces: [absent],
      kinds: [absent],
    },
    steps: [
      "apply Namespace shop",
      "apply CustomResourceDefinition tents.example.com",
      "apply ConfigMap shop/web",
      "apply ClusterRole viewer",
      "apply Tent shop/blue",
    ],
  },
  {
    title: "already up to date",
    call,
    now: { source: documents(config("web", "shop"), config("api", "shop")), objects: [right, right] },
    steps: [],
  },
  {
    title: "one object has a different value",
    call,
    now: {
      source: documents(config("web", "shop"), config("api", "shop")),
      objects: [right, { ...right, fields: { "data.color": "red" } }],
    },
    steps: ["apply ConfigMap shop/api"],
  },
  {
    title: "objects that name no namespace, one of which is cluster-scoped",
    call: placing,
    now: {
      source: documents(config("web"), role, config("api", "other"), tent),
      scopes: [
        { there: true, namespaced: true },
        { there: true, namespaced: false },
      ],
      objects: [missing, bare, missing, bare],
    },
    steps: [
      "apply ConfigMap shop/web",
      "apply ClusterRole viewer",
      "apply ConfigMap other/api",
      "apply Tent shop/blue",
    ],
  },
  {
    title: "the cluster has neither the namespace nor the kind, and nothing creates them",
    call,
    now: {
      source: documents(config("web", "shop"), tent),
      objects: [
        { ...missing, lacks: "namespace" },
        { ...missing, lacks: "kind" },
      ],
      neededNamespaces: [absent],
      neededKinds: [absent],
    },
    steps: [],
    refusal: "no-namespace",
  },
  {
    title: "the cluster does not have the kind, and nothing creates it",
    call,
    now: {
      source: documents(role),
      objects: [{ ...missing, lacks: "kind" }],
      neededKinds: [absent],
    },
    steps: [],
    refusal: "no-kind",
  },
  {
    title: "an earlier task creates the namespace and the kind",
    call,
    now: {
      source: documents(config("web", "shop"), tent),
      objects: [
        { ...missing, lacks: "namespace" },
        { ...missing, lacks: "kind" },
      ],
      neededNamespaces: [{ there: true }],
      neededKinds: [{ there: true }],
    },
    steps: ["apply ConfigMap shop/web", "apply Tent shop/blue"],
  },
  {
    title: "the effect of a webhook on one of the objects cannot be previewed",
    call,
    now: {
      source: documents(config("web", "shop"), config("api", "shop")),
      objects: [right, { ...missing, unasked: "a webhook does not support dry run" }],
    },
    steps: ["apply ConfigMap shop/api"],
  },
  {
    title: "a webhook denies one of the objects, and the objects before it stay unchanged",
    call,
    now: {
      source: documents(config("web", "shop"), config("api", "shop")),
      objects: [right, { ...missing, sent: {}, denied: problem("denied") }],
      others: true,
    },
    steps: [],
    refusal: "denied",
  },
  {
    title: "an object does not fit the schema of its kind, which nothing changes",
    call,
    now: {
      source: documents(crd, tent),
      objects: [right, { ...missing, sent: {}, problem: problem("invalid-object"), definition: "tents.example.com" }],
      definitions: [true],
    },
    steps: [],
    refusal: "invalid-object",
  },
  {
    title: "another manager owns a field that has a different value",
    call,
    now: {
      source: documents(config("web", "shop"), config("api", "shop")),
      objects: [missing, { ...right, problem: problem("field-conflict") }],
    },
    steps: [],
    refusal: "field-conflict",
  },
  {
    title: "an object is being deleted",
    call,
    now: { source: documents(config("web", "shop")), objects: [{ ...right, deleting: ["shop/backup"] }] },
    steps: [],
    refusal: "being-deleted",
  },
  {
    title: "the manifest cannot be read",
    call,
    now: { source: { problem: problem("not-yaml") } },
    steps: [],
    refusal: "not-yaml",
  },
  {
    title: "an object is in the manifest twice, once with the default namespace and once with no namespace",
    call: placing,
    now: { source: documents(config("web"), config("web", "shop")) },
    steps: [],
    refusal: "repeated-object",
  },
  {
    title: "a Secret with stringData",
    call,
    now: {
      source: documents({ ...config("db", "shop"), kind: "Secret", stringData: { password: "x" } }),
    },
    steps: [],
    refusal: "invalid-object",
  },
  {
    title: "objects to delete, in reverse order",
    call: removal,
    now: {
      source: documents(space, crd, config("web", "shop"), tent),
      objects: [gone, gone, gone, gone],
      contents: [true, true],
      namespaces: [{ there: true }],
      kinds: [{ there: true, namespaced: true }],
    },
    steps: [
      "delete Tent shop/blue",
      "delete ConfigMap shop/web",
      "delete CustomResourceDefinition tents.example.com",
      "delete Namespace shop",
    ],
  },
  {
    title: "all objects have already been deleted",
    call: removal,
    now: {
      source: documents(space, config("web", "shop")),
      objects: [
        { ...nothing, after: nothing },
        { ...nothing, after: nothing },
      ],
    },
    steps: [],
  },
  {
    title: "a namespace that contains more than the manifest",
    call: removal,
    now: { ...filled, contents: [true] },
    steps: [],
    refusal: "not-empty",
  },
  {
    title: "a namespace that may be deleted with all its contents",
    call: kubeManifest({ ...shop, path: "shop.yaml", state: "absent", deleteContents: true }),
    now: filled,
    steps: ["delete Namespace shop"],
  },
];

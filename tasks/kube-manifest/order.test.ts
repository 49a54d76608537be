import { expect, test } from "vitest";
import type { KubeObjectData } from "../../src/facts/catalogue.ts";
import { inOrder } from "./objects.ts";
import type { Params } from "./params.ts";

const own = { kubeconfig: "kubeconfig", fieldManager: "shop", force: false, deleteContents: false } as const;

/** The objects of a manifest, in the order in which they are applied or deleted. */
function ordered(state: Params["state"], ...objects: readonly KubeObjectData[]): string[] {
  const documents = objects.map((object, at) => ({ object, place: `line ${at}` }));
  const p: Params = { ...own, text: "", state, deadlineSeconds: 120 };
  return inOrder(p, { documents }).map(({ object }) => object.kind);
}

const of = (apiVersion: string, kind: string, namespace?: string, more: object = {}): KubeObjectData => ({
  apiVersion,
  kind,
  metadata: { name: "x", ...(namespace !== undefined && { namespace }) },
  ...more,
});
const definition = (group: string, kind: string): KubeObjectData =>
  of("apiextensions.k8s.io/v1", "CustomResourceDefinition", undefined, {
    spec: { group, names: { kind, plural: `${kind.toLowerCase()}s` }, scope: "Cluster", versions: [] },
  });
const webhook = (...apiGroups: string[]): KubeObjectData =>
  of("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", undefined, {
    webhooks: [{ name: "x", rules: [{ apiGroups }] }],
  });
const space = of("v1", "Namespace");
const service = of("v1", "Service", "shop");
const deployment = of("apps/v1", "Deployment", "shop");
const role = of("rbac.authorization.k8s.io/v1", "ClusterRole");
const issuer = of("cert-manager.io/v1", "ClusterIssuer");

test("a webhook and the custom objects that it checks come after the Deployment that serves it", () => {
  const issuers = definition("cert-manager.io", "ClusterIssuer");
  expect(ordered("present", issuer, webhook("cert-manager.io"), service, role, deployment, space, issuers)).toEqual([
    "Namespace",
    "CustomResourceDefinition",
    "Service",
    "ClusterRole",
    "Deployment",
    "ValidatingWebhookConfiguration",
    "ClusterIssuer",
  ]);
  // The kind may have been defined by another manifest.
  expect(ordered("present", issuer, webhook("*", "cert-manager.io"), deployment)).toEqual([
    "Deployment",
    "ValidatingWebhookConfiguration",
    "ClusterIssuer",
  ]);
});

test("an API service and the objects of its group come after the Deployment that serves them", () => {
  const api = of("apiregistration.k8s.io/v1", "APIService", undefined, { spec: { group: "camp.example.com" } });
  expect(ordered("present", of("camp.example.com/v1", "Tent", "shop"), api, deployment)).toEqual([
    "Deployment",
    "APIService",
    "Tent",
  ]);
});

test("custom objects that the manifest's programs do not serve keep their place among the other objects", () => {
  const network = of("network.harvesterhci.io/v1beta1", "ClusterNetwork");
  const lan = of("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", "shop");
  expect(ordered("present", of("v1", "Secret", "shop"), network, lan, role, webhook("*"))).toEqual([
    "Secret",
    "ClusterNetwork",
    "NetworkAttachmentDefinition",
    "ClusterRole",
    "ValidatingWebhookConfiguration",
  ]);
});

test("an operator is deleted after the custom objects whose finalizers it removes, regardless of the file that contains them", () => {
  const cdi = of("cdi.kubevirt.io/v1beta1", "CDI");
  const cdis = definition("cdi.kubevirt.io", "CDI");
  for (const objects of [
    [cdi, space, cdis, webhook("*"), role, deployment],
    [space, cdis, webhook("*"), role, deployment, cdi],
  ]) {
    expect(ordered("absent", ...objects)).toEqual([
      "CDI",
      "ValidatingWebhookConfiguration",
      "Deployment",
      "ClusterRole",
      "CustomResourceDefinition",
      "Namespace",
    ]);
  }
  // The kind may be defined elsewhere.
  expect(ordered("absent", of("kubevirt.io/v1", "KubeVirt", "shop"), space, role, deployment)).toEqual([
    "KubeVirt",
    "Deployment",
    "ClusterRole",
    "Namespace",
  ]);
});

test("malformed definitions, webhooks and API services do not break the order", () => {
  const odd = [{ webhooks: "x" }, { webhooks: [null, { rules: [7, { apiGroups: "x" }] }] }, {}].map((more) =>
    of("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", undefined, more),
  );
  const api = of("apiregistration.k8s.io/v1", "APIService", undefined, { spec: { group: 7 } });
  expect(ordered("present", ...odd.slice(0, 1), api, space)).toEqual([
    "Namespace",
    "MutatingWebhookConfiguration",
    "APIService",
  ]);
  for (const one of odd) expect(ordered("present", one, service)).toHaveLength(2);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, type Said, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeDelete, kubeDeleted } from "../../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const shop = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const ok = (body: object): Said => ({ status: 200, body });
const list = (kind: string, ...items: object[]): Said => ok({ kind, metadata: {}, items });
const kinds = (...resources: object[]): Said =>
  ok({
    kind: "APIResourceList",
    resources: resources.map((one) => ({ namespaced: true, verbs: ["delete", "list"], ...one })),
  });

describe("the contents of a namespace", () => {
  const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
  const request = { ...shop, object: space };
  const at = (group: string, version: string, plural: string): string =>
    `GET /apis/${group}/${version}/namespaces/shop/${plural}`;
  const one = (name: string): object => ({ metadata: { name, namespace: "shop", uid: name } });
  const group = (name: string, ...versions: readonly [string, ...string[]]): object => {
    const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: all, preferredVersion: all[0] };
  };

  beforeEach(() => {
    server.said["GET /api/v1/namespaces/shop"] = [ok({ ...space, metadata: { name: "shop", uid: "n1" } })];
    server.said["DELETE /api/v1/namespaces/shop"] = [status(200, {})];
    server.said["GET /api/v1/namespaces/shop/configmaps"] = [list("ConfigMapList")];
    server.said["GET /api/v1/namespaces/shop/secrets"] = [list("SecretList")];
    server.said["GET /apis"] = [
      ok({ kind: "APIGroupList", groups: [group("k8s.cni.cncf.io", "v1", "v1beta2", "v1beta1")] }),
    ];
    const networks = { name: "network-attachment-definitions", kind: "NetworkAttachmentDefinition" };
    const policies = { name: "multi-networkpolicies", kind: "MultiNetworkPolicy" };
    server.said["GET /apis/k8s.cni.cncf.io/v1"] = [kinds(networks)];
    server.said["GET /apis/k8s.cni.cncf.io/v1beta2"] = [kinds(networks, policies)];
    server.said["GET /apis/k8s.cni.cncf.io/v1beta1"] = [kinds(policies)];
    const path = at("k8s.cni.cncf.io", "v1", networks.name);
    server.said[path] = [list("NetworkAttachmentDefinitionList")];
    server.said[at("k8s.cni.cncf.io", "v1beta2", policies.name)] = [list("MultiNetworkPolicyList", one("web"))];
  });

  test("include objects of a kind that its group's preferred version does not contain", async () => {
    expect(await server.read(kubeDeleted(request))).toMatchObject({ contents: "1 MultiNetworkPolicy" });
    await expect(server.call(kubeDelete(request, "n1", 5))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { what: "Namespace shop cannot be deleted alone: 1 MultiNetworkPolicy would be deleted with it" },
    });
  });

  test("count an object once if its kind is served in several versions, and list each kind once", async () => {
    server.said[at("k8s.cni.cncf.io", "v1", "network-attachment-definitions")] = [
      list("NetworkAttachmentDefinitionList", one("lan")),
    ];
    const contents = "1 NetworkAttachmentDefinition, 1 MultiNetworkPolicy";
    expect(await server.read(kubeDeleted(request))).toMatchObject({ contents });
    const listed = server.seen.filter((line) => line.includes("/namespaces/shop/") && line.includes("k8s.cni"));
    expect(listed).toHaveLength(2);
    expect(new Set(listed.map((line) => line.split("/")[3]))).toEqual(new Set(["v1", "v1beta2"]));
  });

  test("include custom objects whose kind has the name of one that the cluster itself creates", async () => {
    server.said["GET /apis"] = [
      ok({
        kind: "APIGroupList",
        groups: [group("coordination.k8s.io", "v1"), group("camp.example.com", "v1")],
      }),
    ];
    const leases = kinds({ name: "leases", kind: "Lease" });
    server.said["GET /apis/coordination.k8s.io/v1"] = [leases];
    server.said["GET /apis/camp.example.com/v1"] = [leases];
    server.said[at("coordination.k8s.io", "v1", "leases")] = [list("LeaseList", one("leader"))];
    server.said[at("camp.example.com", "v1", "leases")] = [list("LeaseList", one("tent"))];
    expect(await server.read(kubeDeleted(request))).toMatchObject({ contents: "1 Lease" });
  });

  test("are not known if one version of a group does not answer", async () => {
    server.said["GET /apis/k8s.cni.cncf.io/v1beta1"] = [status(403, { message: "you may not" })];
    await expect(server.read(kubeDeleted(request))).rejects.toMatchObject({ code: "E_DRIVER" });
  });

  test("do not include what no deletion removes, such as the measurements of running pods", async () => {
    server.said["GET /apis"] = [ok({ kind: "APIGroupList", groups: [group("metrics.k8s.io", "v1beta1")] })];
    const pods = { name: "pods", kind: "PodMetrics", verbs: ["get", "list"] };
    server.said["GET /apis/metrics.k8s.io/v1beta1"] = [kinds(pods)];
    // The measurements have no uid.
    const measured = { metadata: { name: "web-1", namespace: "shop" } };
    server.said[at("metrics.k8s.io", "v1beta1", "pods")] = [list("PodMetricsList", measured)];
    const answer = await server.read(kubeDeleted(request));
    expect(answer).toMatchObject({ exists: true });
    expect(answer).not.toHaveProperty("contents");
  });
});

describe("the objects of a kind", () => {
  const definition = (served: boolean) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tents.camp.example.com" },
    spec: {
      group: "camp.example.com",
      names: { plural: "tents", kind: "Tent" },
      scope: "Namespaced",
      versions: [{ name: "v1", served, storage: true }],
    },
  });
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tents.camp.example.com";
  const stored = (served: boolean): Said => {
    const { metadata, ...own } = definition(served);
    return ok({ ...own, metadata: { ...metadata, uid: "d1", resourceVersion: "1" } });
  };

  beforeEach(() => {
    server.said["GET /apis/apiextensions.k8s.io/v1"] = [
      kinds({ name: "customresourcedefinitions", kind: "CustomResourceDefinition", namespaced: false }),
    ];
    server.said[`DELETE ${path}`] = [status(200, {})];
    server.said["GET /apis/camp.example.com/v1/tents"] = [list("TentList")];
  });

  test("are not reported as none if the server serves no version of the kind, but may store objects of it", async () => {
    const request = { ...shop, force: true, object: definition(false) };
    server.said[`GET ${path}`] = [stored(false)];
    const contents =
      "an unknown number of Tent (the server serves no version of this kind, so furrow cannot count them)";
    expect(await server.read(kubeDeleted(request))).toMatchObject({ contents });
    await expect(server.call(kubeDelete(request, "d1", 5))).rejects.toMatchObject({ code: "E_REFUSED" });
    expect(server.seen.filter((line) => line.startsWith("DELETE") && !line.includes("dryRun"))).toEqual([]);
  });

  test("do not exist if the list of a served version is empty", async () => {
    server.said[`GET ${path}`] = [stored(true)];
    const answer = await server.read(kubeDeleted({ ...shop, force: true, object: definition(true) }));
    expect(answer).toMatchObject({ exists: true });
    expect(answer).not.toHaveProperty("contents");
  });
});

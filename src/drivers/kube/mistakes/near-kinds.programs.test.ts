import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, type Said } from "../../../../test/kube/server/answering-server.ts";
import { kubeApplied, kubeDeleted } from "../../../facts/controller/kube-object.ts";
import { kubeSeen } from "../../../facts/controller/kube-seen.ts";

const server = new AnsweringServer();
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const kinds = (name: string, kind: string): Said => ({
  status: 200,
  body: { kind: "APIResourceList", resources: [{ name, kind, namespaced: true }] },
});
const group = (name: string, version: string) => {
  const only = { groupVersion: `${name}/${version}`, version };
  return { name, versions: [only], preferredVersion: only };
};

describe("a wrong kind of Kubernetes itself", () => {
  beforeEach(() => {
    server.said["GET /apis"] = [
      { status: 200, body: { kind: "APIGroupList", groups: [group("apps", "v1"), group("camp.example.com", "v1")] } },
    ];
    server.said["GET /apis/apps/v1"] = [kinds("deployments", "Deployment")];
    server.said["GET /apis/camp.example.com/v1"] = [kinds("deployments", "Deployment")];
  });

  test.each([
    ["ConfigMap in v1", "v1", "Configmap"],
    ["ConfigMap in v1", "v1", "configmaps"],
    ["ConfigMap in v1", "v1", "ConfgMap"],
    ["Deployment in apps/v1", "v1", "Deployment"],
    ["Deployment in apps/v1", "extensions/v1beta1", "Deployment"],
    [undefined, "v1", "Tent"],
    [undefined, "tents.example.com/v1", "Deployment"],
  ])("is answered with %s: %s %s", async (near, apiVersion, kind) => {
    const object = { apiVersion, kind, metadata: { name: "web", namespace: "shop" } };
    const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object };
    const expected = near === undefined ? { lacks: "kind" } : { lacks: "kind", near: [near] };
    const applied = (await server.read(kubeApplied(request))) as { readonly near?: unknown };
    expect(applied).toMatchObject(expected);
    expect(applied.near).toEqual(near === undefined ? undefined : [near]);
    const place = { kubeconfig: server.kubeconfig, apiVersion, kind, name: "web", namespace: "shop" };
    expect(await server.read(kubeSeen(place))).toEqual({ exists: false, ...expected });
    if (near === undefined) return;
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      problem: { code: "no-kind", hint: `Correct apiVersion or kind: the server serves ${near}` },
    });
  });

  test("is answered without a suggestion if the groups cannot be read", async () => {
    server.said["GET /apis"] = [{ status: 403, body: { kind: "Status", message: "you may not" } }];
    const object = { apiVersion: "v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } };
    const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object };
    expect(await server.read(kubeApplied(request))).not.toHaveProperty("near");
  });
});

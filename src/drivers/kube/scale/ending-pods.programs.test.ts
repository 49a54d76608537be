import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AnsweringServer, type Said, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeEnding, kubeScaleTo } from "../../../facts/controller/kube-scale.ts";

const server = new AnsweringServer();
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());

const path = "/apis/apps/v1/namespaces/shop/deployments/web";
const list = "GET /api/v1/namespaces/shop/pods";
const named = { name: "web", namespace: "shop" };
const web = { apiVersion: "apps/v1", kind: "Deployment", ...named, kubeconfig: server.kubeconfig };
const metadata = { ...named, uid: "u1", resourceVersion: "7" };

const ok = (body: object): Said => ({ status: 200, body });
const scaleWith = (more: object): Said =>
  ok({ apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: {}, status: { replicas: 0, ...more } });
const pods = (names: Readonly<Record<string, boolean>>): Said =>
  ok({
    kind: "PodList",
    metadata: {},
    items: Object.entries(names).map(([name, isEnding]) => ({
      metadata: { name, namespace: "shop", uid: name, ...(isEnding && { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
    })),
  });

beforeEach(() => {
  server.reset();
  const resources = [
    { name: "deployments", kind: "Deployment", namespaced: true },
    { name: "deployments/scale", kind: "Scale", namespaced: true, group: "autoscaling", version: "v1" },
  ];
  server.said["GET /apis/apps/v1"] = [ok({ kind: "APIResourceList", resources })];
  server.said[`GET ${path}`] = [ok({ apiVersion: "apps/v1", kind: "Deployment", metadata, status: {} })];
  server.said[`GET ${path}/scale`] = [scaleWith({ selector: "app=web,tier in (a)" })];
});

test("pods that are being deleted are found by the labels that the object's scale reports", async () => {
  server.said[list] = [pods({ "web-1": true, "web-2": false })];
  expect(await server.read(kubeEnding(web))).toEqual({ pods: ["web-1"] });
  expect(server.seen.at(-1)).toBe(`${list}?limit=500&labelSelector=app%3Dweb%2Ctier%20in%20(a)`);
});

test("the answer says why pods cannot be seen: missing rights, or an object that does not report their labels", async () => {
  server.said[list] = [status(403, { message: "you may not" })];
  expect(await server.read(kubeEnding(web))).toEqual({ pods: [], unseen: "you may not" });
  server.said[`GET ${path}/scale`] = [scaleWith({})];
  expect(await server.read(kubeEnding(web))).toEqual({ pods: [], unseen: "its scale does not report their labels" });
});

test.each([
  ["an error of the server", status(500, { message: "etcd is down" })],
  ["another list", ok({ kind: "ConfigMapList", metadata: {}, items: [] })],
])("%s does not mean that no pod is left", async (_what, answer) => {
  server.said[list] = [answer];
  await expect(server.read(kubeEnding(web))).rejects.toMatchObject({ code: "E_DRIVER" });
});

test("scaling to 0 waits until the pods that still run are gone, and names them", async () => {
  server.said[list] = [pods({ "web-1": true }), status(503, { message: "stopping" }), pods({})];
  const said = await server.call(kubeScaleTo(web, { replicas: 0, uid: "u1", deadlineSeconds: 20 }, true));
  expect(said[0]).toBe("Deployment shop/web: 0 of 0 replicas exist, 0 ready; still being deleted: web-1");
  server.said[list] = [pods({ "web-1": true })];
  await expect(
    server.call(kubeScaleTo(web, { replicas: 0, uid: "u1", deadlineSeconds: 0.1 }, true)),
  ).rejects.toMatchObject({
    code: "E_WAIT",
    failure: { current: expect.stringContaining("still being deleted: web-1") as string },
  });
});

test("scaling to 0 does not wait for pods that the user may not list", async () => {
  server.said[list] = [status(403, { message: "you may not" })];
  expect(await server.call(kubeScaleTo(web, { replicas: 0, uid: "u1", deadlineSeconds: 20 }, true))).toEqual([]);
});

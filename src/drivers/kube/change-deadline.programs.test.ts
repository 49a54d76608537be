import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AnsweringServer, config, live, path, type Said } from "../../../test/kube/server/answering-server.ts";
import type { Json } from "../../core/facts/fact.ts";
import { absent } from "../../core/facts/symbols.ts";
import { kubeDelete } from "../../facts/controller/kube-object.ts";
import { kubeEvictPods } from "../../facts/controller/kube-pods.ts";
import { kubeScaleTo } from "../../facts/controller/kube-scale.ts";
import { kubernetesDriverWith } from "../kubernetes.ts";

const server = new AnsweringServer();
const cluster = { kubeconfig: server.kubeconfig };
/** The time limits of a normal run: one request may take much longer than the deadlines of these tests. */
const driver = kubernetesDriverWith({ requestMs: 30_000, deadlineMs: 60_000, pauseMs: 10 });
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const silent: Said = { status: 0, body: "" };
const kinds = (...resources: object[]): Said => ({ status: 200, body: { kind: "APIResourceList", resources } });

/** Performs a call, which must fail, and returns the error and the seconds that it took. */
async function failed({ request }: { readonly request: Json }): Promise<{ error: unknown; seconds: number }> {
  const begin = Date.now();
  const error: unknown = await driver.call?.(request, new AbortController().signal).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, seconds: (Date.now() - begin) / 1000 };
}

test("a deletion ends at its deadline if the server does not answer, and reports which request did not finish", async () => {
  server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }) }];
  server.said[`DELETE ${path}`] = [silent];
  const { error, seconds } = await failed(
    kubeDelete({ ...cluster, fieldManager: "shop", force: false, object: config }, "u1", 2),
  );
  expect(error).toMatchObject({
    code: "E_DRIVER",
    failure: {
      what: expect.stringContaining("cannot delete ConfigMap shop/web") as string,
      current: expect.stringMatching(/^no complete answer within [\d.]+ seconds?$/) as string,
    },
  });
  expect(seconds).toBeLessThan(10);
});

test("each request of a change has at least a second, even if its deadline is shorter", async () => {
  server.said[`GET ${path}`] = [silent];
  const { error, seconds } = await failed(
    kubeDelete({ ...cluster, fieldManager: "shop", force: false, object: config }, "u1", 0.1),
  );
  expect(error).toMatchObject({ failure: { current: "no complete answer within 1 second" } });
  expect(seconds).toBeGreaterThan(0.9);
  expect(seconds).toBeLessThan(10);
});

test("a deletion fails at once if the server asks for a pause beyond the deadline", async () => {
  server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }) }];
  server.said[`DELETE ${path}`] = [{ status: 429, body: { kind: "Status" }, headers: { "retry-after": "30" } }];
  const { error, seconds } = await failed(
    kubeDelete({ ...cluster, fieldManager: "shop", force: false, object: config }, "u1", 2),
  );
  expect(error).toMatchObject({ failure: { current: expect.stringContaining("HTTP 429") as string } });
  expect(seconds).toBeLessThan(10);
});

test("scaling ends at its deadline if the server does not answer", async () => {
  const deployments = "/apis/apps/v1/namespaces/shop/deployments/web";
  const scale = { name: "deployments/scale", kind: "Scale", group: "autoscaling", version: "v1", namespaced: true };
  server.said["GET /apis/apps/v1"] = [
    kinds({ name: "deployments", kind: "Deployment", namespaced: true }, { ...scale, verbs: ["get", "patch"] }),
  ];
  const metadata = { name: "web", namespace: "shop", uid: "u1", resourceVersion: "7" };
  server.said[`GET ${deployments}`] = [{ status: 200, body: { apiVersion: "apps/v1", kind: "Deployment", metadata } }];
  const body = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata,
    spec: { replicas: 1 },
    status: { replicas: 1 },
  };
  server.said[`GET ${deployments}/scale`] = [{ status: 200, body }];
  server.said[`PATCH ${deployments}/scale`] = [silent];
  server.said[`PUT ${deployments}/scale`] = [silent];
  const web = { ...cluster, apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" };
  const { error, seconds } = await failed(kubeScaleTo(web, { replicas: 3, uid: "u1", deadlineSeconds: 2 }, true));
  expect(error).toMatchObject({
    failure: { what: expect.stringContaining("cannot scale Deployment shop/web to 3") as string },
  });
  expect(seconds).toBeLessThan(10);
});

test("an eviction ends at its deadline if the server does not answer", async () => {
  const pods = { name: "pods", kind: "Pod", namespaced: true };
  const eviction = { name: "pods/eviction", kind: "Eviction", namespaced: true, group: "policy", version: "v1" };
  server.said["GET /api/v1"] = [kinds(pods, eviction)];
  const item = { metadata: { name: "a", namespace: "shop", uid: "1" }, spec: { nodeName: "n1" } };
  server.said["GET /api/v1/pods"] = [{ status: 200, body: { kind: "PodList", metadata: {}, items: [item] } }];
  server.said["POST /api/v1/namespaces/shop/pods/a/eviction"] = [silent];
  const victims = [
    {
      namespace: "shop",
      name: "a",
      uid: "1",
      controller: absent,
      emptyDirs: [],
      isFinished: false,
      deleting: absent,
    } as const,
  ];
  const { error, seconds } = await failed(kubeEvictPods(cluster, { node: "n1" }, { victims, deadlineSeconds: 2 }));
  expect(error).toMatchObject({
    code: "E_WAIT",
    failure: { details: [expect.stringMatching(/^shop\/a: cannot be evicted: no complete answer within /) as string] },
  });
  expect(seconds).toBeLessThan(10);
});

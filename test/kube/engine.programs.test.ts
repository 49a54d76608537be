import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as t from "../../tasks/index.ts";
import { taskHost } from "../tasks/on-host.ts";
import { AnsweringServer, type Said } from "./server/answering-server.ts";

const server = new AnsweringServer();
const host = taskHost();
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());

const kinds = (...resources: object[]): Said => ({ status: 200, body: { kind: "APIResourceList", resources } });

beforeEach(() => {
  server.reset();
  server.said["GET /api/v1"] = [
    kinds(
      { name: "pods", kind: "Pod", namespaced: true },
      { name: "pods/eviction", kind: "Eviction", namespaced: true, group: "policy", version: "v1" },
    ),
  ];
  server.said["GET /apis/apps/v1"] = [
    kinds(
      { name: "deployments", kind: "Deployment", namespaced: true },
      { name: "deployments/scale", kind: "Scale", namespaced: true, group: "autoscaling", version: "v1" },
    ),
  ];
  server.said["GET /apis/autoscaling/v1"] = [
    kinds({ name: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler", namespaced: true }),
  ];
});

test("an eviction succeeds although its pod is recreated under the same name on the same node", async () => {
  const pods = (uid: string): Said => ({
    status: 200,
    body: {
      kind: "PodList",
      metadata: {},
      items: [
        {
          metadata: {
            name: "db-0",
            namespace: "shop",
            uid,
            ownerReferences: [{ kind: "StatefulSet", name: "db", uid: "s1", controller: true }],
          },
          spec: { nodeName: "n1" },
        },
      ],
    },
  });
  // The fact, the dry run and the first poll see the old pod.
  server.said["GET /api/v1/pods"] = [pods("1"), pods("1"), pods("1"), pods("2")];
  server.said["GET /api/v1/nodes/n1"] = [{ status: 200, body: { kind: "Node", metadata: { name: "n1" }, spec: {} } }];
  const eviction = "POST /api/v1/namespaces/shop/pods/db-0/eviction";
  server.said[eviction] = [{ status: 201, body: { kind: "Status", status: "Success" } }];
  const [end] = await host.apply(t.kubeEvict({ kubeconfig: server.kubeconfig, node: "n1", deadlineSeconds: 20 }));
  expect([end?.outcome, end?.error?.message]).toEqual(["changed", undefined]);
  expect(end?.steps).toEqual(["evict 1 pod from n1"]);
  // The dry run and the eviction of the old pod; neither is sent for the new pod.
  const posts = server.seen.filter((one) => one.startsWith("POST"));
  expect(posts.map((one) => one.includes("dryRun"))).toEqual([true, false]);
});

test("a replica count that someone else immediately changes again is not reported as set", async () => {
  const path = "/apis/apps/v1/namespaces/shop/deployments/web";
  const metadata = { name: "web", namespace: "shop", uid: "1", resourceVersion: "1" };
  server.said[`GET ${path}`] = [{ status: 200, body: { apiVersion: "apps/v1", kind: "Deployment", metadata } }];
  const scale = (replicas: number): Said => ({
    status: 200,
    body: { kind: "Scale", metadata, spec: { replicas }, status: { replicas } },
  });
  server.said[`GET ${path}/scale`] = [scale(1)];
  server.said[`PATCH ${path}/scale`] = [scale(3)];
  server.said["GET /apis/autoscaling/v1/namespaces/shop/horizontalpodautoscalers"] = [
    { status: 200, body: { kind: "HorizontalPodAutoscalerList", metadata: {}, items: [] } },
  ];
  const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" };
  const task = t.kubeScale({ kubeconfig: server.kubeconfig, ...web, replicas: 3, wait: false });
  const [end] = await host.apply(task);
  expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_NOT_CONVERGED"]);
  server.said[`GET ${path}/scale`] = [scale(1), scale(1), scale(3)];
  expect((await host.apply(task))[0]?.outcome).toBe("changed");
});

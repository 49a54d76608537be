import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, type Said, status, versions } from "../../../../test/kube/server/answering-server.ts";
import { kubeAutoscalers } from "../../../facts/controller/kube-scale.ts";

const server = new AnsweringServer();
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => {
  server.reset();
  const resources = [{ name: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler", namespaced: true }];
  server.said["GET /apis/autoscaling/v1"] = [{ status: 200, body: { kind: "APIResourceList", resources } }];
});

const autoscalers = "/apis/autoscaling/v1/namespaces/shop/horizontalpodautoscalers";
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  name: "web",
  namespace: "shop",
  kubeconfig: server.kubeconfig,
};

describe("the autoscalers of an object", () => {
  const autoscaler = (name: string, scaleTargetRef: object, more: object = {}): object => ({
    metadata: { name },
    spec: { scaleTargetRef, maxReplicas: 9, ...more },
  });
  const page = (items: object[], metadata: object = {}): Said => ({
    status: 200,
    body: { kind: "HorizontalPodAutoscalerList", metadata, items },
  });
  const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

  test("are those that name it with any version of its group, on all pages of the list", async () => {
    server.said[`GET ${autoscalers}`] = [
      page([autoscaler("mine", target), autoscaler("other", { ...target, name: "api" })], { continue: "2" }),
      page([
        autoscaler("old", { ...target, apiVersion: "apps/v1beta1" }, { minReplicas: 0 }),
        autoscaler("plain", { kind: "Deployment", name: "web" }),
        autoscaler("elsewhere", { ...target, apiVersion: "example.com/v1" }),
      ]),
    ];
    expect(await server.read(kubeAutoscalers(web))).toEqual({
      autoscalers: [
        { name: "mine", least: 1 },
        { name: "old", least: 0 },
        { name: "plain", least: 1 },
      ],
    });
  });

  test("may choose 0 themselves if KEDA manages them, whatever their minimum is", async () => {
    const owner = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "queue", uid: "s" };
    const keda = { metadata: { name: "keda-hpa-queue", ownerReferences: [owner] }, spec: { scaleTargetRef: target } };
    const other = { ...keda, metadata: { name: "web", ownerReferences: [{ ...owner, apiVersion: "example.com/v1" }] } };
    server.said[`GET ${autoscalers}`] = [page([keda, other])];
    expect(await server.read(kubeAutoscalers(web))).toEqual({
      autoscalers: [
        { name: "keda-hpa-queue", least: 0, scaledObject: "queue" },
        { name: "web", least: 1 },
      ],
    });
  });

  test("are reported as a separate problem if listing them is forbidden", async () => {
    server.said[`GET ${autoscalers}`] = [status(403, { message: "you may not" })];
    expect(await server.read(kubeAutoscalers(web))).toMatchObject({
      problem: { code: "autoscalers-unseen", message: expect.stringContaining("you may not") as string },
    });
  });

  test.each([
    ["half a list", [page([], { remainingItemCount: 1 })], "only part of the list"],
    ["500 on the second page", [page([], { continue: "2" }), status(500, { message: "etcd is down" })], "etcd is down"],
    [
      "an autoscaler without a target",
      [page([{ metadata: { name: "a" }, spec: {} }])],
      "in the list has no valid scaleTargetRef",
    ],
  ])("cannot be read because of %s: the result is an error, not an empty list", async (_what, answers, current) => {
    server.said[`GET ${autoscalers}`] = answers;
    await expect(server.read(kubeAutoscalers(web))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining(current) as string },
    });
  });
});

test("a cluster without the autoscaling API has no autoscalers, but a web server is not mistaken for such a cluster", async () => {
  const other = new AnsweringServer();
  await other.up();
  try {
    other.said = { "GET /api": [versions] };
    expect(await other.read(kubeAutoscalers({ ...web, kubeconfig: other.kubeconfig }))).toEqual({ autoscalers: [] });
    other.said = { "GET /api": [{ status: 200, body: "<html>" }] };
    await expect(other.read(kubeAutoscalers({ ...web, kubeconfig: other.kubeconfig }))).rejects.toMatchObject({
      code: "E_DRIVER",
    });
  } finally {
    other.down();
  }
}, 120_000);

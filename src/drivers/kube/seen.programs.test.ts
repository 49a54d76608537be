import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, live, path, status } from "../../../test/kube/server/answering-server.ts";
import { absent } from "../../core/facts/symbols.ts";
import { kubeSeen } from "../../facts/controller/kube-seen.ts";

const server = new AnsweringServer();
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const question = { kubeconfig: server.kubeconfig, apiVersion: "v1", kind: "ConfigMap", name: "web", namespace: "shop" };

const see = (about: object, more: object = {}): Promise<unknown> => {
  const body = { ...live({}, {}, { generation: 3 }), ...about };
  server.said[`GET ${path}`] = [{ status: 200, body }];
  return server.read(kubeSeen({ ...question, ...more }));
};

describe("the parts of an object that a wait reads", () => {
  test("has the conditions and the phase even if other parts of the status have an unusual form", async () => {
    const ready = { type: "Ready", status: "False", reason: null, message: "starts" };
    const conditions = [ready, { type: "Odd" }, null, { type: "Live", status: "True" }];
    // Argo Rollouts writes the generation as a string.
    expect(await see({ status: { conditions, observedGeneration: "2", phase: "Starting" } })).toMatchObject({
      conditions: {
        Ready: { status: "False", reason: "", message: "starts" },
        Live: { status: "True", reason: "", message: "" },
      },
      isOutdated: true,
      phase: "Starting",
    });
    expect(await see({ status: { conditions: { Ready: "True" }, phase: 3, observedGeneration: "?" } })).toMatchObject({
      conditions: {},
      isOutdated: false,
      phase: absent,
    });
    expect(await see({ status: "well" })).toMatchObject({ exists: true, conditions: {} });
  });

  test("is not known if the answer is about an object of another namespace", async () => {
    await expect(see({ metadata: { name: "web", namespace: "other", uid: "u1" } })).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: "the response does not contain the requested object" },
    });
  });

  test("reports the other versions in which the kind is served, because the object may exist in one of them", async () => {
    const version = { groupVersion: "camp.example.com/v1" };
    server.said["GET /apis/camp.example.com"] = [
      { status: 200, body: { kind: "APIGroup", versions: [version] } },
      { status: 404, body: "404 page not found\n" },
    ];
    const tents = { kind: "APIResourceList", resources: [{ name: "tents", kind: "Tent", namespaced: true }] };
    server.said["GET /apis/camp.example.com/v1"] = [{ status: 200, body: tents }];
    const ask = { ...question, apiVersion: "camp.example.com/v2", kind: "Tent" };
    const unserved = { exists: false, lacks: "kind" };
    expect(await server.read(kubeSeen(ask))).toEqual({ ...unserved, servedIn: ["camp.example.com/v1"] });
    expect(await server.read(kubeSeen(ask))).toEqual(unserved);
    // A real server's answer about a version of a group that it serves.
    server.said["GET /apis/camp.example.com/v3"] = [status(404, { reason: "NotFound", details: {} })];
    expect(await server.read(kubeSeen({ ...ask, apiVersion: "camp.example.com/v3" }))).toEqual(unserved);
    server.said["GET /apis/camp.example.com/v3"] = [status(404, { reason: "NotFound", details: { name: "x" } })];
    await expect(server.read(kubeSeen({ ...ask, apiVersion: "camp.example.com/v3" }))).rejects.toMatchObject({
      code: "E_DRIVER",
    });
  });

  test("shows no value of a Secret, not even from the annotation in which kubectl keeps it", async () => {
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"key":"czNjcmV0"}}',
      done: "yes",
    };
    const body = { ...live({}, {}, { annotations }), kind: "Secret", data: { key: "czNjcmV0" } };
    server.said["GET /api/v1/namespaces/shop/secrets/web"] = [{ status: 200, body }];
    const fields = ["data.key", "data", "metadata", "metadata.annotations", "[metadata][annotations]"];
    const copy = "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]";
    for (const field of [...fields, copy]) {
      const answer = await server.read(kubeSeen({ ...question, kind: "Secret", field }));
      expect(JSON.stringify(answer)).not.toContain("czNjcmV0");
    }
    const field = "metadata.annotations[done]";
    expect(await server.read(kubeSeen({ ...question, kind: "Secret", field }))).toMatchObject({ value: "yes" });
  });
});

test("a server that asks for an immediate retry is still queried only after a pause", async () => {
  server.said[`GET ${path}`] = [status(429, { message: "busy" })].map((one) => ({
    ...one,
    headers: { "retry-after": "0" },
  }));
  await expect(server.read(kubeSeen(question))).rejects.toMatchObject({ code: "E_DRIVER" });
  // Three seconds, with a query every ten milliseconds.
  expect(server.seen.length).toBeLessThan(320);
  expect(server.seen.length).toBeGreaterThan(1);
});

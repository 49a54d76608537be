import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, live, path, status } from "../../../test/kube/server/answering-server.ts";
import { absent } from "../../core/facts/symbols.ts";
import { type KubeSeen, kubeSeen } from "../../facts/controller/kube-seen.ts";

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
        Ready: { status: "False", reason: "", message: "starts", isOutdated: true },
        Live: { status: "True", reason: "", message: "", isOutdated: true },
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

  test("has a condition from before the last change only if the condition's own generation is older", async () => {
    const conditions = [
      { type: "Ready", status: "True", observedGeneration: 2 },
      { type: "Issued", status: "True", observedGeneration: 3 },
      { type: "Plain", status: "True", observedGeneration: 0 },
    ];
    const outdated = async (about: object, field?: string) => {
      const found = (await see(about, field === undefined ? {} : { field })) as Extract<KubeSeen, { exists: true }>;
      const old = Object.entries(found.conditions).filter(([, one]) => one.isOutdated);
      return [old.map(([type]) => type).join(" "), found.isOutdated];
    };
    expect(await outdated({ status: { conditions } })).toEqual(["Ready", false]);
    expect(await outdated({ status: { conditions, observedGeneration: 2 } })).toEqual(["Ready Plain", true]);
    expect(await outdated({ status: { conditions } }, "status.conditions[0].status")).toEqual(["Ready", true]);
    expect(await outdated({ status: { conditions } }, "status.conditions[1].status")).toEqual(["Ready", false]);
  });

  test("is never from before the last change if the status itself counts as a change", async () => {
    const tents = { name: "tents", kind: "Tent", namespaced: true };
    server.said["GET /apis/bare.example.com/v1"] = [
      { status: 200, body: { kind: "APIResourceList", resources: [tents] } },
    ];
    const tent = { apiVersion: "bare.example.com/v1", kind: "Tent" };
    const body = { ...live({}, {}, { generation: 3 }), ...tent, status: { observedGeneration: 2 } };
    server.said["GET /apis/bare.example.com/v1/namespaces/shop/tents/web"] = [{ status: 200, body }];
    expect(await server.read(kubeSeen({ ...question, ...tent }))).toMatchObject({ isOutdated: false });
  });

  test("knows that a VirtualMachine keeps the generation with which it was started", async () => {
    const machine = { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine" };
    const resources = ["", "/status"].map((part) => ({
      name: `virtualmachines${part}`,
      kind: "VirtualMachine",
      namespaced: true,
    }));
    server.said["GET /apis/kubevirt.io/v1"] = [{ status: 200, body: { kind: "APIResourceList", resources } }];
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    const outdated = async (is: object) => {
      const body = { ...live({}, {}, { generation: 3 }), ...machine, status: { ...ready, ...is } };
      server.said["GET /apis/kubevirt.io/v1/namespaces/shop/virtualmachines/web"] = [{ status: 200, body }];
      const found = (await server.read(kubeSeen({ ...question, ...machine }))) as Extract<KubeSeen, { exists: true }>;
      expect(found.conditions["Ready"]?.isOutdated).toBe(found.isOutdated);
      return found.isOutdated;
    };
    // The machine's memory was changed while the machine was running.
    expect(await outdated({ created: true, observedGeneration: 1, desiredGeneration: 3 })).toBe(false);
    expect(await outdated({ created: true, observedGeneration: 1, desiredGeneration: 2 })).toBe(true);
    // The memory was changed while the machine was stopped: KubeVirt updates neither number.
    expect(await outdated({ created: false, observedGeneration: 1, desiredGeneration: 1 })).toBe(false);
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

test("a field that is a list shows no password inside it", async () => {
  const containers = [{ name: "web", env: [{ name: "DB_PASSWORD", value: "hunter2" }] }];
  const answer = await see({ spec: { containers } }, { field: "spec.containers" });
  expect(answer).toMatchObject({ value: expect.stringMatching(/^sealed:/) as string });
  expect(await see({ spec: { containers } }, { field: "spec.containers[0].name" })).toMatchObject({ value: "web" });
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

test("an object of a namespaced kind is not read without a namespace", async () => {
  const { namespace: _, ...asked } = question;
  expect(await server.read(kubeSeen(asked))).toEqual({ exists: false, needs: "namespace" });
});

test("a password in a setting's value, in a text or in a URL is not shown, nor in a reason", async () => {
  const proxy = '{"httpProxy":"http://user:hunter2@proxy","noProxy":"10.0.0.0/8"}';
  const conf = "x=1\npassword = hunter2\nlog = /var/log/file\n";
  const url = "http://u:hunter2@x";
  const conditions = [{ type: "Ready", status: "False", message: `cannot reach ${url}` }];
  const about = { value: proxy, data: { conf, url, note: "fine" }, status: { conditions, phase: "WaitingForToken" } };
  for (const field of ["value", "data.conf", "data.url", "data"]) {
    const answer = await see(about, { field });
    expect(answer).toMatchObject({ value: expect.stringMatching(/^sealed:/) as string });
    expect(JSON.stringify(answer)).not.toContain("hunter2");
  }
  expect(await see(about, { field: "data.note" })).toMatchObject({ value: "fine" });
  expect(await see(about, { field: "status.phase" })).toMatchObject({ value: "WaitingForToken" });
  expect(await see({ data: { "tls-secret-name": "web-secret" } }, { field: "data.tls-secret-name" })).toMatchObject({
    value: "web-secret",
  });
});

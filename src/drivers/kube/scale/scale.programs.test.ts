import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { absent } from "../../../authoring.ts";
import { AnsweringServer, missing, type Said, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeScaled, kubeScaleTo, kubeScaling } from "../../../facts/controller/kube-scale.ts";

const server = new AnsweringServer();
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());

const path = "/apis/apps/v1/namespaces/shop/deployments/web";
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  name: "web",
  namespace: "shop",
  kubeconfig: server.kubeconfig,
};

const resource = (name: string, kind: string, more: object = {}) => ({ name, kind, namespaced: true, ...more });
const scaleOf = (plural: string) =>
  resource(`${plural}/scale`, "Scale", { group: "autoscaling", version: "v1", verbs: ["get", "patch", "update"] });
const kinds = (...resources: object[]): Said => ({ status: 200, body: { kind: "APIResourceList", resources } });

beforeEach(() => {
  server.reset();
  server.said["GET /apis/apps/v1"] = [
    kinds(
      resource("deployments", "Deployment"),
      scaleOf("deployments"),
      resource("daemonsets", "DaemonSet"),
      resource("daemonsets/status", "DaemonSet"),
    ),
  ];
});

/** The object as a server returns it. */
function deployment(own: object = {}, metadata: object = {}): Said {
  const meta = { name: "web", namespace: "shop", uid: "u1", resourceVersion: "7", generation: 2, ...metadata };
  return {
    status: 200,
    body: { apiVersion: "apps/v1", kind: "Deployment", metadata: meta, status: { observedGeneration: 2, ...own } },
  };
}

/** The Deployment's subresource `scale`. The server leaves out a number that is 0. */
function scale(replicas: number, running: number, resourceVersion = "7", uid = "u1"): Said {
  const metadata = { name: "web", namespace: "shop", uid, resourceVersion };
  const spec = replicas === 0 ? {} : { replicas };
  return {
    status: 200,
    body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec, status: { replicas: running } },
  };
}

/** The server's successive responses about an object: pairs of the object and its subresource. */
function turns(...pairs: readonly [Said, Said][]): void {
  server.said[`GET ${path}`] = pairs.map(([object]) => object);
  server.said[`GET ${path}/scale`] = pairs.map(([, sub]) => sub);
}

const patches = (): string[] => server.seen.filter((one) => one.startsWith("PATCH"));

describe("how many replicas an object has", () => {
  test("is read from its scale subresource and its status", async () => {
    turns([deployment({ readyReplicas: 2 }), scale(3, 3)]);
    expect(await server.read(kubeScaled(web))).toEqual({
      exists: true,
      uid: "u1",
      replicas: 3,
      running: 3,
      ready: 2,
      isOutdated: false,
    });
    turns([deployment({ observedGeneration: 1 }), scale(0, 1)]);
    expect(await server.read(kubeScaled(web))).toMatchObject({ replicas: 0, running: 1, ready: 0, isOutdated: true });
  });

  test("is reported without the ready replicas for a custom kind that does not count them", async () => {
    const camp = { ...web, apiVersion: "camp.example.com/v1", kind: "Camp" };
    const place = "/apis/camp.example.com/v1/namespaces/shop/camps/web";
    server.said["GET /apis/camp.example.com/v1"] = [kinds(resource("camps", "Camp"), scaleOf("camps"))];
    const object = { ...(deployment().body as object), apiVersion: camp.apiVersion, kind: "Camp" };
    server.said[`GET ${place}`] = [{ status: 200, body: object }];
    server.said[`GET ${place}/scale`] = [scale(3, 3)];
    expect(await server.read(kubeScaled(camp))).toMatchObject({ replicas: 3, ready: absent });
    // With this error, the API reports that the number of replicas is not set.
    const none = status(500, { message: 'Internal error occurred: the spec replicas field ".spec.n" does not exist' });
    server.said[`GET ${place}/scale`] = [none];
    expect(await server.read(kubeScaled(camp))).toMatchObject({ replicas: absent, running: 0, uid: "u1" });
  });

  test.each([
    ["kubevirt.io/v1", "VirtualMachineInstanceReplicaSet"],
    ["pool.kubevirt.io/v1beta1", "VirtualMachinePool"],
    ["argoproj.io/v1alpha1", "Rollout"],
    ["counted.example.com/v1", "Camp"],
  ])("has 0 ready replicas of %s %s if its status omits them", async (apiVersion, kind) => {
    const [group, version] = apiVersion.split("/");
    const integer = { type: "integer" };
    const schemaOf = (name: string, status: object) => ({
      "x-kubernetes-group-version-kind": [{ group, version, kind: name }],
      properties: { status: { properties: status } },
    });
    const schemas = { a: schemaOf("Tent", { replicas: integer }), b: schemaOf("Camp", { readyReplicas: integer }) };
    server.said["GET /openapi/v3/apis/counted.example.com/v1"] = [{ status: 200, body: { components: { schemas } } }];
    server.said[`GET /apis/${apiVersion}`] = [
      kinds(resource("camps", kind), scaleOf("camps"), resource("tents", "Tent"), scaleOf("tents")),
    ];
    const answer = (name: string, plural: string) => {
      const place = `/apis/${apiVersion}/namespaces/shop/${plural}/web`;
      server.said[`GET ${place}`] = [
        { status: 200, body: { ...(deployment().body as object), apiVersion, kind: name } },
      ];
      server.said[`GET ${place}/scale`] = [scale(3, 3)];
    };
    answer(kind, "camps");
    answer("Tent", "tents");
    expect(await server.read(kubeScaled({ ...web, apiVersion, kind }))).toMatchObject({ running: 3, ready: 0 });
    if (kind !== "Camp") return;
    expect(await server.read(kubeScaled({ ...web, apiVersion, kind: "Tent" }))).toMatchObject({ ready: absent });
    await server.read(kubeScaled({ ...web, apiVersion, kind }));
    expect(server.seen.filter((one) => one.startsWith("GET /openapi"))).toHaveLength(2);
  });

  test.each([
    ["an object that does not exist", {}, "no-object", "the namespace shop has api, db"],
    ["a kind that is not served", { apiVersion: "apps/v1beta9" }, "no-kind", "it serves the kind in apps/v1"],
    ["a misspelled kind", { kind: "Deploymnt" }, "no-kind", "in apps/v1, it can scale Deployment"],
    ["a kind that cannot be scaled", { kind: "DaemonSet" }, "no-scale", "has the subresources status, but not scale"],
    [
      "a kind without subresources",
      { apiVersion: "v1", kind: "ConfigMap" },
      "no-scale",
      "the kind ConfigMap in v1 has no subresource scale",
    ],
    ["no namespace", { namespace: undefined }, "namespace-missing", "a Deployment is namespaced"],
  ])("is unknown for %s, and the answer says what the cluster has instead", async (_what, more, code, message) => {
    server.said[`GET ${path}`] = [missing("web", "deployments")];
    const list = ["db", "api"].map((name) => ({ metadata: { name } }));
    server.said["GET /apis/apps/v1/namespaces/shop/deployments"] = [
      { status: 200, body: { kind: "DeploymentList", metadata: {}, items: list } },
    ];
    server.said["GET /api/v1"] = [kinds(resource("configmaps", "ConfigMap"))];
    server.said["GET /apis/apps"] = [
      { status: 200, body: { kind: "APIGroup", versions: [{ groupVersion: "apps/v1" }] } },
    ];
    expect(await server.read(kubeScaled({ ...web, ...more }))).toMatchObject({
      exists: false,
      problem: { code, message: expect.stringContaining(message) as string },
    });
  });

  test("cannot be set while the object is being deleted", async () => {
    turns([deployment({}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["shop/backup"] }), scale(3, 3)]);
    expect(await server.read(kubeScaled(web))).toMatchObject({
      problem: { code: "being-deleted", message: expect.stringContaining("waits for shop/backup") as string },
    });
  });

  test.each([
    ["403", status(403, { message: "you may not" }), "HTTP 403: you may not"],
    ["500", status(500, { message: "etcd is down" }), "HTTP 500: etcd is down"],
    ["a web server's 404", { status: 404, body: "<html>" }, "HTTP 404: <html>"],
    ["another object's number", scale(3, 3, "7", "u2"), "replaced by a different object"],
    ["something else", { status: 200, body: { kind: "Scale", metadata: {} } }, "not a Scale of the Kubernetes API"],
    ["a negative number", scale(-1, 3), "not a Scale of the Kubernetes API"],
  ])("is not known from %s", async (_what, answer, current) => {
    turns([deployment(), answer]);
    await expect(server.read(kubeScaled(web))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining(current) as string },
    });
  });
});

describe("setting the number of replicas", () => {
  const to = { replicas: 3, uid: "u1", deadlineSeconds: 20 };

  test("is tried with a dry run first, which changes nothing", async () => {
    server.said[`PATCH ${path}/scale`] = [scale(3, 1)];
    expect(await server.read(kubeScaling(web, 3))).toEqual({});
    expect(patches()).toEqual([`PATCH ${path}/scale?dryRun=All application/merge-patch+json {"spec":{"replicas":3}}`]);
    server.said[`PATCH ${path}/scale`] = [status(403, { message: "you may not" })];
    expect(await server.read(kubeScaling(web, 3))).toMatchObject({ problem: { code: "forbidden" } });
    server.said[`PATCH ${path}/scale`] = [status(400, { message: 'webhook "x" does not support dry run' })];
    expect(await server.read(kubeScaling(web, 3))).toEqual({ unasked: 'webhook "x" does not support dry run' });
    server.said[`PATCH ${path}/scale`] = [status(500, { message: "etcd is down" })];
    await expect(server.read(kubeScaling(web, 3))).rejects.toMatchObject({ code: "E_DRIVER" });
  });

  test("sends the version that was read, and waits until the replicas are ready", async () => {
    turns(
      [deployment(), scale(1, 1)],
      [deployment({ observedGeneration: 1 }), scale(3, 3)],
      [deployment({ readyReplicas: 1 }), scale(3, 3)],
      [deployment({ readyReplicas: 3 }), scale(3, 3)],
    );
    server.said[`PATCH ${path}/scale`] = [scale(3, 1)];
    await server.call(kubeScaleTo(web, to, false));
    expect(patches()).toEqual([
      `PATCH ${path}/scale application/merge-patch+json {"metadata":{"resourceVersion":"7"},"spec":{"replicas":3}}`,
    ]);
    expect(server.seen.filter((one) => one === `GET ${path}/scale`)).toHaveLength(4);
  });

  test("is tried again with the new version after a conflict", async () => {
    turns([deployment(), scale(1, 1, "7")], [deployment({}, { resourceVersion: "8" }), scale(2, 2, "8")]);
    server.said[`PATCH ${path}/scale`] = [status(409, { reason: "Conflict", message: "modified" }), scale(3, 2)];
    await server.call(kubeScaleTo(web, { replicas: 3, uid: "u1" }, false));
    expect(patches().map((one) => /"resourceVersion":"(\d+)"/.exec(one)?.[1])).toEqual(["7", "8"]);
  });

  test("does not overwrite a second operator's number that differs from currentReplicas", async () => {
    turns([deployment(), scale(1, 1, "7")], [deployment(), scale(2, 2, "8")]);
    server.said[`PATCH ${path}/scale`] = [status(409, { reason: "Conflict", message: "modified" })];
    await expect(server.call(kubeScaleTo(web, { ...to, currentReplicas: 1 }, false))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: "its number of replicas is 2, but currentReplicas is 1" },
    });
    expect(patches()).toHaveLength(1);
  });

  test("sends nothing if a second operator has set the same number", async () => {
    turns([deployment({ readyReplicas: 3 }), scale(3, 3)]);
    await server.call(kubeScaleTo(web, to, false));
    expect(patches()).toEqual([]);
  });

  test.each([
    ["was replaced", deployment({}, { uid: "u2" })],
    ["is gone", missing("web", "deployments")],
    ["is being deleted", deployment({}, { deletionTimestamp: "2026-01-01T00:00:00Z" })],
  ])("touches nothing if the object %s after it was read", async (_what, answer) => {
    turns([answer, scale(1, 1, "7", "u2")]);
    await expect(server.call(kubeScaleTo(web, to, false))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining("replaced by a different object") as string },
    });
    expect(patches()).toEqual([]);
  });

  test("fails if someone else sets a different number while it waits", async () => {
    turns([deployment(), scale(3, 1)], [deployment(), scale(3, 2)], [deployment(), scale(5, 2)]);
    await expect(server.call(kubeScaleTo(web, to, true))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: "someone else has set its number of replicas to 5" },
    });
  });

  test("says what was set if the wait then fails", async () => {
    server.said[`PATCH ${path}/scale`] = [scale(3, 1)];
    turns([deployment(), scale(1, 1)], [deployment({ readyReplicas: 1 }), scale(3, 2)]);
    await expect(server.call(kubeScaleTo(web, { ...to, deadlineSeconds: 0.1 }, true))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: { hasChanged: true, details: ["already done: its number of replicas was set to 3 (before: 1)"] },
    });
    turns([deployment(), scale(1, 1)], [deployment(), scale(5, 2)]);
    await expect(server.call(kubeScaleTo(web, to, true))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { details: ["already done: its number of replicas was set to 3 (before: 1)"] },
    });
  });

  test("reports at the deadline how far it got, and the object's last warning", async () => {
    turns([deployment({ readyReplicas: 1 }), scale(3, 2)]);
    const warning = { type: "Warning", reason: "FailedCreate", message: "exceeded quota", eventTime: "2026" };
    server.said["GET /api/v1/namespaces/shop/events"] = [
      { status: 200, body: { kind: "EventList", metadata: {}, items: [warning] } },
    ];
    await expect(server.call(kubeScaleTo(web, { ...to, deadlineSeconds: 0.1 }, true))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: {
        what: expect.stringContaining("Deployment shop/web does not have 3 replicas") as string,
        current: "2 of 3 replicas exist, 1 ready. Its last warning: FailedCreate: exceeded quota",
      },
    });
  });
});

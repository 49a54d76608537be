import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  AnsweringServer,
  config,
  live,
  missing,
  path,
  status,
  versions,
} from "../../../test/kube/server/answering-server.ts";
import { kubeApplied, kubeApply } from "../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object: config };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const keyTwice = JSON.stringify(live({}, {})).replace('"uid":', '"uid":"u0","uid":');

describe("what the server would do with an object", () => {
  test("sends only one request if the manager owns exactly what is sent", async () => {
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1", b: "theirs" }, { "f:a": {} }) }];
    await server.read(kubeApplied(request));
    server.seen.length = 0;
    const view = { exists: true, fields: { "data.a": "1" }, owner: { "data.a": "shop" } };
    expect(await server.read(kubeApplied(request))).toEqual({ ...view, after: view, uid: "u1", sent: view.fields });
    expect(server.seen).toEqual([`GET ${path}`]);
  });

  test("reports another manager that has set a field to the same value and so stays one of its owners", async () => {
    const owns = (manager: string): object => ({
      manager,
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:a": {} } },
    });
    const owned = (a: string, ...managers: string[]) => ({
      status: 200,
      body: live({ a }, {}, { managedFields: managers.map(owns) }),
    });
    server.said[`GET ${path}`] = [owned("1", "aa", "cc")];
    server.said[`PATCH ${path}`] = [owned("1", "aa", "shop")];
    expect(await server.read(kubeApplied(request))).toMatchObject({
      owner: { "data.a": "aa (stays an owner), cc" },
      after: { owner: { "data.a": "shop" } },
    });
  });

  test("leaves out a status, which only the kind's controller sets, and says so", async () => {
    const object = { ...config, status: { phase: "Sunk" } };
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }) }];
    const view = { exists: true, fields: { "data.a": "1" }, owner: { "data.a": "shop" } };
    const answer = await server.read(kubeApplied({ ...request, object }));
    expect(answer).toEqual({ ...view, after: view, uid: "u1", sent: view.fields, leftOut: "status" });
    server.said[`PATCH ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }) }];
    await server.call(kubeApply({ ...request, object }, { exists: true }));
    expect(server.seen.at(-1)).toMatch(/^PATCH .*"data":\{"a":"1"\}/);
    expect(server.seen.at(-1)).not.toContain("Sunk");
  });

  test("does not repeat the part of the object that the server quotes around an error", async () => {
    const quoted = 'error found in #10 byte of ...|"key":"s3cr|..., bigger context ...|"data":{"key":"s3cret-val|...';
    server.said[`GET ${path}`] = [missing("web")];
    server.said[`PATCH ${path}`] = [
      status(400, { reason: "BadRequest", message: `Secret: illegal base64 data, ${quoted}` }),
    ];
    expect(await server.read(kubeApplied(request))).toMatchObject({
      problem: { code: "invalid-object", message: "ConfigMap shop/web is not valid: Secret: illegal base64 data" },
    });
  });

  test("treats a normalized value as equal to the one sent only if applying the object again would change nothing", async () => {
    const object = { ...config, data: { a: "1", list: ["1000m"] } };
    const owned = { "f:a": {}, "f:list": {} };
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1", list: ["1"] }, owned) }];
    server.said[`PATCH ${path}`] = [{ status: 200, body: live({ a: "1", list: ["1"] }, owned) }];
    // The server normalizes the value, so only its dry run shows that nothing would change.
    expect(await server.read(kubeApplied({ ...request, object }))).toMatchObject({
      fields: { "data.list": ["1"] },
      sent: { "data.a": "1", "data.list": ["1000m"] },
    });
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1", list: ["2"] }, owned) }];
    expect(await server.read(kubeApplied({ ...request, object }))).not.toHaveProperty("sent");
  });

  test("asks only once which kinds exist, even if many objects are queried at the same time", async () => {
    const group = { kind: "APIResourceList", resources: [{ name: "tents", kind: "Tent", namespaced: true }] };
    server.said["GET /apis/camp.example.com/v1"] = [{ status: 200, body: group }];
    const names = ["a", "b", "c", "d"];
    for (const name of names) {
      server.said[`GET /apis/camp.example.com/v1/namespaces/shop/tents/${name}`] = [missing(name, "tents")];
      server.said[`PATCH /apis/camp.example.com/v1/namespaces/shop/tents/${name}`] = [status(403, {})];
    }
    const ask = (name: string): Promise<unknown> =>
      server.read(
        kubeApplied({
          ...request,
          object: { apiVersion: "camp.example.com/v1", kind: "Tent", metadata: { name, namespace: "shop" } },
        }),
      );
    await Promise.all(names.map(ask));
    expect(server.seen.filter((one) => one === "GET /apis/camp.example.com/v1")).toHaveLength(1);
  });

  test("reports the current and the wanted value of a field in conflict", async () => {
    const causes = [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl" using v1', field: ".data.a" }];
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "0" }, {}) }];
    server.said[`PATCH ${path}`] = [status(409, { reason: "Conflict", details: { causes } })];
    expect(await server.read(kubeApplied(request))).toMatchObject({
      problem: {
        message: `other managers own fields of ConfigMap shop/web: data.a is owned by kubectl (current "0", wanted "1")`,
      },
    });
  });

  test("requests a strict dry run if the object differs, and sends no credentials or types that the API does not know", async () => {
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "0", b: "1" }, { "f:a": {}, "f:b": {} }) }];
    server.said[`PATCH ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }) }];
    expect(await server.read(kubeApplied(request))).toMatchObject({
      fields: { "data.a": "0", "data.b": "set" },
      after: { fields: { "data.a": "1" } },
    });
    expect(server.seen.at(-1)).toBe(
      `PATCH ${path}?fieldManager=shop&fieldValidation=Strict&dryRun=All application/apply-patch+yaml ${JSON.stringify(config)}`,
    );
  });

  test("waits as long as a busy server asks it to", async () => {
    const busy = { ...status(429, { message: "later" }), headers: { "retry-after": "0" } };
    server.said[`GET ${path}`] = [busy, busy, missing("web")];
    server.said[`PATCH ${path}`] = [
      { ...busy, status: 503 },
      { status: 201, body: live({ a: "1" }, { "f:a": {} }) },
    ];
    expect(await server.read(kubeApplied(request))).toMatchObject({ exists: false, after: { exists: true } });
  });

  test.each([
    ["401", status(401, { message: "Unauthorized" }), "HTTP 401: Unauthorized"],
    ["403", status(403, { message: "you may not" }), "HTTP 403: you may not"],
    ["a web server's 404", { status: 404, body: "<html>" }, "HTTP 404: <html>"],
    ["another object's 404", missing("other"), "HTTP 404"],
    ["500", status(500, { message: "etcd is down" }), "HTTP 500: etcd is down"],
    ["503 for too long", status(503, { message: "stopping" }), "HTTP 503: stopping"],
    ["another object", { status: 200, body: live({}, {}, { name: "other" }) }, "does not contain the requested object"],
    ["a key twice", { status: 200, body: keyTwice }, "it contains the key uid twice"],
    ["nothing", { status: 0, body: "" }, "no complete answer within 1.5 seconds"],
  ])("does not mistake %s for a missing object", async (_what, answer, current) => {
    server.said[`GET ${path}`] = [answer];
    await expect(server.read(kubeApplied(request))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining(current) as string },
    });
  });

  test("does not mistake another web server's page for an API without kinds", async () => {
    server.said = { "GET /api": [{ status: 200, body: "<html>" }] };
    const object = { ...config, apiVersion: "example.com/v1" };
    await expect(server.read(kubeApplied({ ...request, object }))).rejects.toMatchObject({ code: "E_DRIVER" });
    server.said = { "GET /api": [versions] };
    expect(await server.read(kubeApplied({ ...request, object }))).toMatchObject({ exists: false, lacks: "kind" });
  });

  test("names the kubeconfig that does not exist", async () => {
    await expect(
      server.read(kubeApplied({ ...request, kubeconfig: `${server.kubeconfig}-none` })),
    ).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { what: expect.stringContaining("-none does not exist") as string },
    });
  });

  test("shows no value of a Secret, old or new", async () => {
    const secrets = path.replace("configmaps", "secrets");
    const secret = { ...config, kind: "Secret", data: { a: "bmV3" } };
    server.said[`GET ${secrets}`] = [{ status: 200, body: { ...live({ a: "b2xk" }, { "f:a": {} }), kind: "Secret" } }];
    server.said[`PATCH ${secrets}`] = [
      { status: 200, body: { ...live({ a: "bmV3" }, { "f:a": {} }), kind: "Secret" } },
    ];
    const answer = await server.read(kubeApplied({ ...request, object: secret }));
    expect(answer).toMatchObject({ fields: { "data.aSeal": expect.stringMatching(/^sealed:/) as string } });
    expect(JSON.stringify(answer)).not.toMatch(/bmV3|b2xk/);
  });
});

test("a change that the server refuses after all fails with the server's message", async () => {
  server.said[`PATCH ${path}`] = [status(409, { message: "Apply failed with 1 conflict" })];
  await expect(server.call(kubeApply(request, { exists: true }))).rejects.toMatchObject({
    code: "E_DRIVER",
    failure: {
      what: expect.stringContaining("apply ConfigMap shop/web") as string,
      current: "HTTP 409: Apply failed with 1 conflict",
    },
  });
});

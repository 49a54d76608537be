import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { kubeconfigText, makeCertificates } from "../../../test/kube/server/certificates.ts";
import { kubeApplied, kubeApply, kubeDelete, kubeDeleted } from "../../facts/controller/kube-object.ts";
import { kubernetesDriverWith } from "../kubernetes.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-kube-answers-"));
const kubeconfig = join(folder, "kubeconfig");
let server: Server;

interface Said {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const status = (code: number, about: object): Said => ({ status: code, body: { kind: "Status", ...about } });
const missing = (name: string, kind = "configmaps"): Said =>
  status(404, { reason: "NotFound", message: `${kind} "${name}" not found`, details: { name, kind } });
const kinds: Said = {
  status: 200,
  body: {
    kind: "APIResourceList",
    resources: [
      { name: "configmaps", kind: "ConfigMap", namespaced: true, verbs: ["list"] },
      { name: "configmaps/status", kind: "ConfigMap", namespaced: true },
      { name: "namespaces", kind: "Namespace", namespaced: false },
      { name: "secrets", kind: "Secret", namespaced: true, verbs: ["list"] },
    ],
  },
};
/** What the server says to `METHOD PATH`, in turn; the last answer is repeated. */
let said: Record<string, Said[]> = {};
const seen: string[] = [];

const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "shop" }, data: { a: "1" } };
const request = { kubeconfig, fieldManager: "shop", force: false, object: config };
const path = "/api/v1/namespaces/shop/configmaps/web";
const live = (data: object, own: object, more: object = {}): object => ({
  ...config,
  data,
  metadata: {
    ...config.metadata,
    uid: "u1",
    managedFields: [
      { manager: "shop", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": own } },
    ],
    ...more,
  },
});

const driver = kubernetesDriverWith({ requestMs: 1500, deadlineMs: 3000, pauseMs: 10 });
const { signal } = new AbortController();
const read = (fact: { readonly request: unknown }): Promise<unknown> => driver.read(fact.request as never, signal);
const call = (step: { readonly request: unknown }): Promise<unknown> | undefined =>
  driver.call?.(step.request as never, signal);

beforeAll(async () => {
  makeCertificates(folder, { admin: "/CN=admin" });
  const file = (name: string): Buffer => readFileSync(join(folder, name));
  server = createServer({ key: file("server.key"), cert: file("server.crt") }, (asked, answer) => {
    let body = "";
    asked.on("data", (part: Buffer) => (body += part.toString()));
    asked.on("end", () => {
      const name = `${asked.method} ${(asked.url ?? "").split("?")[0]}`;
      seen.push(`${asked.method} ${asked.url} ${asked.headers["content-type"] ?? ""} ${body}`.trim());
      const list = said[name];
      const next = list !== undefined && list.length > 1 ? list.shift() : list?.[0];
      if (next === undefined) return void answer.writeHead(404).end("404 page not found\n");
      if (next.status === 0) return;
      answer
        .writeHead(next.status, next.headers)
        .end(typeof next.body === "string" ? next.body : JSON.stringify(next.body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  writeFileSync(
    kubeconfig,
    kubeconfigText(folder, "admin", `https://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  seen.length = 0;
  said = { "GET /api/v1": [kinds], "GET /api": [{ status: 200, body: { kind: "APIVersions", versions: ["v1"] } }] };
});

describe("what the server would do with an object", () => {
  test("asks once if the manager owns exactly what is sent", async () => {
    said[`GET ${path}`] = [{ status: 200, body: live({ a: "1", b: "theirs" }, { "f:a": {} }) }];
    await read(kubeApplied(request));
    seen.length = 0;
    const view = { exists: true, fields: { "data.a": "1" }, owner: { "data.a": "shop" } };
    expect(await read(kubeApplied(request))).toEqual({ ...view, after: view, uid: "u1" });
    expect(seen).toEqual([`GET ${path}`]);
  });

  test("asks with a strict dry run if the object differs, and sends no credentials or types that the API does not know", async () => {
    said[`GET ${path}`] = [{ status: 200, body: live({ a: "0", b: "1" }, { "f:a": {}, "f:b": {} }) }];
    said[`PATCH ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }) }];
    expect(await read(kubeApplied(request))).toMatchObject({
      fields: { "data.a": "0", "data.b": "set" },
      after: { fields: { "data.a": "1" } },
    });
    expect(seen.at(-1)).toBe(
      `PATCH ${path}?fieldManager=shop&fieldValidation=Strict&dryRun=All application/apply-patch+yaml ${JSON.stringify(config)}`,
    );
  });

  test.each([
    [
      "a conflict",
      status(409, {
        reason: "Conflict",
        details: {
          causes: [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl" using v1', field: ".data.a" }],
        },
      }),
      { problem: { code: "field-conflict", message: expect.stringContaining("data.a is owned by kubectl") as string } },
    ],
    [
      "an invalid object",
      status(422, { reason: "Invalid", message: "data: too long" }),
      { problem: { code: "invalid-object", message: "ConfigMap shop/web is not valid: data: too long" } },
    ],
    [
      "an unknown field, as an old server reports it",
      status(500, { message: "failed to create typed patch object: .dta: field not declared in schema" }),
      { problem: { code: "invalid-object" } },
    ],
    [
      "missing rights",
      status(403, { message: "you may not" }),
      { problem: { code: "forbidden", message: "you may not" } },
    ],
    [
      "a missing namespace",
      missing("shop", "namespaces"),
      { lacks: "namespace", after: { fields: { "data.a": "1" } } },
    ],
    [
      "a webhook that cannot be asked",
      status(400, { message: 'admission webhook "x" does not support dry run' }),
      { unasked: 'admission webhook "x" does not support dry run' },
    ],
  ])("tells %s", async (_what, answer, expected) => {
    said[`GET ${path}`] = [missing("web")];
    said[`PATCH ${path}`] = [answer];
    expect(await read(kubeApplied(request))).toMatchObject({ exists: false, ...expected });
  });

  test("waits as long as a busy server asks it to", async () => {
    const busy = { ...status(429, { message: "later" }), headers: { "retry-after": "0" } };
    said[`GET ${path}`] = [busy, busy, missing("web")];
    said[`PATCH ${path}`] = [
      { ...busy, status: 503 },
      { status: 201, body: live({ a: "1" }, { "f:a": {} }) },
    ];
    expect(await read(kubeApplied(request))).toMatchObject({ exists: false, after: { exists: true } });
  });

  test.each([
    ["401", status(401, { message: "Unauthorized" }), "HTTP 401: Unauthorized"],
    ["403", status(403, { message: "you may not" }), "HTTP 403: you may not"],
    ["a web server's 404", { status: 404, body: "<html>" }, "HTTP 404: <html>"],
    ["another object's 404", missing("other"), "HTTP 404"],
    ["500", status(500, { message: "etcd is down" }), "HTTP 500: etcd is down"],
    ["503 for too long", status(503, { message: "stopping" }), "HTTP 503: stopping"],
    ["another object", { status: 200, body: live({}, {}, { name: "other" }) }, "not the object"],
    ["nothing", { status: 0, body: "" }, "no complete answer within 1.5 seconds"],
  ])("does not take %s for a missing object", async (_what, answer, current) => {
    said[`GET ${path}`] = [answer];
    await expect(read(kubeApplied(request))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining(current) as string },
    });
  });

  test("does not take a page of another web server for an API without kinds", async () => {
    said = { "GET /api": [{ status: 200, body: "<html>" }] };
    const object = { ...config, apiVersion: "example.com/v1" };
    await expect(read(kubeApplied({ ...request, object }))).rejects.toMatchObject({ code: "E_DRIVER" });
    said = { "GET /api": [{ status: 200, body: { kind: "APIVersions", versions: ["v1"] } }] };
    expect(await read(kubeApplied({ ...request, object }))).toMatchObject({ exists: false, lacks: "kind" });
  });

  test("names the kubeconfig that does not exist", async () => {
    await expect(read(kubeApplied({ ...request, kubeconfig: join(folder, "none") }))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { what: expect.stringContaining("none does not exist") as string },
    });
  });

  test("shows no value of a Secret, old or new", async () => {
    const secrets = path.replace("configmaps", "secrets");
    const secret = { ...config, kind: "Secret", data: { a: "bmV3" } };
    said[`GET ${secrets}`] = [{ status: 200, body: { ...live({ a: "b2xk" }, { "f:a": {} }), kind: "Secret" } }];
    said[`PATCH ${secrets}`] = [{ status: 200, body: { ...live({ a: "bmV3" }, { "f:a": {} }), kind: "Secret" } }];
    const answer = await read(kubeApplied({ ...request, object: secret }));
    expect(answer).toMatchObject({ fields: { "data.aSeal": expect.stringMatching(/^sealed:/) as string } });
    expect(JSON.stringify(answer)).not.toMatch(/bmV3|b2xk/);
  });
});

describe("what a deletion would delete", () => {
  test.each([
    [
      "a controller",
      { ownerReferences: [{ kind: "ReplicaSet", name: "web", controller: true }] },
      "the ReplicaSet web",
    ],
    ["Helm", { annotations: { "meta.helm.sh/release-name": "shop" } }, "Helm"],
    ["another tool", { labels: { "app.kubernetes.io/managed-by": "ansible" } }, "ansible"],
  ])("refuses an object of %s, unless told to force it", async (_who, more, owner) => {
    said[`GET ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }, more) }];
    said[`DELETE ${path}`] = [status(200, {})];
    expect(await read(kubeDeleted(request))).toMatchObject({
      problem: { code: "owned-by-others", message: expect.stringContaining(owner) as string },
    });
    expect(seen.filter((one) => one.startsWith("DELETE"))).toEqual([]);
    const forced = (await read(kubeDeleted({ ...request, force: true }))) as object;
    expect(forced).toMatchObject({ exists: true, uid: "u1" });
    expect("problem" in forced).toBe(false);
  });

  test("refuses an object of which the manager owns nothing", async () => {
    said[`GET ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }) }];
    expect(await read(kubeDeleted({ ...request, fieldManager: "other" }))).toMatchObject({
      problem: { message: expect.stringContaining("the field manager shop") as string },
    });
  });

  test("deletes only the object with this uid, and names the finalizers that it waits for", async () => {
    const own = live(
      { a: "1" },
      { "f:a": {} },
      { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["shop/backup"] },
    );
    said[`GET ${path}`] = [{ status: 200, body: own }];
    said[`DELETE ${path}`] = [{ status: 200, body: own }];
    await expect(call(kubeDelete(request, "u1", 0.2))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: { current: "is being deleted and waits for shop/backup" },
    });
    expect(seen.find((one) => one.startsWith("DELETE"))).toContain('"preconditions":{"uid":"u1"}');
    said[`GET ${path}`] = [missing("web")];
    await call(kubeDelete(request, "u1", 0.2));
    said[`DELETE ${path}`] = [status(409, { message: "the UID in the precondition does not match" })];
    await expect(call(kubeDelete(request, "u1", 0.2))).rejects.toMatchObject({ code: "E_DRIVER" });
  });

  test("does not say that a namespace is empty if one list cannot be seen", async () => {
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    said["GET /api/v1/namespaces/shop"] = [{ status: 200, body: { ...space, metadata: { name: "shop", uid: "n1" } } }];
    said["DELETE /api/v1/namespaces/shop"] = [status(200, {})];
    said["GET /apis"] = [{ status: 200, body: { kind: "APIGroupList", groups: [] } }];
    const list = (kind: string, ...names: string[]): Said => ({
      status: 200,
      body: { kind, metadata: {}, items: names.map((name) => ({ metadata: { name, uid: name } })) },
    });
    said["GET /api/v1/namespaces/shop/configmaps"] = [list("ConfigMapList", "web", "kube-root-ca.crt")];
    said["GET /api/v1/namespaces/shop/secrets"] = [list("SecretList", "password")];
    const fact = kubeDeleted({ ...request, object: space });
    expect(await read(fact)).toMatchObject({ contents: "1 ConfigMap, 1 Secret" });
    said["GET /api/v1/namespaces/shop/secrets"] = [status(403, { message: "you may not" })];
    await expect(read(fact)).rejects.toMatchObject({ code: "E_DRIVER", failure: { current: "HTTP 403: you may not" } });
  });
});

test("a change that the server refuses after all fails with the server's message", async () => {
  said[`PATCH ${path}`] = [status(409, { message: "Apply failed with 1 conflict" })];
  await expect(call(kubeApply(request))).rejects.toMatchObject({
    code: "E_DRIVER",
    failure: {
      what: expect.stringContaining("apply ConfigMap shop/web") as string,
      current: "HTTP 409: Apply failed with 1 conflict",
    },
  });
});

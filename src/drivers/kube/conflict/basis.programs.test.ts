import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, config, live, missing, path, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeApplied, kubeApply, type KubeObjectState } from "../../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object: config };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

describe("another run with the same field manager, at the same moment", () => {
  const version = (resourceVersion: string, data: object, more: object = {}) => ({
    status: 200,
    body: live(data, { "f:a": {} }, { resourceVersion, ...more }),
  });
  const list = path.replace("/web", "");
  const before = (...items: object[]) => ({ status: 200, body: { kind: "ConfigMapList", metadata: {}, items } });
  const theirs = { manager: "alice", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" };
  const outdated = status(409, { reason: "Conflict", message: "the object has been modified" });
  const patched = () => server.seen.filter((one) => one.startsWith("PATCH ") && !one.includes("dryRun"));

  /** Decides to change the key `a` from 0 to 1, while the object has version 5. */
  async function decided(): Promise<KubeObjectState> {
    server.said[`GET ${path}`] = [version("5", { a: "0" })];
    server.said[`PATCH ${path}`] = [version("5", { a: "1" })];
    const now = (await server.read(kubeApplied(request))) as KubeObjectState;
    server.seen.length = 0;
    return now;
  }

  test("does not lose its changes", async () => {
    const now = await decided();
    server.said[`GET ${path}`] = [version("6", { a: "2" })];
    server.said[`PATCH ${path}`] = [outdated];
    await expect(server.call(kubeApply(request, now))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: {
        what: "ConfigMap shop/web was changed by another run with the field manager shop at the same moment",
        hint: expect.stringContaining("Rerun") as string,
      },
    });
    expect(patched()).toEqual([expect.stringContaining('"resourceVersion":"5"')]);
  });

  test("causes no error if it applied the same values", async () => {
    const now = await decided();
    server.said[`GET ${path}`] = [version("6", { a: "1" })];
    server.said[`PATCH ${path}`] = [outdated];
    await server.call(kubeApply(request, now));
    expect(patched()).toHaveLength(1);
  });

  test("is distinguished from a controller that changes other fields all the time", async () => {
    const now = await decided();
    server.said[`GET ${path}`] = [version("6", { a: "0", b: "theirs" }), version("8", { a: "0", b: "again" })];
    server.said[`PATCH ${path}`] = [outdated, outdated, version("9", { a: "1" })];
    await server.call(kubeApply(request, now));
    expect(patched().map((one) => /"resourceVersion":"(\d+)"/.exec(one)?.[1])).toEqual(["5", "6", "8"]);
  });

  test.each([
    ["deleted", missing("web")],
    ["is deleting", version("6", { a: "0" }, { deletionTimestamp: "2026-11-30T00:00:00Z" })],
    ["deleted and created again", version("6", { a: "0" }, { uid: "u2" })],
  ])("does not get back what it %s", async (_, current) => {
    const now = await decided();
    server.said[`GET ${path}`] = [current];
    server.said[`PATCH ${path}`] = [outdated];
    await expect(server.call(kubeApply(request, now))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { what: "ConfigMap shop/web was deleted by someone else at the same moment" },
    });
    expect(patched()).toHaveLength(1);
  });

  test("causes an error if it deleted the object and an old server, which ignores the uid, creates the object again", async () => {
    const now = await decided();
    server.said[`PATCH ${path}`] = [{ ...version("9", { a: "1" }), status: 201 }];
    await expect(server.call(kubeApply(request, now))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { current: expect.stringContaining("created again") as string },
    });
  });

  test("is distinguished from another manager, which took the field from this one", async () => {
    const now = await decided();
    const taken = { ...theirs, fieldsV1: { "f:data": { "f:a": {} } } };
    server.said[`GET ${path}`] = [version("6", { a: "2" }, { managedFields: [taken] })];
    server.said[`PATCH ${path}`] = [outdated];
    await expect(server.call(kubeApply(request, now))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: {
        what: "ConfigMap shop/web was changed by the field manager alice at the same moment",
        hint: expect.not.stringContaining("fieldManager") as string,
      },
    });
  });

  test("is distinguished from a new conflict with another manager, which names the field and both values", async () => {
    const now = await decided();
    const causes = [{ reason: "FieldManagerConflict", message: 'conflict with "alice" using v1', field: ".data.a" }];
    server.said[`GET ${path}`] = [version("6", { a: "2" })];
    server.said[`PATCH ${path}`] = [status(409, { reason: "Conflict", details: { causes } })];
    await expect(server.call(kubeApply(request, now))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: {
        what: `other managers own fields of ConfigMap shop/web: data.a is owned by alice (current "2", wanted "1")`,
        hint: expect.stringContaining("force") as string,
      },
    });
  });

  test("is noticed, even if a controller always changes the object before this run can apply it", async () => {
    const now = await decided();
    server.said[`GET ${path}`] = [version("6", { a: "0", b: "theirs" })];
    server.said[`PATCH ${path}`] = [...Array.from({ length: 6 }, () => outdated), version("9", { a: "1" })];
    server.said[`GET ${list}`] = [before(version("8", { a: "0", b: "again" }).body)];
    await server.call(kubeApply(request, now));
    expect(patched().at(-1)).toContain('"uid":"u1"');
    expect(patched().at(-1)).not.toContain("resourceVersion");
    server.said[`PATCH ${path}`] = [...Array.from({ length: 6 }, () => outdated), version("9", { a: "1" })];
    server.said[`GET ${list}`] = [before(version("8", { a: "2" }).body)];
    await expect(server.call(kubeApply(request, now))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { current: "this run's values have replaced those of the other run" },
    });
  });

  const creation = () => server.call(kubeApply(request, { exists: false }));

  test("is reported if it created the object with different values, but not if it used the same values", async () => {
    server.said[`PATCH ${path}`] = [version("9", { a: "1" })];
    server.said[`GET ${list}`] = [before(version("7", { a: "2" }).body)];
    await expect(creation()).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { what: expect.stringContaining("was created by another run with the field manager shop") as string },
    });
    expect(server.seen.at(-1)).toContain("resourceVersion=8&resourceVersionMatch=Exact");
    for (const same of [[], [version("7", { a: "1" }).body]]) {
      server.said[`GET ${list}`] = [before(...same)];
      expect(await creation()).toEqual([]);
    }
  });

  test("is not mistaken for another manager, which created the object at the same moment", async () => {
    server.said[`PATCH ${path}`] = [version("9", { a: "1" })];
    const made = { ...theirs, fieldsV1: { "f:data": { "f:b": {} } } };
    server.said[`GET ${list}`] = [before(version("8", { b: "0" }, { managedFields: [made] }).body)];
    await expect(creation()).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: {
        what: "ConfigMap shop/web was created by the field manager alice at the same moment",
        current: "this run's fields have been added to it",
      },
    });
  });

  test("is not suspected if Kubernetes itself created the object, as it does in each new namespace", async () => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "shop" } };
    const accounts = "/api/v1/namespaces/shop/serviceaccounts";
    const resources = [{ name: "serviceaccounts", kind: "ServiceAccount", namespaced: true, verbs: ["list"] }];
    server.said["GET /api/v1"] = [{ status: 200, body: { kind: "APIResourceList", resources } }];
    const made = (resourceVersion: string, ...managedFields: object[]) => ({
      ...account,
      metadata: { ...account.metadata, uid: "u1", resourceVersion, managedFields },
    });
    server.said[`PATCH ${accounts}/default`] = [{ status: 200, body: made("9") }];
    server.said[`GET ${accounts}`] = [
      { status: 200, body: { kind: "ServiceAccountList", metadata: {}, items: [made("8")] } },
    ];
    const create = (object: typeof account) => server.call(kubeApply({ ...request, object }, { exists: false }));
    expect(await create(account)).toEqual([]);
    const ours = { ...theirs, manager: "shop", fieldsV1: { "f:imagePullSecrets": {} } };
    server.said[`GET ${accounts}`] = [
      { status: 200, body: { kind: "ServiceAccountList", metadata: {}, items: [made("8", ours)] } },
    ];
    await expect(create(account)).rejects.toMatchObject({
      failure: { what: expect.stringContaining("was created by another run") as string },
    });
    expect(server.seen.at(-1)).toContain("resourceVersion=8");
  });

  test.each([403, 410])(
    "is possible, so a creation fails if the list that would show it gets HTTP %i",
    async (code) => {
      server.said[`PATCH ${path}`] = [{ ...version("9", { a: "1" }), status: 201 }];
      await creation();
      server.said[`PATCH ${path}`] = [version("9", { a: "1" })];
      server.said[`GET ${list}`] = [status(code, { message: "no" })];
      await expect(creation()).rejects.toMatchObject({
        code: "E_DRIVER",
        failure: {
          what: expect.stringContaining("this run's fields are applied") as string,
          current: expect.stringContaining(`HTTP ${code}: no`) as string,
        },
      });
    },
  );
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  AnsweringServer,
  config,
  live,
  missing,
  path,
  type Said,
  status,
} from "../../../../test/kube/server/answering-server.ts";
import { kubeApplied, kubeDelete, kubeDeleted } from "../../../facts/controller/kube-object.ts";
import { kubeSeen } from "../../../facts/controller/kube-seen.ts";

const server = new AnsweringServer();
const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object: config };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

describe("a deletion", () => {
  test("deletes only the object with this uid, and names the finalizers that it is waiting for", async () => {
    const own = live(
      { a: "1" },
      { "f:a": {} },
      { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["shop/backup"] },
    );
    server.said[`GET ${path}`] = [{ status: 200, body: own }];
    server.said[`DELETE ${path}`] = [{ status: 200, body: own }];
    await expect(server.call(kubeDelete(request, "u1", 0.2))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: {
        current: "is being deleted and waits for shop/backup",
        details: ["already done: its deletion was requested"],
      },
    });
    expect(server.seen.find((one) => one.startsWith("DELETE"))).toContain('"preconditions":{"uid":"u1"}');
    server.said[`GET ${path}`] = [missing("web")];
    await server.call(kubeDelete(request, "u1", 0.2));
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }, { uid: "u2" }) }];
    server.said[`DELETE ${path}`] = [status(409, { message: "the UID in the precondition does not match" })];
    await expect(server.call(kubeDelete(request, "u1", 0.2))).rejects.toMatchObject({ code: "E_DRIVER" });
  });

  test("of a stuck namespace names what it waits for: spec.finalizers and its own conditions", async () => {
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "stuck" } };
    const remaining = "Some resources are remaining: tents.camp.example.com has 1 resource instances";
    const kept =
      "Some content in the namespace has finalizers remaining: camp.example.com/hold in 1 resource instances";
    const body = {
      ...space,
      metadata: { name: "stuck", uid: "n1", deletionTimestamp: "2026-01-01T00:00:00Z" },
      spec: { finalizers: ["kubernetes"] },
      status: {
        phase: "Terminating",
        conditions: [
          { type: "NamespaceDeletionContentFailure", status: "False", message: "All content successfully deleted" },
          { type: "NamespaceContentRemaining", status: "True", message: remaining },
          { type: "NamespaceFinalizersRemaining", status: "True", message: kept },
        ],
      },
    };
    server.said["GET /api/v1/namespaces/stuck"] = [{ status: 200, body }];
    server.said["DELETE /api/v1/namespaces/stuck"] = [{ status: 200, body }];
    const stuck = { ...request, object: space };
    const held = `kubernetes in spec.finalizers (NamespaceContentRemaining: ${remaining}; NamespaceFinalizersRemaining: ${kept})`;
    await expect(server.call(kubeDelete(stuck, "n1", 0.2))).rejects.toMatchObject({
      failure: { current: `is being deleted and waits for ${held}` },
    });
    expect(await server.read(kubeDeleted(stuck))).toMatchObject({ deleting: [held] });
    expect(await server.read(kubeApplied(stuck))).toMatchObject({ deleting: [held] });
    const place = { kubeconfig: server.kubeconfig, apiVersion: "v1", kind: "Namespace", name: "stuck" };
    expect(await server.read(kubeSeen(place))).toMatchObject({ deleting: [held] });
  });

  const version = (resourceVersion: string, more: object = {}): Said => ({
    status: 200,
    body: live({ a: "1" }, { "f:a": {} }, { resourceVersion, ...more }),
  });
  const conflict = status(409, {
    reason: "Conflict",
    message: "the ResourceVersion in the precondition does not match",
  });
  const deletions = (): string[] => server.seen.filter((one) => one.startsWith("DELETE"));

  test("does not delete an object that another manager has taken over since the decision", async () => {
    const taken = version("2", { labels: { "app.kubernetes.io/managed-by": "Helm" } });
    server.said[`GET ${path}`] = [version("1"), taken];
    server.said[`DELETE ${path}`] = [conflict];
    await expect(server.call(kubeDelete(request, "u1", 5))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { what: "ConfigMap shop/web belongs to Helm, not only to shop" },
    });
    expect(deletions()).toEqual([expect.stringContaining('"preconditions":{"uid":"u1","resourceVersion":"1"}')]);
    server.said[`GET ${path}`] = [taken];
    await expect(server.call(kubeDelete(request, "u1", 5))).rejects.toMatchObject({ code: "E_REFUSED" });
    expect(deletions()).toHaveLength(1);
  });

  test("deletes an object whose status a controller updates all the time", async () => {
    server.said[`GET ${path}`] = [version("1"), version("2"), version("3"), missing("web")];
    server.said[`DELETE ${path}`] = [conflict, conflict, status(200, {})];
    await server.call(kubeDelete(request, "u1", 5));
    expect(deletions().map((one) => /"resourceVersion":"(\d)"/.exec(one)?.[1])).toEqual(["1", "2", "3"]);
    server.said[`GET ${path}`] = [version("1")];
    server.said[`DELETE ${path}`] = [conflict];
    await expect(server.call(kubeDelete(request, "u1", 0.2))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { what: expect.stringContaining("cannot delete ConfigMap shop/web") as string },
    });
  });

  test("does not delete a namespace that has received contents since the decision, unless they may be lost", async () => {
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    const body = { ...space, metadata: { name: "shop", uid: "n1", resourceVersion: "1" } };
    server.said["GET /api/v1/namespaces/shop"] = [{ status: 200, body }];
    server.said["DELETE /api/v1/namespaces/shop"] = [status(200, {})];
    server.said["GET /apis"] = [{ status: 200, body: { kind: "APIGroupList", groups: [] } }];
    // The object's owner was just deleted, so the cluster is about to delete the object too.
    const left = { metadata: { name: "made", namespace: "shop", uid: "m1", ownerReferences: [{ uid: "gone" }] } };
    const list = (kind: string, ...items: object[]): Said => ({ status: 200, body: { kind, metadata: {}, items } });
    server.said["GET /api/v1/namespaces/shop/configmaps"] = [list("ConfigMapList", left)];
    server.said["GET /api/v1/namespaces/shop/secrets"] = [
      list("SecretList", { metadata: { name: "new", namespace: "shop", uid: "s1" } }),
      list("SecretList"),
    ];
    const spaceRequest = { ...request, object: space };
    await expect(server.call(kubeDelete(spaceRequest, "n1", 5))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { what: "Namespace shop cannot be deleted alone: 1 Secret would be deleted with it" },
    });
    expect(deletions()).toEqual([]);
    const gone = missing("shop", "namespaces");
    server.said["GET /api/v1/namespaces/shop"] = [{ status: 200, body }, gone];
    await server.call(kubeDelete(spaceRequest, "n1", 5));
    server.said["GET /api/v1/namespaces/shop/secrets"] = [
      list("SecretList", { metadata: { name: "new", namespace: "shop", uid: "s1" } }),
    ];
    server.said["GET /api/v1/namespaces/shop"] = [{ status: 200, body }, gone];
    await server.call(kubeDelete(spaceRequest, "n1", 5, true));
    expect(deletions()).toHaveLength(2);
  });

  test("does not report an object as being deleted if the server accepted the deletion but did not begin it", async () => {
    server.said[`GET ${path}`] = [version("1", { finalizers: ["shop/backup"] })];
    server.said[`DELETE ${path}`] = [status(200, { status: "Success" })];
    await expect(server.call(kubeDelete(request, "u1", 0.2))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: {
        current: "is not being deleted, although the server accepted the deletion",
        hint: expect.stringContaining("a proxy") as string,
      },
    });
  });

  test("keeps waiting while the server is restarting, and reports at the deadline that the object cannot be read", async () => {
    const body = live({ a: "1" }, { "f:a": {} }, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    server.said[`DELETE ${path}`] = [status(200, {})];
    const starting = status(503, { message: "the apiserver is starting" });
    server.said[`GET ${path}`] = [{ status: 200, body }, status(500, { message: "etcd is gone" }), missing("web")];
    await server.call(kubeDelete(request, "u1", 20));
    server.said[`GET ${path}`] = [
      { status: 200, body },
      { ...starting, headers: { "retry-after": "100" } },
    ];
    await expect(server.call(kubeDelete(request, "u1", 0.2))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: { current: "cannot be read: HTTP 503: the apiserver is starting" },
    });
    server.said[`GET ${path}`] = [{ status: 200, body }, status(403, { message: "you may not" })];
    await expect(server.call(kubeDelete(request, "u1", 20))).rejects.toMatchObject({ code: "E_DRIVER" });
  });

  test("does not report a namespace as empty if one list cannot be read", async () => {
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    server.said["GET /api/v1/namespaces/shop"] = [
      { status: 200, body: { ...space, metadata: { name: "shop", uid: "n1" } } },
    ];
    server.said["DELETE /api/v1/namespaces/shop"] = [status(200, {})];
    server.said["GET /apis"] = [{ status: 200, body: { kind: "APIGroupList", groups: [] } }];
    const list = (kind: string, ...names: string[]): Said => ({
      status: 200,
      body: { kind, metadata: {}, items: names.map((name) => ({ metadata: { name, namespace: "shop", uid: name } })) },
    });
    server.said["GET /api/v1/namespaces/shop/configmaps"] = [list("ConfigMapList", "web", "kube-root-ca.crt")];
    server.said["GET /api/v1/namespaces/shop/secrets"] = [list("SecretList", "password")];
    const fact = kubeDeleted({ ...request, object: space });
    expect(await server.read(fact)).toMatchObject({ contents: "1 ConfigMap, 1 Secret" });
    server.said["GET /api/v1/namespaces/shop/secrets"] = [status(403, { message: "you may not" })];
    await expect(server.read(fact)).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: "HTTP 403: you may not" },
    });
  });

  test("does not report a namespace as empty if a list is of another kind, or from another namespace", async () => {
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    const found = { ...space, metadata: { name: "shop", uid: "n1" } };
    server.said["GET /api/v1/namespaces/shop"] = [{ status: 200, body: found }];
    server.said["DELETE /api/v1/namespaces/shop"] = [status(200, {})];
    server.said["GET /apis"] = [{ status: 200, body: { kind: "APIGroupList", groups: [] } }];
    const list = (kind: string, ...items: object[]): Said => ({ status: 200, body: { kind, metadata: {}, items } });
    server.said["GET /api/v1/namespaces/shop/configmaps"] = [list("PodList")];
    server.said["GET /api/v1/namespaces/shop/secrets"] = [list("SecretList")];
    const fact = kubeDeleted({ ...request, object: space });
    await expect(server.read(fact)).rejects.toMatchObject({ failure: { current: "the answer is a PodList" } });
    const other = { metadata: { name: "web", namespace: "other", uid: "u" } };
    server.said["GET /api/v1/namespaces/shop/configmaps"] = [list("ConfigMapList", other)];
    await expect(server.read(fact)).rejects.toMatchObject({ code: "E_DRIVER" });
  });

  test("does not count the objects that are deleted before the namespace, or what they own", async () => {
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    server.said["GET /api/v1/namespaces/shop"] = [
      { status: 200, body: { ...space, metadata: { name: "shop", uid: "n1" } } },
    ];
    server.said["DELETE /api/v1/namespaces/shop"] = [status(200, {})];
    server.said["GET /apis"] = [{ status: 200, body: { kind: "APIGroupList", groups: [] } }];
    const item = (name: string, ...owners: string[]): object => ({
      metadata: { name, namespace: "shop", uid: name, ownerReferences: owners.map((uid) => ({ uid })) },
    });
    const list = (kind: string, ...items: object[]): Said => ({ status: 200, body: { kind, metadata: {}, items } });
    server.said["GET /api/v1/namespaces/shop/configmaps"] = [
      list("ConfigMapList", item("web"), item("made", "web"), item("shared", "web", "other"), item("again", "made")),
    ];
    server.said["GET /api/v1/namespaces/shop/secrets"] = [list("SecretList", item("web-1"), item("other"))];
    const ask = (...besides: (typeof config)[]): Promise<unknown> =>
      server.read(kubeDeleted({ ...request, object: space }, besides));
    expect(await ask()).toMatchObject({ contents: "4 ConfigMap, 2 Secret" });
    expect(await ask(config)).toMatchObject({ contents: "1 ConfigMap, 2 Secret" });
    // Another namespace has an object of the same name.
    const elsewhere = { ...config, metadata: { name: "web", namespace: "other" } };
    expect(await ask(elsewhere)).toMatchObject({ contents: "4 ConfigMap, 2 Secret" });
    const secrets = ["web-1", "other"].map((name) => ({
      ...config,
      kind: "Secret",
      metadata: { name, namespace: "shop" },
    }));
    expect(await ask(config, ...secrets)).not.toHaveProperty("contents");
  });
});

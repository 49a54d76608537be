import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, config, missing, type Said, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeApplied, kubeDelete, kubeDeleted } from "../../../facts/controller/kube-object.ts";
import { kubeSeen } from "../../../facts/controller/kube-seen.ts";

const server = new AnsweringServer();
const shop = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: true };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const ok = (body: object): Said => ({ status: 200, body });
const group = (name: string, ...versions: string[]): Said =>
  ok({
    kind: "APIGroup",
    name,
    versions: versions.map((version) => ({ groupVersion: `${name}/${version}`, version })),
  });
const kinds = (name: string, kind: string): Said =>
  ok({ kind: "APIResourceList", resources: [{ name, kind, namespaced: true, verbs: ["list", "delete"] }] });
const notFound: Said = { status: 404, body: "404 page not found\n" };
const object = (apiVersion: string, kind: string) => ({ ...config, apiVersion, kind });

describe("an object to delete whose kind the server does not serve", () => {
  test.each([
    ["a removed group", "extensions/v1beta1", "Ingress"],
    ["a misspelled kind", "v1", "Configmap"],
    ["a misspelled kind in a group of Kubernetes", "networking.k8s.io/v1", "Ingres"],
    ["a removed kind of Kubernetes", "policy/v1beta1", "PodSecurityPolicy"],
  ])("is not reported as gone: %s", async (_what, apiVersion, kind) => {
    server.said["GET /apis/networking.k8s.io"] = [group("networking.k8s.io", "v1")];
    server.said["GET /apis/networking.k8s.io/v1"] = [kinds("ingresses", "Ingress")];
    const request = { ...shop, object: object(apiVersion, kind) };
    const what = `furrow cannot tell whether ${kind} shop/web is gone: the server does not serve the kind ${kind} in ${apiVersion}`;
    expect(await server.read(kubeDeleted(request))).toMatchObject({ problem: { code: "no-kind", message: what } });
    await expect(server.call(kubeDelete(request, "u1", 1))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { what },
    });
  });

  test("is not reported as gone if its kind is served in another version", async () => {
    server.said["GET /apis/camp.example.com"] = [group("camp.example.com", "v1")];
    server.said["GET /apis/camp.example.com/v1"] = [kinds("tents", "Tent")];
    const request = { ...shop, object: object("camp.example.com/v2", "Tent") };
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      problem: {
        message: expect.stringMatching(/the kind Tent in camp.example.com\/v2, but in camp.example.com\/v1$/),
      },
    });
  });

  test.each(["camp.example.com/v1", "snapshot.storage.k8s.io/v1"])(
    "is gone if its custom kind was removed: %s",
    async (apiVersion) => {
      const request = { ...shop, object: object(apiVersion, "Tent") };
      const answer = await server.read(kubeDeleted(request));
      expect(answer).toMatchObject({ exists: false });
      expect(answer).not.toHaveProperty("problem");
      await server.call(kubeDelete(request, "u1", 1));
    },
  );

  test("is not reported as gone if the task gives no namespace", async () => {
    const { name } = config.metadata;
    const request = { ...shop, object: { ...config, metadata: { name } } };
    expect(await server.read(kubeDeleted(request))).toMatchObject({ problem: { code: "namespace-missing" } });
  });
});

describe("an object whose kind is removed during a run", () => {
  // Each test uses its own group, because the driver remembers the kinds of a group.
  const served = (name: string) => {
    const version = `${name}.example.com/v1`;
    const path = `/apis/${version}/namespaces/shop/tents/web`;
    const live = { ...object(version, "Tent"), metadata: { ...config.metadata, uid: "u1", resourceVersion: "1" } };
    server.said[`GET /apis/${version}`] = [kinds("tents", "Tent"), notFound];
    return { version, path, live: ok(live), request: { ...shop, object: object(version, "Tent") } };
  };

  test("is gone for a wait that has seen it", async () => {
    const { version, path, live } = served("waits");
    const fact = kubeSeen({
      kubeconfig: server.kubeconfig,
      apiVersion: version,
      kind: "Tent",
      name: "web",
      namespace: "shop",
    });
    server.said[`GET ${path}`] = [live, notFound];
    expect(await server.read(fact)).toMatchObject({ exists: true });
    expect(await server.read(fact)).toEqual({ exists: false, lacks: "kind" });
  });

  test("is gone for a deletion, before the deletion begins or while it waits", async () => {
    const { path, live, version, request } = served("deletes");
    server.said[`GET ${path}`] = [live, notFound];
    server.said[`DELETE ${path}`] = [ok({})];
    expect(await server.call(kubeDelete(request, "u1", 5, true))).toEqual([]);
    server.said[`GET /apis/${version}`] = [kinds("tents", "Tent"), notFound];
    server.said[`GET ${path}`] = [live, notFound];
    server.said[`DELETE ${path}`] = [notFound];
    expect(await server.call(kubeDelete(request, "u1", 5, true))).toEqual([]);
  });

  test("lacks its kind for a task that applies it", async () => {
    const { path, request } = served("applies");
    server.said[`GET ${path}`] = [missing("web", "tents"), notFound];
    server.said[`PATCH ${path}`] = [status(201, {})];
    await server.read(kubeApplied(request)).catch(() => undefined);
    expect(await server.read(kubeApplied(request))).toMatchObject({ exists: false, lacks: "kind" });
  });

  test("is not gone while the server still lists its kind", async () => {
    const { version, path } = served("stays");
    server.said[`GET /apis/${version}`] = [kinds("tents", "Tent")];
    server.said[`GET ${path}`] = [notFound];
    const fact = kubeSeen({
      kubeconfig: server.kubeconfig,
      apiVersion: version,
      kind: "Tent",
      name: "web",
      namespace: "shop",
    });
    await expect(server.read(fact)).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining("lists the kind, but does not serve its objects") as string },
    });
  });

  test("is not gone if another web server answers", async () => {
    const { path, live, request } = served("others");
    server.said[`GET ${path}`] = [live, notFound];
    server.said[`DELETE ${path}`] = [ok({})];
    server.said["GET /api"] = [notFound];
    await expect(server.call(kubeDelete(request, "u1", 1, true))).rejects.toMatchObject({ code: "E_DRIVER" });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, type Said, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeDelete, kubeDeleted, type KubeObjectData } from "../../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const shop = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: true };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());

const ok = (body: object): Said => ({ status: 200, body });
const kinds = (...named: readonly (readonly [string, string])[]): Said =>
  ok({
    kind: "APIResourceList",
    resources: named.map(([name, kind]) => ({ name, kind, namespaced: true, verbs: ["list", "delete"] })),
  });
const owned = (name: string, ...owners: readonly (readonly [string, string, string])[]) => ({
  metadata: {
    name,
    namespace: "shop",
    uid: name,
    resourceVersion: "1",
    ownerReferences: owners.map(([apiVersion, kind, uid]) => ({ apiVersion, kind, uid, name: uid })),
  },
});
const claim = (name: string, size: string, ...owners: readonly (readonly [string, string, string])[]) => ({
  metadata: { ...owned(name, ...owners).metadata, uid: `claim ${name}` },
  spec: { resources: { requests: { storage: size } } },
});
const vm = (uid: string) => ["kubevirt.io/v1", "VirtualMachine", uid] as const;
const pool = (uid: string) => ["pool.kubevirt.io/v1beta1", "VirtualMachinePool", uid] as const;
const disk = (uid: string) => ["cdi.kubevirt.io/v1beta1", "DataVolume", uid] as const;
const stateful = (uid: string) => ["apps/v1", "StatefulSet", uid] as const;
const place = (apiVersion: string, plural: string): string =>
  `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}/namespaces/shop/${plural}`;
const listed = (apiVersion: string, plural: string, kind: string, ...items: object[]): void => {
  server.said[`GET ${place(apiVersion, plural)}`] = [ok({ kind: `${kind}List`, metadata: {}, items })];
};
const claims = (...items: object[]): void => listed("v1", "persistentvolumeclaims", "PersistentVolumeClaim", ...items);
const disks = (...items: object[]): void => listed("cdi.kubevirt.io/v1beta1", "datavolumes", "DataVolume", ...items);
const machines = (...items: object[]): void => listed("kubevirt.io/v1", "virtualmachines", "VirtualMachine", ...items);

/** The object on the server, and the request to delete it. */
const stored = ([apiVersion, kind, name]: readonly [string, string, string], plural: string) => {
  const object: KubeObjectData = { apiVersion, kind, metadata: { name, namespace: "shop" } };
  const path = `${place(apiVersion, plural)}/${name}`;
  server.said[`GET ${path}`] = [ok({ ...object, ...owned(name) })];
  server.said[`DELETE ${path}`] = [status(200, {})];
  return { ...shop, object };
};

beforeEach(() => {
  server.reset();
  server.said["GET /api/v1"] = [
    kinds(["persistentvolumeclaims", "PersistentVolumeClaim"], ["configmaps", "ConfigMap"]),
  ];
  server.said["GET /apis/cdi.kubevirt.io/v1beta1"] = [kinds(["datavolumes", "DataVolume"])];
  server.said["GET /apis/kubevirt.io/v1"] = [kinds(["virtualmachines", "VirtualMachine"])];
  server.said["GET /apis/pool.kubevirt.io/v1beta1"] = [kinds(["virtualmachinepools", "VirtualMachinePool"])];
  server.said["GET /apis/apps/v1"] = [kinds(["statefulsets", "StatefulSet"])];
  claims();
  disks();
  machines();
  listed("apps/v1", "statefulsets", "StatefulSet");
});

describe("the volumes of an object to delete", () => {
  test("are the disks of a virtual machine, which are not deleted unless told to", async () => {
    const request = stored(vm("db"), "virtualmachines");
    machines(owned("db"), owned("web"));
    disks(owned("db-root", vm("db")), owned("web-root", vm("web")), owned("free"));
    claims(
      claim("db-root-claim", "20Gi", disk("db-root")),
      claim("web-root-claim", "20Gi", disk("web-root")),
      claim("alone", "1Gi"),
    );
    const contents = "DataVolume shop/db-root, PersistentVolumeClaim shop/db-root-claim (20Gi)";
    expect(await server.read(kubeDeleted(request))).toMatchObject({ contents });
    const path = `${place("kubevirt.io/v1", "virtualmachines")}/db`;
    await expect(server.call(kubeDelete(request, "db", 1))).rejects.toMatchObject({
      code: "E_REFUSED",
      failure: { what: `VirtualMachine shop/db cannot be deleted alone: ${contents} would be deleted with it` },
    });
    const deletions = () => server.seen.filter((line) => line.startsWith("DELETE") && !line.includes("dryRun"));
    expect(deletions()).toEqual([]);
    server.said[`GET ${path}`] = [
      ...(server.said[`GET ${path}`] ?? []),
      status(404, { reason: "NotFound", details: { name: "db", kind: "virtualmachines" } }),
    ];
    await server.call(kubeDelete(request, "db", 1, true));
    expect(deletions()).toHaveLength(1);
  });

  test("are the disks of all machines of a pool", async () => {
    const request = stored(pool("web"), "virtualmachinepools");
    machines(owned("web-0", pool("web")), owned("web-1", pool("web")), owned("db"));
    disks(...["web-0", "web-1", "db"].map((name) => owned(`${name}-disk`, vm(name))));
    claims(...["web-0", "web-1", "db"].map((name) => claim(`${name}-claim`, "5Gi", disk(`${name}-disk`))));
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      contents:
        "DataVolume shop/web-0-disk, DataVolume shop/web-1-disk, " +
        "PersistentVolumeClaim shop/web-0-claim (5Gi), PersistentVolumeClaim shop/web-1-claim (5Gi)",
    });
  });

  test("are the claims that a StatefulSet owns, and not those that stay", async () => {
    const request = stored(stateful("db"), "statefulsets");
    claims({ ...claim("data-db-0", "5Gi", stateful("db")), status: { capacity: { storage: "8Gi" } } });
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      contents: "PersistentVolumeClaim shop/data-db-0 (8Gi)",
    });
    claims(claim("data-db-0", "5Gi"));
    expect(await server.read(kubeDeleted(request))).not.toHaveProperty("contents");
  });

  test("are the claim of a DataVolume", async () => {
    const request = stored(disk("root"), "datavolumes");
    claims(claim("root", "5Gi", disk("root")));
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      contents: "PersistentVolumeClaim shop/root (5Gi)",
    });
  });

  test("do not include a volume that another object owns too, as long as that object exists", async () => {
    const request = stored(vm("db"), "virtualmachines");
    claims(claim("shared", "5Gi", vm("db"), vm("web")));
    machines(owned("db"), owned("web"));
    expect(await server.read(kubeDeleted(request))).not.toHaveProperty("contents");
    machines(owned("db"));
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      contents: "PersistentVolumeClaim shop/shared (5Gi)",
    });
  });

  test("do not include volumes that are deleted before the object", async () => {
    const request = stored(vm("db"), "virtualmachines");
    disks(owned("root", vm("db")), owned("data", vm("db")));
    claims(claim("root", "5Gi", disk("root")), claim("data", "9Gi", disk("data")));
    const [apiVersion, kind] = disk("root");
    const root = { apiVersion, kind, metadata: { name: "root", namespace: "shop" } };
    expect(await server.read(kubeDeleted(request, [root]))).toMatchObject({
      contents: "DataVolume shop/data, PersistentVolumeClaim shop/data (9Gi)",
    });
  });

  test("are not reported as none if the user may not list them", async () => {
    const request = stored(vm("db"), "virtualmachines");
    const path = place("v1", "persistentvolumeclaims");
    server.said[`GET ${path}`] = [status(403, { reason: "Forbidden", message: "you may not" })];
    const contents = expect.stringMatching(/^possibly volumes \(furrow cannot .*HTTP 403: you may not\)$/) as string;
    expect(await server.read(kubeDeleted(request))).toMatchObject({ contents });
    server.said[`GET ${path}`] = [status(500, { message: "etcd is gone" })];
    await expect(server.read(kubeDeleted(request))).rejects.toMatchObject({ code: "E_DRIVER" });
  });

  test("are not asked for if the object's kind cannot own any", async () => {
    const request = stored(["v1", "ConfigMap", "web"], "configmaps");
    await server.read(kubeDeleted(request));
    expect(server.seen.filter((line) => line.includes("persistentvolumeclaims"))).toEqual([]);
  });

  test("are at most ten in a message", async () => {
    const request = stored(stateful("db"), "statefulsets");
    claims(...Array.from({ length: 12 }, (_, at) => claim(`data-${at}`, "1Gi", stateful("db"))));
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      contents: expect.stringMatching(/^(PersistentVolumeClaim shop\/data-\d+ \(1Gi\), ){10}and 2 more$/) as string,
    });
  });
});

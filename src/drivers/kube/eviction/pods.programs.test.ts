import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { absent } from "../../../authoring.ts";
import { AnsweringServer, missing, type Said, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeNode, kubePods } from "../../../facts/controller/kube-pods.ts";

const server = new AnsweringServer();
const cluster = { kubeconfig: server.kubeconfig };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const owned = (kind: string) => ({ ownerReferences: [{ kind, name: "web", uid: "o", controller: true }] });
const pod = (name: string, metadata: object = {}, spec: object = {}, phase = "Running"): object => ({
  metadata: { name, namespace: "shop", uid: `u-${name}`, ...metadata },
  spec: { nodeName: "n1", ...spec },
  status: { phase },
});
const page = (items: object[], metadata: object = {}, kind = "PodList"): Said => ({
  status: 200,
  body: { kind, metadata, items },
});
const list = "GET /api/v1/pods";

describe("the pods on a node", () => {
  const launcher = (uid: string) => ({ ownerReferences: [{ kind: "Pod", name: "vm", uid, controller: true }] });
  const disk = (name: string, uid: string) =>
    pod(name, { ...launcher(uid), labels: { "kubevirt.io": "hotplug-disk" } });

  test("do not include a disk that was added to a running machine, as long as the machine is on the node", async () => {
    const done = pod("ended", owned("VirtualMachineInstance"), {}, "Succeeded");
    server.said[list] = [
      page([
        pod("vm", owned("VirtualMachineInstance")),
        done,
        disk("of-vm", "u-vm"),
        disk("of-ended", "u-ended"),
        disk("of-gone", "u-gone"),
        pod("own", { ...launcher("u-vm"), labels: { "kubevirt.io": "virt-launcher" } }),
      ]),
    ];
    expect(await server.read(kubePods(cluster, { node: "n1" }))).toMatchObject({
      pods: {
        "shop/vm (u-vm)": "Running",
        "shop/ended (u-ended)": "Succeeded",
        "shop/of-ended (u-of-ended)": "Running",
        "shop/of-gone (u-of-gone)": "Running",
        "shop/own (u-own)": "Running",
      },
      disks: ["shop/of-vm"],
    });
  });

  test("do not include the pods that attach and create volumes, which the other pods' volumes need", async () => {
    server.said[list] = [
      page([
        pod("attacher", { ...owned("ReplicaSet"), labels: { app: "csi-attacher" } }),
        pod("provisioner", { ...owned("ReplicaSet"), labels: { app: "csi-provisioner" } }),
        pod("web", { ...owned("ReplicaSet"), labels: { app: "web" } }),
      ]),
    ];
    expect(await server.read(kubePods(cluster, { node: "n1" }))).toMatchObject({
      pods: { "shop/web (u-web)": "Running" },
      storage: ["shop/attacher", "shop/provisioner"],
    });
  });

  test("are read from all pages with one request per page, and classified as kubectl drain does", async () => {
    server.said[list] = [
      page([pod("web", owned("ReplicaSet")), pod("net", owned("DaemonSet"))], { continue: "2" }),
      page([
        pod("etcd", { ...owned("Node"), annotations: { "kubernetes.io/config.mirror": "x" } }),
        pod("tool", { ownerReferences: [{ kind: "ConfigMap", name: "a", uid: "c" }] }),
        pod(
          "job",
          {},
          {
            volumes: [
              { name: "tmp", emptyDir: {} },
              { name: "conf", configMap: {} },
            ],
          },
          "Succeeded",
        ),
        pod("old", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["shop/backup"] }),
      ]),
    ];
    const more = { controller: absent, emptyDirs: [], isFinished: false, deleting: absent };
    const own = (name: string) => ({ namespace: "shop", name, uid: `u-${name}`, ...more });
    expect(await server.read(kubePods(cluster, { node: "n1" }))).toEqual({
      pods: {
        "shop/web (u-web)": "Running",
        "shop/tool (u-tool)": "Running",
        "shop/job (u-job)": "Succeeded",
        "shop/old (u-old)": "being deleted",
      },
      details: {
        "shop/web (u-web)": { ...own("web"), controller: "ReplicaSet web" },
        "shop/tool (u-tool)": own("tool"),
        "shop/job (u-job)": { ...own("job"), emptyDirs: ["tmp"], isFinished: true },
        "shop/old (u-old)": { ...own("old"), deleting: ["shop/backup"] },
      },
      daemons: ["shop/net"],
      statics: ["shop/etcd"],
      disks: [],
      storage: [],
    });
    expect(server.seen).toEqual([
      "GET /api/v1/pods?limit=500&fieldSelector=spec.nodeName%3Dn1",
      "GET /api/v1/pods?limit=500&continue=2&fieldSelector=spec.nodeName%3Dn1",
    ]);
  });

  test.each([
    ["half a list", [page([], { remainingItemCount: 3 })], "only part of the list arrived"],
    ["500 on the second page", [page([], { continue: "2" }), status(500, { message: "etcd is down" })], "etcd is down"],
    ["403", [status(403, { message: "you may not" })], "HTTP 403: you may not"],
    [
      "a server that ignores the selector",
      [page([pod("web", {}, { nodeName: "n2" })])],
      "shop/web, which is not on n1",
    ],
    ["a pod without a uid", [page([{ metadata: { name: "web" } }])], "does not contain the requested pods"],
    ["another list", [page([], {}, "ConfigMapList")], "does not contain the requested pods"],
    ["a web server", [{ status: 200, body: "<html>" }], "not JSON"],
  ])("cannot be read because of %s: the result is an error, not an empty list", async (_what, answers, current) => {
    server.said[list] = answers;
    await expect(server.read(kubePods(cluster, { node: "n1" }))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining(current) as string },
    });
  });
});

describe("one pod", () => {
  const where = { namespace: "shop", name: "web" };
  const path = "GET /api/v1/namespaces/shop/pods/web";
  const nothing = { pods: {}, details: {}, daemons: [], statics: [], disks: [], storage: [] };

  test("is gone only if the API reports that it does not exist", async () => {
    server.said[path] = [missing("web", "pods")];
    expect(await server.read(kubePods(cluster, where))).toEqual(nothing);
    for (const answer of [missing("other", "pods"), { status: 404, body: "<html>" }, status(500, {})]) {
      server.said[path] = [answer];
      await expect(server.read(kubePods(cluster, where))).rejects.toMatchObject({ code: "E_DRIVER" });
    }
  });

  test("may belong to a DaemonSet, but is not accepted if it has a different name", async () => {
    server.said[path] = [{ status: 200, body: { kind: "Pod", ...pod("web", owned("DaemonSet")) } }];
    expect(await server.read(kubePods(cluster, where))).toMatchObject({ pods: { "shop/web (u-web)": "Running" } });
    server.said[path] = [{ status: 200, body: { kind: "Pod", ...pod("api") } }];
    await expect(server.read(kubePods(cluster, where))).rejects.toMatchObject({ code: "E_DRIVER" });
  });
});

test("a node is missing only if the API reports that it does not exist", async () => {
  const path = "GET /api/v1/nodes/n1";
  server.said[path] = [{ status: 200, body: { kind: "Node", metadata: { name: "n1" }, spec: {} } }];
  expect(await server.read(kubeNode(cluster, "n1"))).toEqual({ exists: true, isSchedulable: true });
  const spec = { unschedulable: true };
  server.said[path] = [{ status: 200, body: { kind: "Node", metadata: { name: "n1" }, spec } }];
  expect(await server.read(kubeNode(cluster, "n1"))).toEqual({ exists: true, isSchedulable: false });
  server.said[path] = [missing("n1", "nodes")];
  expect(await server.read(kubeNode(cluster, "n1"))).toEqual({ exists: false, isSchedulable: false });
  server.said[path] = [status(403, { message: "you may not" })];
  await expect(server.read(kubeNode(cluster, "n1"))).rejects.toMatchObject({ code: "E_DRIVER" });
});

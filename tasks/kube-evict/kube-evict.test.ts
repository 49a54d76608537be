import { expect, test } from "vitest";
import { absent, type Node, playbook } from "../../src/authoring.ts";
import { contractOf, simulate } from "../../src/testing/index.ts";
import { kubeObject } from "../kube-object/kube-object.ts";
import { kubeScale } from "../kube-scale/kube-scale.ts";
import { cases } from "./kube-evict.cases.ts";
import { kubeEvict } from "./kube-evict.ts";

test("kubeEvict meets the task contract and does what each case says", () => {
  expect(contractOf(kubeEvict, cases, { folder: "kube-evict" })).toEqual([]);
});

const cluster = { kubeconfig: "kubeconfig" };
const pod = (name: string, more: object = {}) => ({
  namespace: "shop",
  name,
  uid: "1",
  controller: "ReplicaSet web",
  emptyDirs: [],
  isFinished: false,
  deleting: absent,
  ...more,
});

/** The results of tasks in check mode, on a cluster with these pods. */
async function checked(pods: ReturnType<typeof pod>[], tasks: () => Node[]) {
  const key = ({ name, uid }: { readonly name: string; readonly uid: string }): string => `shop/${name} (${uid})`;
  const found = {
    pods: Object.fromEntries(pods.map((one) => [key(one), "Running"])),
    details: Object.fromEntries(pods.map((one) => [key(one), one])),
    daemons: ["kube-system/net-1"],
    statics: [],
    disks: ["shop/hp-volume-1"],
    storage: ["longhorn-system/csi-attacher-1"],
  };
  const scale = { exists: true, replicas: 3, running: 3, ready: 3, isOutdated: false, uid: "1" };
  const nothing = { exists: true, fields: {}, owner: {} };
  const kubernetes = (request: unknown): unknown => {
    const asked = request as Readonly<Record<string, unknown>>;
    if ("pods" in asked) return found;
    if ("node" in asked) return { exists: true, isSchedulable: true };
    if ("evicting" in asked) return { blocked: ["shop/web-1 (The disruption budget web needs 2 healthy pods)"] };
    if ("autoscalers" in asked) return { autoscalers: [] };
    if ("scaling" in asked) return {};
    return "scale" in asked ? scale : { ...nothing, after: { ...nothing, fields: { "spec.unschedulable": true } } };
  };
  const book = playbook({ name: "evicts", plays: [{ hosts: "all", tasks }] });
  return (await simulate(book, { hosts: ["a"], mode: "check", drivers: { kubernetes } })).tasks;
}

test("names exactly the pods that would be lost, and the params that permit losing them", async () => {
  const pods = [pod("web-1", { emptyDirs: ["cache", "tmp"] }), pod("tool", { controller: absent }), pod("web-2")];
  const [end] = await checked(pods, () => [kubeEvict({ ...cluster, node: "n1" })]);
  expect(end?.error?.failure.details?.[0]).toBe("refused: pods-would-be-lost");
  expect(end?.error?.message).toContain(
    "no pod is evicted: these pods have no controller, so nothing recreates them: shop/tool; the data in the emptyDir volumes of these pods is lost: shop/web-1 (cache, tmp)",
  );
  expect(end?.error?.failure.hint).toContain("force: true and deleteEmptyDirData: true");
});

test("reports which pods it leaves alone, which budget blocks now, and that the node is schedulable", async () => {
  const [end] = await checked([pod("web-1")], () => [kubeEvict({ ...cluster, node: "n1" })]);
  expect(end?.notes).toEqual([
    "leaves alone the pods of DaemonSets: kube-system/net-1",
    "leaves alone the pods that hold disks of machines on the node, and disappear with them: shop/hp-volume-1",
    "leaves alone the pods that attach or create volumes: longhorn-system/csi-attacher-1",
    "cannot be evicted yet: shop/web-1 (The disruption budget web needs 2 healthy pods)",
    "n1 is schedulable, so pods may come back to it: set its spec.unschedulable with kubeObject first",
  ]);
});

test("reports which budget blocks now, also for a single pod", async () => {
  const [end] = await checked([pod("web-1")], () => [kubeEvict({ ...cluster, namespace: "shop", name: "web-1" })]);
  expect(end?.notes).toContain("cannot be evicted yet: shop/web-1 (The disruption budget web needs 2 healthy pods)");
});

test("after a task that cordons the node, check mode still predicts that the pods will be evicted", async () => {
  const own = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, spec: { unschedulable: true } };
  const cordon = kubeObject({ ...cluster, fieldManager: "maintenance", object: own });
  const ends = await checked([pod("web-1")], () => [cordon, kubeEvict({ ...cluster, node: "n1" })]);
  expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
  expect(ends[1]?.notes.join()).not.toContain("schedulable");
});

test("the number of replicas is not known after an eviction, nor are the pods known after scaling", async () => {
  const web = { ...cluster, apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" };
  const scale = kubeScale({ ...web, replicas: 3 });
  const drain = kubeEvict({ ...cluster, node: "n1" });
  const after = await checked([pod("web-1")], () => [drain, scale]);
  expect(after.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
  const before = await checked([pod("web-1")], () => [kubeScale({ ...web, replicas: 1 }), drain]);
  expect(before.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
});

test.each([
  ["neither a node nor a pod", {}],
  ["a node and a pod", { node: "n1", namespace: "shop", name: "web-1" }],
  ["a pod without its namespace", { name: "web-1" }],
])("refuses %s", async (_what, params) => {
  const tasks = () => [kubeEvict({ ...cluster, ...params } as Parameters<typeof kubeEvict>[0])];
  const book = playbook({ name: "wrong", plays: [{ hosts: "all", tasks }] });
  await expect(simulate(book, { hosts: ["a"] })).rejects.toMatchObject({ code: "E_PARAMS" });
});

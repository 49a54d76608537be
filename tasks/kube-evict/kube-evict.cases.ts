import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { kubeEvict } from "./kube-evict.ts";

const cluster = { kubeconfig: "kubeconfig" };
const drain = kubeEvict({ ...cluster, node: "n1" });
const byForce = kubeEvict({ ...cluster, node: "n1", force: true });
const withData = kubeEvict({ ...cluster, node: "n1", deleteEmptyDirData: true });
const one = kubeEvict({ ...cluster, namespace: "shop", name: "web-1" });

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
type Pod = ReturnType<typeof pod>;
const found = (pods: readonly Pod[], daemons: string[] = [], statics: string[] = []) => ({
  pods: Object.fromEntries(pods.map(({ name }) => [`shop/${name} (1)`, "Running"])),
  details: Object.fromEntries(pods.map((own) => [`shop/${own.name} (1)`, own])),
  daemons,
  statics,
  disks: [] as string[],
  storage: [] as string[],
});
const node = { exists: true, isSchedulable: false };
const server = { blocked: [] };
const alone = { controller: absent };
const data = { emptyDirs: ["cache"] };

/** What `kubeEvict` does, for each set of pods. */
export const cases: readonly Case[] = [
  {
    title: "only pods that are never evicted",
    call: drain,
    now: { found: found([], ["kube-system/net-1"], ["kube-system/etcd-n1"]) },
    steps: [],
  },
  {
    title: "a disk of a machine whose own pod is evicted, and a pod that attaches volumes",
    call: drain,
    now: {
      found: { ...found([pod("vm")]), disks: ["shop/hp-volume-1"], storage: ["shop/csi-attacher-1"] },
      node,
      server,
    },
    steps: ["evict 1 pod from n1"],
  },
  {
    title: "only a pod that attaches volumes",
    call: drain,
    now: { found: { ...found([]), storage: ["shop/csi-attacher-1"] } },
    steps: [],
  },
  { title: "no pods at all", call: drain, now: { found: found([]), node }, steps: [] },
  {
    title: "no such node",
    call: drain,
    now: { found: found([]), node: { exists: false, isSchedulable: false } },
    steps: [],
    refusal: "no-node",
  },
  {
    title: "pods that are recreated elsewhere",
    call: drain,
    now: { found: found([pod("web-1"), pod("web-2")], ["kube-system/net-1"]), node, server },
    steps: ["evict 2 pods from n1"],
  },
  {
    title: "a schedulable node",
    call: drain,
    now: { found: found([pod("web-1")]), node: { exists: true, isSchedulable: true }, server },
    steps: ["evict 1 pod from n1"],
  },
  {
    title: "a budget forbids the eviction now",
    call: drain,
    now: { found: found([pod("web-1")]), node, server: { blocked: ["shop/web-1 (The disruption budget web …)"] } },
    steps: ["evict 1 pod from n1"],
  },
  {
    title: "a pod without a controller",
    call: drain,
    now: { found: found([pod("web-1"), pod("tool", alone)]), node },
    steps: [],
    refusal: "pods-would-be-lost",
  },
  {
    title: "a pod without a controller may be lost",
    call: byForce,
    now: { found: found([pod("tool", alone)]), node, server },
    steps: ["evict 1 pod from n1"],
  },
  {
    title: "a pod with data",
    call: drain,
    now: { found: found([pod("web-1", data)]), node },
    steps: [],
    refusal: "data-would-be-lost",
  },
  {
    title: "a pod with data that may be lost",
    call: withData,
    now: { found: found([pod("web-1", data)]), node, server },
    steps: ["evict 1 pod from n1"],
  },
  {
    title: "a pod without a controller and with data",
    call: withData,
    now: { found: found([pod("tool", { ...alone, ...data })]), node },
    steps: [],
    refusal: "pods-would-be-lost",
  },
  {
    title: "pods that have finished or are being deleted",
    call: drain,
    now: {
      found: found([pod("job", { ...alone, ...data, isFinished: true }), pod("tool", { ...alone, deleting: [] })]),
      node,
      server,
    },
    steps: ["evict 2 pods from n1"],
  },
  {
    title: "the server refuses the evictions",
    call: drain,
    now: {
      found: found([pod("web-1")]),
      node,
      server: { blocked: [], problem: { code: "forbidden", message: "you may not", hint: "Ask for the right" } },
    },
    steps: [],
    refusal: "forbidden",
  },
  {
    title: "the effect of a webhook cannot be previewed",
    call: drain,
    now: { found: found([pod("web-1")]), node, server: { blocked: [], unasked: "does not support dry run" } },
    steps: ["evict 1 pod from n1"],
  },
  {
    title: "one pod",
    call: one,
    now: { found: found([pod("web-1")]), server },
    steps: ["evict pod shop/web-1"],
  },
  { title: "one pod that is gone", call: one, now: { found: found([]) }, steps: [] },
  {
    title: "one pod that the node itself runs",
    call: one,
    now: { found: found([], [], ["shop/web-1"]) },
    steps: [],
    refusal: "static-pod",
  },
];

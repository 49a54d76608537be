import { describe, expect, test } from "vitest";
import { explain, type Explanation } from "../../src/testing/index.ts";
import {
  answersOf,
  etcdCondition,
  instanceOf,
  nodeOf,
  type Objects,
  replicaOf,
  soundCluster,
  threeNodes,
  upgradeOf,
  volumeOf,
} from "../../test/guards/examples.ts";
import { networkStatusOf } from "../../test/guards/network-examples.ts";
import { addonOf, imageOf, longhornNodeOf, machinePodOf, podOf, settingOf } from "../../test/guards/report-examples.ts";
import { metricNames } from "./metrics.ts";
import { clusterFindings, clusterHealthy } from "./role.ts";

const withEnd = (node: object, end = "2027-01-01T00:00:00Z"): object => {
  const { metadata, ...rest } = node as { metadata: object };
  const info = JSON.stringify({ closestExpiryTime: end, updatedAt: "2026-01-01T00:00:00Z" });
  return { ...rest, metadata: { ...metadata, annotations: { "harvesterhci.io/rke2-cert-info": info } } };
};
const machine = (name: string, printableStatus?: string): object => ({
  metadata: { namespace: "default", name },
  spec: { template: { spec: { volumes: [] } } },
  ...(printableStatus !== undefined && { status: { printableStatus } }),
});
const sound: Partial<Objects> = {
  ...soundCluster,
  nodes: threeNodes().map((node) => withEnd(node)),
  machines: [machine("db", "Running")],
  instances: [instanceOf("db", "harvester-1")],
};
const answers = (cluster: Partial<Objects>, more: object = {}) => ({
  ...answersOf({ ...sound, ...cluster }),
  operator: { who: "me@laptop", since: "2026-03-01T00:00:00Z" },
  ...more,
});
const notes = (cluster: Partial<Objects>, more?: object): readonly string[] =>
  explain(clusterFindings({ kubeconfig: "k" }), answers(cluster, more)).notes;
const judged = (
  cluster: Partial<Objects>,
  failOn: "critical" | "warning" | "never" = "warning",
  more?: object,
): Explanation => explain(clusterHealthy({ kubeconfig: "k", failOn }), answers(cluster, more));

test("the report of a healthy cluster contains no problems, and says what was checked", () => {
  expect(notes({})).toEqual([
    "healthy: no problem was found",
    "looked at: 3 nodes, 1 virtual machine, 1 volume, 1 pod, 2 add-ons, 1 image",
  ]);
  expect(judged({}).refusal).toBeUndefined();
});

describe("finds, with the severity and where to look next,", () => {
  test.each<[string, Partial<Objects>]>([
    ["critical: harvester-2 is not ready", { nodes: threeNodes(2) }],
    [
      "critical: etcd must not lose another node: 2 of 3 voting nodes are up, and 2 are needed",
      { nodes: threeNodes(2) },
    ],
    ["critical: etcd has no quorum: 1 of 3 voting nodes is up, and 2 are needed", { nodes: threeNodes(2, 3) }],
    [
      "critical: etcd must not lose another node: 2 of 3 voting nodes are up, and 2 are needed (etcd on harvester-3 does not vote (Unhealthy: Node is unhealthy))",
      { nodes: [...threeNodes().slice(0, 2), nodeOf("harvester-3", { etcd: etcdCondition("False") })] },
    ],
    [
      "critical: etcd lacks a vote: 4 of 5 voting nodes are up, and 3 are needed (RKE2 does not report whether etcd runs on harvester-5)",
      { nodes: [...threeNodes(), nodeOf("harvester-4"), nodeOf("harvester-5", { etcd: null })] },
    ],
    [
      "critical: cannot tell whether etcd has a quorum: 1 of 3 voting nodes is up, and 2 are needed",
      { nodes: [nodeOf("harvester-1"), ...[2, 3].map((at) => nodeOf(`harvester-${at}`, { etcd: null }))] },
    ],
    ["warning: harvester-1 is cordoned: it gets no machines", { nodes: [nodeOf("harvester-1", { cordoned: true })] }],
    ["warning: harvester-1 is in maintenance", { nodes: [nodeOf("harvester-1", { maintained: true })] }],
    [
      "critical: a certificate of harvester-1 expired at 2026-02-01",
      { nodes: [withEnd(nodeOf("harvester-1"), "2026-02-01T00:00:00Z")] },
    ],
    [
      "warning: a certificate of harvester-1 expires in 20 days",
      { nodes: [withEnd(nodeOf("harvester-1"), "2026-03-21T00:00:00Z")] },
    ],
    [
      "warning: harvester-1 has pods that request 93 % of its memory",
      { pods: [machinePodOf("default/db", "harvester-1", "1", "28Gi")] },
    ],
    [
      "critical: 1 virtual machine failing to run: default/db (ErrorUnschedulable)",
      { machines: [machine("db", "ErrorUnschedulable")] },
    ],
    ["critical: 1 virtual machine on a node that is not ready: default/db (harvester-1)", { nodes: threeNodes(1) }],
    ["warning: 1 virtual machine with no state reported by KubeVirt: default/db", { machines: [machine("db")] }],
    [
      "critical: 1 volume with a single healthy replica left",
      { volumes: [volumeOf("pvc-1", "attached", "degraded")], replicas: [replicaOf("pvc-1", "harvester-1")] },
    ],
    [
      "warning: harvester-1 gets no replicas",
      { longhornNodes: [longhornNodeOf("harvester-1", { spec: { allowScheduling: false } })] },
    ],
    [
      "warning: replica-soft-anti-affinity is true",
      { longhornSettings: [settingOf("replica-soft-anti-affinity", "true")] },
    ],
    [
      "warning: the cluster network vm is not ready on harvester-1: no carrier",
      { networkStatuses: [networkStatusOf("vm", "vm-all", "harvester-1", "no carrier")] },
    ],
    [
      "warning: 1 pod of Harvester: CrashLoopBackOff: harvester-system/harvester-0",
      { pods: [podOf("harvester-system/harvester-0", "harvester-1", { why: "CrashLoopBackOff", restarts: 7 })] },
    ],
    [
      "warning: 1 pod of Harvester: CrashLoopBackOff: longhorn-system/longhorn-manager-x",
      { pods: [podOf("longhorn-system/longhorn-manager-x", "harvester-1", { why: "CrashLoopBackOff", restarts: 7 })] },
    ],
    [
      "warning: 1 pod of Harvester: no node accepts it: kube-system/dns",
      { pods: [podOf("kube-system/dns", undefined, { phase: "Pending" })] },
    ],
    [
      "warning: the add-on harvester-system/x is enabled, but is AddonEnabling",
      { addons: [addonOf("harvester-system/x", true, { status: "AddonEnabling" })] },
    ],
    [
      "warning: the add-on harvester-system/x failed: no chart",
      {
        addons: [
          addonOf("harvester-system/x", true, {
            status: "AddonEnabling",
            conditions: [{ type: "OperationFailed", status: "True", message: "no chart" }],
          }),
        ],
      },
    ],
    [
      "warning: the upgrade to v1.8.2 of 2026-01-01T00:00:00Z has not finished (PreparingNodes)",
      { upgrades: [upgradeOf("u", "v1.8.2", "PreparingNodes")] },
    ],
    ["critical: the last upgrade, to v1.8.2, failed", { upgrades: [upgradeOf("u", "v1.8.2", "Failed")] }],
    [
      "warning: the image default/talos failed: sha512 does not match",
      {
        images: [
          imageOf("default/talos", {
            progress: 60,
            conditions: [{ type: "RetryLimitExceeded", status: "True", message: "sha512 does not match" }],
          }),
        ],
      },
    ],
    ["hint: the image default/talos is at 60 %", { images: [imageOf("default/talos", { progress: 60 })] }],
  ])("%s", (line, cluster) => {
    const all = notes(cluster);
    const at = all.findIndex((note) => note.startsWith(line));
    expect(at === -1 ? all : all[at + 1]).toContain("  next: ");
    expect(judged(cluster).refusal?.code).toBe(line.startsWith("hint") ? undefined : "problems");
  });

  test("only failing pods of Harvester itself, not those of users", () => {
    expect(notes({ pods: [podOf("shop/web", "harvester-1", { why: "CrashLoopBackOff" })] })[0]).toBe(
      "healthy: no problem was found",
    );
  });
});

describe("what cannot be checked", () => {
  const error = { code: "HTTP 403", message: "forbidden" };

  test("is named, and never counted as healthy", () => {
    const more = { pods: { error }, addons: { error } };
    expect(notes({}, more)).toEqual([
      "unknown: the pods and Harvester's add-ons, because this user is not allowed to read them (HTTP 403: forbidden)",
      "looked at: 3 nodes, 1 virtual machine, 1 volume, 1 image",
    ]);
    expect(judged({}, "critical", more).refusal?.message).toContain("unknown: the pods and Harvester's add-ons");
    expect(judged({}, "never", more).refusal).toBeUndefined();
  });

  test("is reported, but is not a failure, if this release of Harvester does not record it", () => {
    expect(notes({ nodes: threeNodes() })).toContain(
      "unknown: when the certificates of harvester-1, harvester-2, harvester-3 expire, because this release of Harvester does not record it on the node (harvesterhci.io/rke2-cert-info)",
    );
    expect(judged({ nodes: threeNodes() }).refusal).toBeUndefined();
  });
});

describe("names of metrics", () => {
  const metrics = ["harvester_vm_status", "kubevirt_vmi_phase_count", "longhorn_node_status"];
  const said = (found: object, cluster: Partial<Objects> = {}): readonly string[] =>
    explain(metricNames({ kubeconfig: "k", metrics }), { ...answersOf({ ...sound, ...cluster }), names: found }).notes;

  test("that do not exist are reported with the names to use instead", () => {
    const object = { status: "success", data: ["up", "longhorn_node_status", "node:kubevirt_vmi_phase:sum"] };
    expect(said({ found: true, object })).toEqual([
      "exist: longhorn_node_status",
      "does not exist: harvester_vm_status; use kubevirt_vm_info or kubevirt_vmi_info",
      "does not exist: kubevirt_vmi_phase_count; use node:kubevirt_vmi_phase:sum, in newer releases of KubeVirt",
    ]);
  });

  test("are not reported as missing while Prometheus cannot be queried", () => {
    expect(said({ found: false })).toEqual([
      "unknown: the names of metrics, because the rancher-monitoring add-on is not enabled",
    ]);
    const addons = [addonOf("cattle-monitoring-system/rancher-monitoring", true, { status: "AddonDeploySuccessful" })];
    expect(said({ error: { code: "HTTP 503", message: "no endpoints available" } }, { addons })).toEqual([
      "unknown: the names of metrics, because HTTP 503: no endpoints available",
    ]);
  });
});

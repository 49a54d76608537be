import { describe, expect, test } from "vitest";
import {
  answersOf,
  instanceOf,
  machineOf,
  nodeOf,
  type Objects,
  persistentVolumeOf,
  replicaOf,
  soundCluster,
  threeNodes,
  upgradeOf,
  volumeOf,
} from "../../test/guards/examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { mayReturn } from "./leave.ts";
import { maintenanceAsked, nodeEmptied } from "./maintenance.ts";
import { mayEnter } from "./may-enter.ts";

const node = "harvester-2";
const enter = (
  cluster: Partial<Objects>,
  more: { shutDown?: string[]; acceptOutOfReach?: string[] } = {},
): Explanation =>
  explain(mayEnter({ kubeconfig: "k", node, shutDown: [], acceptOutOfReach: [], ...more }), {
    ...answersOf({ ...soundCluster, ...cluster }),
  });
const refused = (...args: Parameters<typeof enter>): string | undefined => enter(...args).refusal?.message;

const noGpu = {
  conditions: [
    {
      type: "LiveMigratable",
      status: "False",
      reason: "HostDeviceNotLiveMigratable",
      message: "VMI uses a PCI host devices",
    },
  ],
};
const gpu = { ...instanceOf("gpu", node), status: { phase: "Running", nodeName: node, ...noGpu } };
const labelled = (value: string): object => ({
  ...instanceOf("web", node),
  metadata: { namespace: "default", name: "web", labels: { "harvesterhci.io/maintain-mode-strategy": value } },
});

describe("each machine on the node is named, with what will happen to it:", () => {
  test("it migrates, or is shut down because shutDown names it", () => {
    const cluster = {
      instances: [instanceOf("web", node), gpu, instanceOf("far", "harvester-1")],
      machines: [machineOf("gpu")],
    };
    const { refusal, notes } = enter(cluster, { shutDown: ["default/gpu"] });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      "default/gpu is shut down, because shutDown names it, and starts again when the maintenance ends",
      "default/web migrates to another node",
    ]);
  });

  test("an empty node is reported as such", () => {
    expect(enter({ instances: [] }).notes).toEqual(["no virtual machine runs on harvester-2"]);
  });

  test("one that cannot migrate is refused with KubeVirt's reason, unless shutDown names it", () => {
    const { refusal } = enter({ instances: [gpu, instanceOf("web", node)], machines: [machineOf("gpu")] });
    expect(refusal?.message).toBe(
      "1 virtual machine on harvester-2 cannot move: default/gpu (HostDeviceNotLiveMigratable: VMI uses a PCI host devices)",
    );
    expect(refusal?.hint).toContain(`--var shutDown='["default/gpu"]'`);
  });

  test("one without a VirtualMachine is listed apart: shutDown would not accept it", () => {
    const cluster = { instances: [gpu, { ...gpu, metadata: { namespace: "default", name: "lone" } }] };
    const { refusal } = enter({ ...cluster, machines: [machineOf("gpu")] });
    expect(refusal?.message).toMatch(/default\/gpu \(.*\), default\/lone \(.*\)$/);
    expect(refusal?.hint).toContain(`--var shutDown='["default/gpu"]'`);
    expect(refusal?.hint).toContain(
      "default/lone has no VirtualMachine, so furrow could not start it again: stop it yourself, with kubectl delete vmi lone -n default",
    );
    const alone = enter({ instances: [gpu], machines: [] }).refusal?.hint;
    expect(alone).not.toContain("shutDown=");
    expect(alone).toContain("kubectl delete vmi gpu -n default");
  });

  test.each<[string, object, string]>([
    [
      "KubeVirt has not said that it can",
      instanceOf("web", node, "Scheduled"),
      "KubeVirt has not reported whether it can migrate (phase Scheduled)",
    ],
    [
      "an eviction would stop it",
      instanceOf("web", node, "Running", undefined, { evictionStrategy: "None" }),
      "it has the evictionStrategy None, so it would be stopped",
    ],
    [
      "it has no evictionStrategy",
      instanceOf("web", node, "Running", undefined, { evictionStrategy: undefined }),
      "it has no evictionStrategy, so it would be stopped",
    ],
    [
      "only this node has its labels",
      instanceOf("web", node, "Running", undefined, { nodeSelector: { "kubernetes.io/hostname": node } }),
      "no other ready node has the labels",
    ],
    [
      "only this node matches its affinity",
      instanceOf("web", node, "Running", undefined, { affinity: affinity("In", node) }),
      "no other ready node has the labels",
    ],
    [
      "Harvester shuts it down because of its label",
      labelled("Shutdown"),
      "Harvester shuts it down because of its label, and leaves it off",
    ],
  ])("is refused if %s", (_why, instance, says) => {
    expect(refused({ instances: [instance] })).toContain(says);
  });

  test("a machine that may run on other nodes migrates", () => {
    const placed = instanceOf("web", node, "Running", undefined, {
      affinity: affinity("NotIn", node),
      nodeSelector: {},
    });
    expect(enter({ instances: [placed] }).notes).toEqual(["default/web migrates to another node"]);
  });
});

function affinity(operator: string, value: string): object {
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator, values: [value] }];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  };
}

describe("the maintenance of a node is refused", () => {
  const others = threeNodes().slice(0, 2);
  test.each<[string, Partial<Objects>, string]>([
    ["the cluster does not have it", { nodes: [nodeOf("other")] }, "the cluster has no node harvester-2"],
    ["it is not ready", { nodes: threeNodes(2) }, "harvester-2 is not ready: nothing on it can move"],
    ["it is the only management node", { nodes: [nodeOf(node)] }, "harvester-2 is the only management node"],
    [
      "it is one of two management nodes",
      { nodes: others },
      "Harvester drains a management node only if the cluster has 3 of them, and it has 2",
    ],
    [
      "another node is in maintenance",
      { nodes: [...others, nodeOf("harvester-3", { maintained: true })] },
      "harvester-3 is in maintenance, or will be",
    ],
    [
      "etcd would lose its quorum",
      { nodes: threeNodes(1) },
      "without harvester-2 only 1 of 3 voting nodes is up, but 2 are needed",
    ],
    [
      "an upgrade is running",
      { upgrades: [upgradeOf("hvst-upgrade-y", "v1.8.2", "UpgradingNodes")] },
      "the cluster is being upgraded",
    ],
  ])("if %s", (_why, cluster, says) => {
    expect(refused(cluster)).toContain(says);
  });

  test("if shutDown names a machine that can stay on, or one that does not exist", () => {
    const cluster = { instances: [instanceOf("far", "harvester-1")], machines: [machineOf("far")] };
    expect(refused(cluster, { shutDown: ["default/far", "default/fra"] })).toBe(
      "shutDown names default/far, which runs on harvester-1 and can stay there; shutDown names default/fra, which has no definition in the cluster",
    );
  });
});

describe("a volume whose only healthy replica is on the node", () => {
  const cluster = (state = "attached"): Partial<Objects> => ({
    volumes: [volumeOf("pvc-1", state)],
    replicas: [replicaOf("pvc-1", node, { currentState: state === "attached" ? "running" : "stopped" })],
    persistentVolumes: [persistentVolumeOf("pvc-1", "db-disk")],
    machines: [machineOf("db", "db-disk")],
    instances: state === "attached" ? [instanceOf("db", "harvester-1", "Running", "db-disk")] : [],
  });
  const acceptOutOfReach = ["pvc-1"];

  test("is refused, and the error names the machines that use it", () => {
    expect(refused(cluster())).toBe(
      "while harvester-2 is in maintenance, 1 volume would be out of reach: pvc-1 (10 GiB; its only healthy replica is on harvester-2; used by default/db)",
    );
  });

  test("may become unreachable if acceptOutOfReach names the volume and shutDown names its machine, wherever the machine runs", () => {
    expect(refused(cluster(), { acceptOutOfReach })).toContain(
      "virtual machines run on volumes that would be out of reach: default/db (pvc-1)",
    );
    const both = enter(cluster(), { acceptOutOfReach, shutDown: ["default/db"] });
    expect(both.refusal).toBeUndefined();
    expect(both.notes).toEqual([
      "default/db on harvester-1 is shut down, because one of its volumes is on harvester-2 alone",
    ]);
    expect(refused(cluster("detached"), { acceptOutOfReach })).toBeUndefined();
  });

  test("is refused in any case if something other than a machine uses it", () => {
    expect(refused({ ...cluster(), instances: [] }, { acceptOutOfReach })).toContain(
      "are in use by something other than a virtual machine: pvc-1",
    );
  });
});

describe("maintenance that has begun", () => {
  const annotated = (annotations: object, more: object = {}): object => {
    const own = nodeOf(node) as { metadata: object; status: { conditions: object[] } };
    return {
      ...own,
      metadata: { ...own.metadata, annotations },
      status: { conditions: [...own.status.conditions, more] },
    };
  };
  const none = { type: "PIDPressure", status: "False" };
  const nodesWith = (own: object): object[] => [...threeNodes().toSpliced(1, 1), own];
  const wait = (own: object, instances: object[] = []): string | undefined =>
    explain(
      nodeEmptied({ kubeconfig: "k", node, deadlineSeconds: 1 }),
      answersOf({ ...soundCluster, nodes: nodesWith(own), instances }),
    ).refusal?.message;

  test("is not refused or requested again, whatever machines are on the node", () => {
    const own = annotated({ "harvesterhci.io/drain-requested": "true" }, none);
    const { refusal, notes } = enter({ nodes: nodesWith(own), instances: [gpu] });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual(["the maintenance of harvester-2 has already been requested"]);
  });

  test("makes the task wait, and the wait reports the machines that are left and Harvester's message", () => {
    const trouble = { type: "MaintenanceMode", status: "False", reason: "Error", message: "cannot evict pod" };
    expect(wait(annotated({ "harvesterhci.io/drain-requested": "true" }, trouble), [instanceOf("web", node)])).toBe(
      "it is being drained; still on it: default/web; Harvester reports: cannot evict pod",
    );
    expect(wait(annotated({ "harvesterhci.io/maintain-status": "running" }, none))).toBe(
      "its machines are moving away; no machine is left on it",
    );
    expect(wait(annotated({ "harvesterhci.io/maintain-status": "completed" }, none))).toBeUndefined();
  });

  test("is read from a condition in later versions, and has to be ended in the Harvester UI", () => {
    const later = annotated({}, { type: "MaintenanceMode", status: "True", reason: "Completed" });
    expect(wait(later)).toBeUndefined();
    expect(
      explain(mayReturn({ kubeconfig: "k", node }), answersOf({ ...soundCluster, nodes: nodesWith(later) })).refusal
        ?.message,
    ).toContain("stores the maintenance of harvester-2 in a condition");
  });

  test("fails at once if Harvester has withdrawn the request", () => {
    expect(wait(annotated({ "furrow/maintenance-asked-by": "me" }, none))).toContain(
      "Harvester has refused the maintenance of harvester-2",
    );
  });
});

test("Harvester gets no request if a machine that cannot move has arrived on the node in the meantime", () => {
  const ask = (instances: object[]): Explanation =>
    explain(maintenanceAsked({ kubeconfig: "k", node, shutDown: [], acceptOutOfReach: [] }), {
      ...answersOf({ ...soundCluster, instances }),
      node: { found: true, object: { kind: "Node", metadata: { name: node } } },
      operator: { who: "me@laptop", since: "2026-01-01T00:00:00Z" },
    });
  expect(ask([gpu]).refusal?.message).toContain("1 virtual machine on harvester-2 cannot move: default/gpu");
  expect(ask([]).described).toEqual(["request the maintenance of harvester-2"]);
});

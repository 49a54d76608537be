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
import { absent } from "../../src/authoring.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { lookAt } from "../cluster-answers/answers.ts";
import { mayLeave, quorumProblem } from "./quorum.ts";

type Member = Parameters<typeof quorumProblem>[0][number];
const node = (name: string, ready = true, votes = true): Member => {
  const look = lookAt(answersOf({ nodes: [nodeOf(name, { ready, votes })] }), "nodes");
  if ("unseen" in look) throw new Error("no node");
  return look.seen.nodes[0] as Member;
};
const three = (...down: string[]): Member[] => ["a", "b", "c"].map((name) => node(name, !down.includes(name)));

test.each([
  { nodes: three(), leaving: "b", fine: true },
  { nodes: three("b"), leaving: "b", fine: true },
  { nodes: three("a"), leaving: "b", fine: false },
  { nodes: three("a", "b"), leaving: "b", fine: false },
  { nodes: [node("a")], leaving: "a", fine: false },
  // An earlier run was interrupted after one node had left.
  { nodes: three().slice(1), leaving: "a", fine: true },
  { nodes: [...three(), node("d", false, false)], leaving: "d", fine: true },
  { nodes: [...three("c"), node("d"), node("e")], leaving: "a", fine: true },
  { nodes: [...three("b", "c"), node("d"), node("e")], leaving: "a", fine: false },
])("allows $leaving to leave: $fine", ({ nodes, leaving, fine }) => {
  expect(quorumProblem(nodes, leaving) === undefined).toBe(fine);
});

interface ExampleNode {
  readonly metadata: object;
}

/** Asks whether harvester-2 may leave. */
const ask = (cluster: Partial<Objects>, ...acceptLoss: string[]): Explanation =>
  explain(mayLeave({ kubeconfig: "k", node: "harvester-2", acceptLoss }), {
    ...answersOf({ ...soundCluster, ...cluster }),
    domain: domainWith({}, { state: "shut off" }),
  });
const refusal = (cluster: Partial<Objects>, ...acceptLoss: string[]): string | undefined =>
  ask(cluster, ...acceptLoss).refusal?.message;

describe("a node", () => {
  test("can be removed if the other nodes are up, nothing runs on it and no data is on it alone, and a note says so", () => {
    const { refusal: reason, notes } = ask({});
    expect(reason).toBeUndefined();
    expect(notes).toEqual(["without harvester-2 no volume, no image and no virtual machine would be lost"]);
  });
  test("cannot be removed while Harvester is upgrading the cluster", () => {
    expect(refusal({ upgrades: [upgradeOf("hvst-upgrade-1", "v1.8.0")] })).toBe(
      "the cluster is being upgraded: hvst-upgrade-1: created",
    );
    expect(refusal({ upgrades: [upgradeOf("hvst-upgrade-1", "v1.8.0", "Failed")] })).toBeUndefined();
  });
  test("cannot be removed while the cluster is half upgraded, until the failed upgrade is removed or superseded", () => {
    const conditions = [{ type: "NodesUpgraded", status: "False", reason: "", message: "harvester-2 failed" }];
    const half = upgradeOf("hvst-upgrade-1", "v1.8.0", "Failed", { conditions });
    const { refusal: reason } = ask({ upgrades: [half] });
    expect(reason?.message).toBe(
      "the upgrade hvst-upgrade-1 to v1.8.0 failed after it had begun to change the cluster: NodesUpgraded: harvester-2 failed",
    );
    expect(reason?.hint).toContain("kubectl -n harvester-system delete upgrades.harvesterhci.io hvst-upgrade-1");
    const later = upgradeOf("hvst-upgrade-2", "v1.8.0", "Succeeded", { created: "2026-01-02T00:00:00Z" });
    expect(refusal({ upgrades: [half, later] })).toBeUndefined();
  });
  test("cannot be removed if the cluster does not answer, or too few of the other nodes are up", () => {
    const error = { code: "ECONNREFUSED", message: "connection refused" };
    const call = mayLeave({ kubeconfig: "k", node: "harvester-2", acceptLoss: [] });
    const none = explain(call, { ...answersOf(soundCluster), nodes: { error }, volumes: { error }, domain: absent });
    expect(none.refusal?.message).toBe(
      "cannot tell what would be lost with harvester-2: the cluster's nodes and Longhorn's volumes cannot be read (connection refused)",
    );
    expect(refusal({ nodes: threeNodes(1) })).toBe(
      "without harvester-2 only 1 of 3 voting nodes is up, but 2 are needed",
    );
  });
  test("cannot be removed while virtual machines are running on it; machines on other nodes do not matter", () => {
    const instances = [
      instanceOf("web", "harvester-2"),
      instanceOf("db", "harvester-1"),
      instanceOf("next", undefined, "Scheduling"),
      instanceOf("old", "harvester-2", "Succeeded"),
    ];
    const machines = [machineOf("web"), machineOf("db")];
    expect(refusal({ instances, machines })).toBe("virtual machines are running on harvester-2: default/web");
    expect(refusal({ instances, machines, nodes: threeNodes(2) })).toBeUndefined();
  });
  test("cannot be removed while volumes lack replicas, unless it is already down", () => {
    const volumes = [volumeOf("pvc-1", "attached", "degraded")];
    const replicas = [replicaOf("pvc-1", "harvester-1"), replicaOf("pvc-1", "harvester-2", { is: "failed" })];
    expect(refusal({ volumes, replicas })).toBe("volumes lack replicas: pvc-1");
    expect(refusal({ volumes, replicas, nodes: threeNodes(2) })).toBeUndefined();
  });
});

describe("one of two voting nodes", () => {
  const two = (down?: string): Objects["nodes"] =>
    ["harvester-1", "harvester-2"].map((name) => nodeOf(name, { ready: name !== down }));

  test("cannot be removed or replaced, because the quorum is lost, although the other one is up", () => {
    expect(ask({ nodes: two() }).refusal).toMatchObject({
      code: "quorum",
      message:
        "without harvester-2 only 1 of 2 voting nodes is up, but 2 are needed: with two voting nodes, etcd needs both, and loses its quorum without either",
      hint: "Add a third voting node first: raise nodes and disks, and run the harvester-add-node playbook",
    });
  });

  test("cannot be removed while the other one is down, and the hint says that a third voting node is needed too", () => {
    const { refusal: reason } = ask({ nodes: two("harvester-1") });
    expect(reason?.message).toContain(
      "only 0 of 2 voting nodes are up, but 2 are needed: with two voting nodes, etcd needs both",
    );
    expect(reason?.hint).toMatch(/^Bring the other node back up, and then add a third voting node first: /);
  });

  test("does not prevent the removal of a node without a vote", () => {
    const worker = nodeOf("harvester-3", { votes: false });
    expect(
      explain(mayLeave({ kubeconfig: "k", node: "harvester-3", acceptLoss: [] }), {
        ...answersOf({ ...soundCluster, nodes: [...two(), worker] }),
        domain: absent,
      }).refusal,
    ).toBeUndefined();
  });
});

describe("a contradictory answer", () => {
  const node = (name: string, change: (one: ExampleNode) => object = () => ({})): object => {
    const one = nodeOf(name) as ExampleNode;
    return { ...one, ...change(one) };
  };
  const leaving = ({ metadata }: ExampleNode): object => ({
    metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  });

  test("does not count: one node is listed twice, and another one is missing", () => {
    const nodes = [nodeOf("harvester-1"), nodeOf("harvester-1"), nodeOf("harvester-2")];
    expect(refusal({ nodes })).toBe(
      "cannot tell what would be lost with harvester-2: the cluster's nodes cannot be read (the list contains Node harvester-1 twice)",
    );
  });

  test("does not count: a node is ready and not ready", () => {
    const both = node("harvester-3", () => ({
      status: { conditions: ["True", "False"].map((status) => ({ type: "Ready", status })) },
    }));
    expect(refusal({ nodes: [nodeOf("harvester-1"), nodeOf("harvester-2"), both] })).toBe(
      "cannot tell what would be lost with harvester-2: the cluster's nodes cannot be read (Node harvester-3 has a wrong status.conditions: the same condition twice)",
    );
  });

  test("does not count: a node that is being removed has no vote left, and keeps no replica", () => {
    const nodes = [nodeOf("harvester-1"), nodeOf("harvester-2"), node("harvester-3", leaving)];
    expect(refusal({ nodes })).toBe(
      "without harvester-2 only 1 of 3 voting nodes is up (harvester-3 is being removed), but 2 are needed",
    );
    const worker = node("worker-1", (one) => ({ ...leaving(nodeOf("worker-1", { votes: false }) as typeof one) }));
    const volumes = [volumeOf("pvc-1", "detached")];
    const replicas = ["harvester-2", "worker-1"].map((one) => replicaOf("pvc-1", one, { currentState: "stopped" }));
    expect(refusal({ nodes: [...threeNodes(), worker], volumes, replicas })).toContain(
      "its healthy replicas are all on harvester-2 and worker-1, and worker-1 is being removed",
    );
  });

  test("does not count: the node is not listed, but a virtual machine is reported to run on it", () => {
    const cluster = {
      nodes: [nodeOf("harvester-1"), nodeOf("harvester-3")],
      instances: [instanceOf("web", "harvester-2")],
      machines: [machineOf("web")],
    };
    const { refusal: reason } = ask(cluster);
    expect(reason?.message).toBe(
      "the cluster does not list harvester-2, but reports that virtual machines are running on it: default/web",
    );
    expect(reason?.hint).toContain("wait");
    expect(refusal(cluster, "default/web")).toBeUndefined();
    // A killed run may have removed the node already.
    expect(refusal({ nodes: cluster.nodes })).toBeUndefined();
  });

  test("does not hide a running virtual machine: the node to remove is already being removed", () => {
    const nodes = [nodeOf("harvester-1"), node("harvester-2", leaving), nodeOf("harvester-3")];
    const cluster = { nodes, instances: [instanceOf("web", "harvester-2")], machines: [machineOf("web")] };
    expect(refusal(cluster)).toBe("virtual machines are running on harvester-2: default/web");
    expect(refusal({ nodes })).toBeUndefined();
  });
});

describe("data that is on the node alone", () => {
  const lost = {
    volumes: [volumeOf("pvc-1", "detached"), volumeOf("pvc-2", "detached"), volumeOf("pvc-3", "detached")],
    replicas: [
      replicaOf("pvc-1", "harvester-2", { currentState: "stopped" }),
      replicaOf("pvc-2", "harvester-2", { currentState: "stopped" }),
      replicaOf("pvc-3", "harvester-3", { currentState: "stopped" }),
    ],
    persistentVolumes: [persistentVolumeOf("pvc-1", "web-disk")],
  };
  const first = "pvc-1 (10 GiB; its only healthy replica is on harvester-2; used by default/web)";
  const second = "pvc-2 (10 GiB; its only healthy replica is on harvester-2)";

  test("is listed, and the hint names the param that accepts its loss", () => {
    const { refusal: reason } = ask(lost);
    expect(reason?.message).toBe(`without harvester-2 these would be lost: 2 volumes: ${first}, ${second}`);
    expect(reason?.hint).toContain(`--var acceptLoss='["pvc-1","pvc-2"]'`);
  });

  test.each([[[]], [[2]]])("is accepted only if every volume is named, even if the nodes %j are down", (down) => {
    const cluster = { ...lost, nodes: threeNodes(...down) };
    expect(refusal(cluster, "pvc-1")).toBe(`without harvester-2 these would be lost: 1 volume: ${second}`);
    expect(refusal(cluster, "pvc-1", "pvc-2")).toBeUndefined();
  });

  test("is reported in a note when it is lost, together with the names that were accepted needlessly", () => {
    expect(ask(lost, "pvc-1", "pvc-2", "pvc-3").notes).toEqual([
      `lost with harvester-2, as accepted: 2 volumes: ${first}, ${second}`,
      "listed in acceptLoss, but not lost with harvester-2: pvc-3",
    ]);
  });

  test("is not accepted by a misspelled name, even if all other names are right", () => {
    expect(refusal(lost, "pvc-1", "pvc-2", "pcv-3")).toBe(
      "acceptLoss lists names that do not exist in the cluster: pcv-3",
    );
    expect(refusal({}, "pvc-9")).toBe("acceptLoss lists names that do not exist in the cluster: pvc-9");
  });

  test("includes a virtual machine without a definition, if the node is down", () => {
    const cluster = { instances: [instanceOf("lone", "harvester-2")], nodes: threeNodes(2) };
    expect(refusal(cluster)).toBe("without harvester-2 these would be lost: 1 virtual machine: default/lone");
    expect(refusal(cluster, "default/lone")).toBeUndefined();
  });
});

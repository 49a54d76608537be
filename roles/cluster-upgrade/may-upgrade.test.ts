import { describe, expect, test } from "vitest";
import { explain, type Explanation } from "../../src/testing/index.ts";
import {
  answersOf,
  etcdCondition,
  instanceOf,
  nodeOf,
  type Objects,
  persistentVolumeOf,
  replicaOf,
  singleOf,
  soundCluster,
  soundVersion,
  spaceOf,
  threeNodes,
  upgradeOf,
  volumeOf,
} from "../../test/guards/examples.ts";
import { versionPath } from "../identity/answers.ts";
import { upgradeSchema } from "../cluster-answers/harvester-objects.ts";
import { planOf } from "./attempts.ts";
import { mayUpgrade } from "./may-upgrade.ts";

const names = ["harvester-1", "harvester-2", "harvester-3"];

interface Given {
  readonly version?: string;
  readonly retry?: boolean;
  readonly nodes?: readonly string[];
  readonly space?: readonly object[];
  readonly running?: object;
}

function ask(cluster: Partial<Objects> = {}, given: Given = {}): Explanation {
  const { version = "v1.8.2", retry = false, nodes = names, running = singleOf(versionPath) } = given;
  const space = given.space ?? nodes.map((name) => spaceOf(name));
  return explain(mayUpgrade({ kubeconfig: "k", nodes: [...nodes], version, retry }), {
    ...answersOf({ ...soundCluster, ...cluster }),
    running: { found: true, object: running },
    space: space.map((object) => ({ found: true, object })),
    offered: { found: false },
    trial: [],
  });
}
const refusal = (cluster?: Partial<Objects>, given?: Given): string | undefined => ask(cluster, given).refusal?.message;
/** What the role decides to do, given these upgrades and a healthy cluster. */
function plan({ upgrades = [] }: Partial<Objects> = {}, given: Given = {}): unknown {
  const { version = "v1.8.2", retry = false, running = { value: soundVersion } } = given;
  const known = upgrades.map((one) => upgradeSchema.parse(one));
  return planOf({ version, retry }, (running as { value: string }).value, known);
}

const failedAt = (type: string): object =>
  upgradeOf("hvst-upgrade-v1-8-2-1", "v1.8.2", "Failed", {
    conditions: [
      { type: "Completed", status: "False" },
      { type: "LogReady", status: "False", reason: "Disabled" },
      { type, status: "False", reason: "Why", message: "because" },
    ],
  });

test("a cluster with the volume of a machine that was never started is upgraded, and a note names the volume", () => {
  const unused = names.map((name) => replicaOf("pvc-new", name, { is: "rebuilding", currentState: "stopped" }));
  const { refusal: refused, notes } = ask({
    volumes: [...soundCluster.volumes, volumeOf("pvc-new", "detached")],
    replicas: [...soundCluster.replicas, ...unused],
  });
  expect([refused, notes]).toEqual([undefined, ["volumes without data, because they were never attached: pvc-new"]]);
});

describe("a sound cluster", () => {
  test("is upgraded under a name that no upgrade has had", () => {
    expect(refusal()).toBeUndefined();
    expect(plan()).toMatchObject({ action: "start", name: "hvst-upgrade-v1-8-2-1" });
    const earlier = [2, 10].map((number) => upgradeOf(`hvst-upgrade-v1-8-2-${number}`, "v1.8.2", "Succeeded"));
    expect(plan({ upgrades: earlier })).toMatchObject({ name: "hvst-upgrade-v1-8-2-11" });
  });

  test("needs no upgrade if it already has the version, and the task says so", () => {
    expect(plan({}, { version: "v1.8.1" })).toEqual({ action: "none", name: "" });
    expect(ask({}, { version: "v1.8.1" }).notes).toEqual(["the cluster already runs v1.8.1"]);
  });

  test.each([undefined, "UpgradingNodes", "AStateOfALaterRelease"])(
    "gets no second upgrade while the first one is running (%s), even if nodes are down and the cluster reports the new version",
    (state) => {
      const cluster = {
        upgrades: [upgradeOf("hvst-upgrade-abcde", "v1.8.2", state)],
        nodes: threeNodes(2),
        volumes: [volumeOf("pvc-1", "attached", "degraded")],
      };
      expect(ask(cluster)).toMatchObject({ notes: ["the upgrade hvst-upgrade-abcde is running"] });
      expect(refusal(cluster)).toBeUndefined();
      expect(plan(cluster)).toEqual({ action: "wait", name: "hvst-upgrade-abcde" });
      const running = { kind: "Setting", metadata: { name: "server-version" }, value: "v1.8.2" };
      expect(plan(cluster, { running })).toEqual({ action: "wait", name: "hvst-upgrade-abcde" });
    },
  );
});

describe("an upgrade is refused", () => {
  test.each<[string, Partial<Objects>, Given, string]>([
    [
      "another upgrade runs",
      { upgrades: [upgradeOf("u", "v1.8.3", "PreparingRepo")] },
      {},
      "already being upgraded: u to v1.8.3",
    ],
    [
      "two upgrades run",
      { upgrades: [upgradeOf("u", "v1.8.2", "PreparingRepo"), upgradeOf("v", "v1.8.2")] },
      {},
      "u to v1.8.2, v to v1.8.2",
    ],
    ["the version is older", {}, { version: "v1.8.0" }, "cannot be downgraded"],
    ["the step is too large", {}, { version: "v1.10.0" }, "upgrade to v1.9 first"],
    ["a node is down", { nodes: threeNodes(2) }, {}, "harvester-2 (not ready)"],
    [
      "etcd is down on a node that is up",
      { nodes: [...threeNodes().slice(0, 2), nodeOf("harvester-3", { etcd: etcdCondition("False") })] },
      {},
      "harvester-3 (etcd on harvester-3 does not vote (Unhealthy: Node is unhealthy))",
    ],
    [
      "a node is cordoned",
      { nodes: [...threeNodes().slice(0, 2), nodeOf("harvester-3", { cordoned: true })] },
      {},
      "harvester-3 (cordoned)",
    ],
    [
      "a node is in maintenance",
      { nodes: [...threeNodes().slice(0, 2), nodeOf("harvester-3", { maintained: true })] },
      {},
      "harvester-3 (in maintenance)",
    ],
    ["a node is missing", { nodes: threeNodes().slice(0, 2) }, {}, "the cluster does not have harvester-3"],
    ["a volume lacks replicas", { volumes: [volumeOf("pvc-1", "attached", "degraded")] }, {}, "pvc-1 (degraded)"],
    ["a volume is faulted", { volumes: [volumeOf("pvc-1", "detached", "faulted")] }, {}, "pvc-1 (faulted)"],
    [
      "a detached volume is on only one node",
      { replicas: [replicaOf("pvc-1", "harvester-2", { currentState: "stopped" })] },
      {},
      "1 volume would be out of reach while harvester-2 restarts: pvc-1 (10 GiB; its only healthy replica is on harvester-2; used by default/web)",
    ],
    [
      "Longhorn does not list a volume",
      { persistentVolumes: [persistentVolumeOf("pvc-9", "web-disk")] },
      {},
      "pvc-9 (a persistent volume uses it, but Longhorn does not list it",
    ],
    [
      "a running machine has a node selector",
      { instances: [instanceOf("gpu", "harvester-1", "Running", undefined, { nodeSelector: { gpu: "yes" } })] },
      {},
      "default/gpu (it has a node selector)",
    ],
    [
      "a running machine has a device of its node",
      {
        instances: [
          instanceOf("gpu", "harvester-1", "Running", undefined, { domain: { devices: { hostDevices: [{}] } } }),
        ],
      },
      {},
      "default/gpu (it uses a device of its node)",
    ],
    [
      "a node has too little free space",
      {},
      { space: [spaceOf("harvester-1"), spaceOf("harvester-2", { capacity: 100, used: 75 }), spaceOf("harvester-3")] },
      "harvester-2 has 25 GiB free, but 30 GiB are needed",
    ],
    [
      "kubelet would delete the new images",
      {},
      { space: [spaceOf("harvester-1"), spaceOf("harvester-2", { capacity: 400, used: 340 }), spaceOf("harvester-3")] },
      "harvester-2 would be 89 percent full with the new images, but only 85 percent is allowed",
    ],
    [
      "the cluster reports no version",
      {},
      { running: { kind: "Setting", metadata: { name: "server-version" }, value: "" } },
      "Setting server-version has no value",
    ],
    [
      "the cluster reports another kind of version",
      {},
      { running: { kind: "Setting", metadata: { name: "server-version" }, value: "master-head" } },
      "master-head is not a release",
    ],
  ])("if %s", (_name, cluster, given, says) => {
    expect(refusal(cluster, given)).toContain(says);
  });

  test("after a failed attempt, unless the user asks to start over", () => {
    const upgrades = [failedAt("ImageReady")];
    expect(refusal({ upgrades })).toBe("the upgrade hvst-upgrade-v1-8-2-1 to v1.8.2 failed: ImageReady: Why: because");
    expect(plan({ upgrades }, { retry: true })).toEqual({
      action: "start",
      name: "hvst-upgrade-v1-8-2-2",
      replaces: "hvst-upgrade-v1-8-2-1",
    });
    // A failed upgrade to another version does not prevent this one.
    expect(plan({ upgrades }, { version: "v1.8.3" })).toMatchObject({ action: "start", name: "hvst-upgrade-v1-8-3-1" });
  });

  test.each(["SystemServicesUpgraded", "NodesUpgraded"])(
    "even on request, after an attempt that changed the cluster (%s), whatever version the cluster reports",
    (type) => {
      const running = { kind: "Setting", metadata: { name: "server-version" }, value: "v1.8.2" };
      for (const given of [{ retry: true }, { running }, { version: "v1.8.3", running }])
        expect(refusal({ upgrades: [failedAt(type)] }, given)).toContain(
          "failed after it had begun to change the cluster",
        );
    },
  );

  test("but not after a failed attempt if a later attempt succeeded", () => {
    const good = upgradeOf("hvst-upgrade-v1-8-2-2", "v1.8.2", "Succeeded", { created: "2026-02-01T00:00:00Z" });
    const running = { kind: "Setting", metadata: { name: "server-version" }, value: "v1.8.2" };
    expect(plan({ upgrades: [good, failedAt("NodesUpgraded")] }, { running })).toMatchObject({ action: "none" });
  });
});

test("a single node is upgraded despite single replicas and bound machines, but not if a volume has no replica", () => {
  const one = {
    nodes: threeNodes().slice(0, 1),
    replicas: [replicaOf("pvc-1", "harvester-1", { currentState: "stopped" })],
    instances: [instanceOf("gpu", "harvester-1", "Running", undefined, { nodeSelector: { gpu: "yes" } })],
  };
  const given = { nodes: names.slice(0, 1) };
  expect(refusal(one, given)).toBeUndefined();
  expect(refusal({ ...one, replicas: [] }, given)).toContain("Longhorn lists no replica of it");
});

import { describe, expect, test } from "vitest";
import {
  answersOf,
  instanceOf,
  machineOf,
  type Objects,
  persistentVolumeOf,
  replicaOf,
  soundCluster,
  threeNodes,
  volumeOf,
} from "../../test/guards/examples.ts";
import { longhornNodeOf } from "../../test/guards/report-examples.ts";
import { lookAt } from "../cluster-answers/answers.ts";
import { lossLists, lossOf, lostText } from "./loss.ts";

const longhornNodes = [1, 2, 3].map((index) => longhornNodeOf(`harvester-${index}`));

/** What would be lost with harvester-2. */
function loss(cluster: Partial<Objects>): string {
  const look = lookAt(answersOf({ nodes: threeNodes(), longhornNodes, ...cluster }), ...lossLists);
  if ("unseen" in look) throw new Error(JSON.stringify(look.unseen));
  const { volumes, machines } = lossOf("harvester-2", look.seen);
  return [lostText(volumes), ...machines].filter((text) => text !== "").join("; ");
}

const attached = [volumeOf("pvc-1")];
const detached = [volumeOf("pvc-1", "detached")];
const stopped = { currentState: "stopped" };
const on = (index: number, state: Parameters<typeof replicaOf>[2] = {}): object =>
  replicaOf("pvc-1", `harvester-${index}`, state);

describe("a volume survives the loss of a node", () => {
  test.each<[string, Partial<Objects>]>([
    ["with a healthy replica on another node that is up", { volumes: attached, replicas: [on(1), on(2)] }],
    ["if it has no replica on the node", { volumes: attached, replicas: [on(3)] }],
    [
      "if it is detached, and a stopped replica is healthy",
      { volumes: detached, replicas: [on(1, stopped), on(2, stopped)] },
    ],
    [
      "if it is being attached",
      { volumes: [volumeOf("pvc-1", "attaching", "unknown")], replicas: [on(1, { currentState: "starting" })] },
    ],
    [
      "if the disk of its other replica takes no more replicas",
      {
        volumes: detached,
        replicas: [on(1, stopped), on(2, stopped)],
        longhornNodes: [
          longhornNodeOf("harvester-1", {
            spec: { allowScheduling: false },
            seen: {
              conditions: [
                { type: "Ready", status: "True" },
                { type: "Schedulable", status: "False" },
              ],
            },
          }),
        ],
      },
    ],
    ["if all lists come from a healthy cluster", soundCluster],
  ])("%s", (_name, cluster) => {
    expect(loss(cluster)).toBe("");
  });
});

describe("a volume that was never attached", () => {
  // Replicas that no engine has used, like a replica that is waiting to be rebuilt.
  const unused = { is: "rebuilding", currentState: "stopped" } as const;
  const replicas = [on(1, unused), on(2, unused), on(3, unused)];

  test("is not lost with a node, because it has no data", () => {
    expect(loss({ volumes: detached, replicas })).toBe("");
    expect(
      loss({ volumes: detached, replicas: replicas.map((one) => withSpec(one, { nodeID: "", diskID: "" })) }),
    ).toBe("");
  });

  test.each<[string, object, object[]]>([
    ["it is attached", volumeOf("pvc-1"), replicas],
    ["it is faulted", volumeOf("pvc-1", "detached", "faulted"), replicas],
    ["a replica has failed", volumeOf("pvc-1", "detached"), [...replicas.slice(1), on(1, { is: "failed" })]],
    [
      "a replica was healthy once",
      volumeOf("pvc-1", "detached"),
      [...replicas.slice(1), withSpec(on(1, unused), { lastHealthyAt: "x" })],
    ],
    [
      "a replica failed once",
      volumeOf("pvc-1", "detached"),
      replicas.map((one) => withSpec(one, { lastFailedAt: "x" })),
    ],
    ["a replica is missing", volumeOf("pvc-1", "detached"), replicas.slice(1)],
    ["no replica is listed", volumeOf("pvc-1", "detached"), []],
    [
      "a replica is being deleted",
      volumeOf("pvc-1", "detached"),
      [...replicas.slice(1), { ...replicas[0], metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } }],
    ],
    [
      "it has a size on disk",
      { ...volumeOf("pvc-1"), status: { state: "detached", robustness: "unknown", actualSize: 4096 } },
      replicas,
    ],
  ])("still counts as lost if %s, because it may have data", (_why, volume, own) => {
    expect(loss({ volumes: [volume], replicas: own })).toMatch(/faulted|no replica|none of its replicas is healthy/);
  });
});

function withSpec(replica: object, more: object): object {
  return { ...replica, spec: { ...(replica as { spec: object }).spec, ...more } };
}

describe("a volume is lost with a node", () => {
  test.each<[string, Partial<Objects>, string]>([
    [
      "if its single replica is on that node, however healthy",
      { volumes: attached, replicas: [on(2)] },
      "its only healthy replica is on harvester-2",
    ],
    [
      "if it is detached, and its single replica is on that node",
      { volumes: detached, replicas: [on(2, stopped)] },
      "its only healthy replica is on harvester-2",
    ],
    [
      "if it is faulted, wherever its replicas are",
      { volumes: [volumeOf("pvc-1", "detached", "faulted")], replicas: [on(1, stopped)] },
      "it is faulted: Longhorn knows of no healthy replica of it",
    ],
    [
      "if the other replica has failed",
      { volumes: attached, replicas: [on(1, { is: "failed" }), on(2)] },
      "its only healthy replica is on harvester-2",
    ],
    [
      "if the other replica is still being rebuilt",
      { volumes: attached, replicas: [on(1, { is: "rebuilding" }), on(2)] },
      "its only healthy replica is on harvester-2",
    ],
    [
      "if the other replica should run, but does not",
      { volumes: attached, replicas: [on(1, stopped), on(2)] },
      "its only healthy replica is on harvester-2",
    ],
    [
      "if the other replica's process reports an error",
      { volumes: detached, replicas: [on(1, { currentState: "error" }), on(2, stopped)] },
      "its only healthy replica is on harvester-2",
    ],
    [
      "if the node with the other replica is down",
      { nodes: threeNodes(3), volumes: attached, replicas: [on(2), on(3)] },
      "its healthy replicas are all on harvester-2 and harvester-3, and harvester-3 is down",
    ],
    [
      "if both replicas are on it",
      { volumes: attached, replicas: [on(2), { ...on(2), metadata: { name: "pvc-1-r-other" } }] },
      "its healthy replicas are all on harvester-2",
    ],
    ["if no replica of it is listed", { volumes: attached }, "Longhorn lists no replica of it"],
    [
      "if none of its replicas is healthy",
      { volumes: attached, replicas: [on(1, { is: "failed" })] },
      "none of its replicas is healthy",
    ],
    [
      "if its replica has no node yet",
      { volumes: attached, replicas: [replicaOf("pvc-1", "")] },
      "none of its replicas is healthy",
    ],
  ])("%s", (_name, cluster, why) => {
    expect(loss(cluster)).toBe(`pvc-1 (10 GiB; ${why})`);
  });

  test("if a replica of it is listed, but not the volume", () => {
    expect(loss({ replicas: [on(1), on(2)] })).toBe(
      "pvc-1 (Longhorn has a replica of it on harvester-1, but does not list the volume)",
    );
  });

  test("if only a persistent volume names it", () => {
    expect(loss({ persistentVolumes: [persistentVolumeOf("pvc-1", "disk")] })).toBe(
      "pvc-1 (a persistent volume uses it, but Longhorn does not list it)",
    );
  });

  test("if it is a directory on an unnamed node", () => {
    const spec = { hostPath: { path: "/data" } };
    expect(loss({ persistentVolumes: [{ metadata: { name: "folder" }, spec }] })).toBe(
      "folder (its data is in a directory on an unspecified node)",
    );
  });
});

test("names every virtual machine that uses a lost volume, running or not", () => {
  const cluster = {
    volumes: attached,
    replicas: [on(2)],
    persistentVolumes: [persistentVolumeOf("pvc-1", "shared")],
    machines: [machineOf("web", "shared"), machineOf("db", "other")],
    instances: [instanceOf("batch", "harvester-1", "Running", "shared")],
  };
  expect(loss(cluster)).toBe(
    "pvc-1 (10 GiB; its only healthy replica is on harvester-2; used by default/batch, default/web)",
  );
});

test("lists every lost volume, not only the first few", () => {
  const names = Array.from({ length: 40 }, (_, index) => `pvc-${100 + index}`);
  const text = loss({
    volumes: names.map((name) => volumeOf(name)),
    replicas: names.map((name) => replicaOf(name, "harvester-2")),
  });
  expect(text.match(/pvc-\d+/g)).toEqual(names);
});

test("names a machine that has no definition, because nothing would start it again", () => {
  const machines = [machineOf("web")];
  const instances = [
    instanceOf("web", "harvester-2"),
    instanceOf("lone", "harvester-2"),
    instanceOf("far", "harvester-1"),
  ];
  expect(loss({ machines, instances })).toBe("default/lone");
});

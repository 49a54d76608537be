import { describe, expect, test } from "vitest";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { answersOf, type Objects, replicaOf, soundCluster, volumeOf } from "../../test/guards/examples.ts";
import { longhornNodeOf, orphanOf, settingOf, snapshotOf } from "../../test/guards/report-examples.ts";
import { longhornHealthy, longhornReport } from "./role.ts";

const gib = 2 ** 30;
const nodes = ["harvester-1", "harvester-2", "harvester-3"];
const sound: Partial<Objects> = {
  ...soundCluster,
  longhornSettings: [
    settingOf("concurrent-replica-rebuild-per-node-limit", "5"),
    settingOf("node-drain-policy", "block-if-contains-last-replica"),
    settingOf("replica-soft-anti-affinity", "false"),
    settingOf("storage-minimal-available-percentage", "25"),
    settingOf("storage-over-provisioning-percentage", "200"),
    settingOf("deleting-confirmation-flag", "false"),
    settingOf("auto-salvage", "true"),
    settingOf("snapshot-max-count", '{"v1":"100","v2":"100"}'),
  ],
  orphans: [],
};
const answers = (cluster: Partial<Objects>, more: object = {}) => ({
  ...answersOf({ ...sound, ...cluster }),
  operator: { who: "me@laptop", since: "2026-03-01T00:00:00Z" },
  ...more,
});
const notes = (cluster: Partial<Objects>, more?: object): readonly string[] =>
  explain(longhornReport({ kubeconfig: "k" }), answers(cluster, more)).notes;
const judged = (
  cluster: Partial<Objects>,
  failOn: "critical" | "warning" | "never" = "warning",
  more?: object,
): Explanation => explain(longhornHealthy({ kubeconfig: "k", failOn }), answers(cluster, more));

const set = (name: string, value: string): Partial<Objects> => ({
  longhornSettings: [
    ...(sound.longhornSettings ?? []).filter((one) => (one as { metadata: { name: string } }).metadata.name !== name),
    settingOf(name, value),
  ],
});
const firstNode = (more: Parameters<typeof longhornNodeOf>[1]): Partial<Objects> => ({
  longhornNodes: [longhornNodeOf("harvester-1", more), ...nodes.slice(1).map((name) => longhornNodeOf(name))],
});
const volumeWith = (spec: object, status: object = {}): object => {
  const volume = volumeOf("pvc-1") as { spec: object; status: object };
  return { ...volume, spec: { ...volume.spec, ...spec }, status: { ...volume.status, ...status } };
};
const down = [
  { type: "Ready", status: "False", message: "Kubernetes node harvester-1 is missing" },
  { type: "Schedulable", status: "True" },
];

test("a healthy Longhorn has no findings, and the report says what was checked", () => {
  expect(notes({})).toEqual(["Longhorn is healthy: disks, volumes, replicas, snapshots and settings were checked"]);
  expect(judged({}).refusal).toBeUndefined();
});

test("a Longhorn without nodes has no disks, and the report does not mention where replicas are", () => {
  const found = notes({ longhornNodes: [], volumes: [], replicas: [] });
  expect(found).toEqual(["critical: Longhorn has no disks", "  next: Harvester UI: Hosts, Storage"]);
});

test("a volume that was never attached does not lack replicas; a hint says that it has no data", () => {
  const unused = { is: "rebuilding", currentState: "stopped" } as const;
  const found = notes({ replicas: nodes.map((name) => replicaOf("pvc-1", name, unused)) });
  expect(found.filter((one) => one.includes("pvc-1"))).toEqual([
    expect.stringContaining("hint: 1 volume without data, never attached: pvc-1"),
  ]);
});

describe("finds, with the severity and where to look next,", () => {
  test.each<[string, Partial<Objects>]>([
    [
      "critical: Longhorn on harvester-1 is not ready: Kubernetes node harvester-1 is missing",
      firstNode({ conditions: down }),
    ],
    [
      "warning: harvester-1 gets no replicas: scheduling is switched off",
      firstNode({ spec: { allowScheduling: false } }),
    ],
    [
      "critical: the disk default-disk of harvester-1 is not ready: gone",
      firstNode({ seen: { conditions: [{ type: "Ready", status: "False", message: "gone" }] } }),
    ],
    [
      "warning: the disk default-disk of harvester-1 takes no more replicas: DiskPressure",
      firstNode({
        seen: {
          conditions: [
            { type: "Ready", status: "True" },
            { type: "Schedulable", status: "False", reason: "DiskPressure" },
          ],
        },
      }),
    ],
    [
      "critical: the disk default-disk of harvester-1 reports that it is failing",
      firstNode({ seen: { healthData: { sda: { healthStatus: "FAILED" } } } }),
    ],
    [
      "warning: the disk default-disk of harvester-1 is over-committed by 60 GiB",
      firstNode({ seen: { storageScheduled: 600 * gib } }),
    ],
    ["hint: nothing is reserved on the default disk of harvester-1", firstNode({ disk: { storageReserved: 0 } })],
    [
      "critical: 1 volume faulted, without a healthy replica: pvc-1",
      { volumes: [volumeOf("pvc-1", "detached", "faulted")] },
    ],
    [
      "critical: 1 volume with a single healthy replica left: pvc-1 (1 of 3)",
      { volumes: [volumeOf("pvc-1", "attached", "degraded")], replicas: [replicaOf("pvc-1", "harvester-1")] },
    ],
    [
      "warning: 1 volume with too few replicas: pvc-1 (2 of 3)",
      {
        volumes: [volumeOf("pvc-1", "attached", "degraded")],
        replicas: nodes.slice(1).map((node) => replicaOf("pvc-1", node)),
      },
    ],
    [
      "warning: 1 volume with too few replicas: pvc-1 (2 of 3, detached)",
      { volumes: [volumeOf("pvc-1", "detached")], replicas: nodes.slice(1).map((node) => replicaOf("pvc-1", node)) },
    ],
    [
      "warning: 1 volume with all replicas on one node: pvc-1 (harvester-1)",
      { replicas: [1, 2, 3].map((at) => ({ ...replicaOf("pvc-1", "harvester-1"), metadata: { name: `r-${at}` } })) },
    ],
    [
      "warning: 1 volume with all replicas in one zone: pvc-1 (a)",
      {
        volumes: [volumeWith({ numberOfReplicas: 2 })],
        replicas: ["harvester-1", "harvester-2"].map((node) => replicaOf("pvc-1", node)),
        longhornNodes: nodes.map((name) => longhornNodeOf(name, { zone: name === "harvester-3" ? "b" : "a" })),
      },
    ],
    [
      "warning: 1 volume without a place for a replica: pvc-1 (insufficient storage)",
      {
        volumes: [
          volumeWith({}, { conditions: [{ type: "Scheduled", status: "False", message: "insufficient storage" }] }),
        ],
      },
    ],
    [
      "warning: 1 volume with tags that no disk or node has: pvc-1 (nvme)",
      { volumes: [volumeWith({ diskSelector: ["nvme"] })] },
    ],
    ["hint: 1 volume configured with one replica", { volumes: [volumeWith({ numberOfReplicas: 1 })] }],
    [
      "warning: 1 replica of volumes that Longhorn does not list: pvc-9-r-harvester-1",
      { replicas: [...(sound.replicas ?? []), replicaOf("pvc-9", "harvester-1")] },
    ],
    [
      "warning: volumes close to their snapshot limit: pvc-1 (4 of 5)",
      {
        volumes: [volumeWith({ snapshotMaxCount: 5 })],
        snapshots: [1, 2, 3, 4].map((at) => snapshotOf(`s-${at}`, "pvc-1")),
      },
    ],
    [
      "hint: 1 snapshot older than 30 days, 1 GiB in total: snap-1 of pvc-1",
      { snapshots: [snapshotOf("snap-1", "pvc-1", { userCreated: true })] },
    ],
    ["hint: 1 volume without a limit for snapshots", set("snapshot-max-count", "250")],
    [
      "hint: 2 orphaned replicas on harvester-1",
      { orphans: [orphanOf("o-1", "harvester-1"), orphanOf("o-2", "harvester-1")] },
    ],
    [
      "critical: concurrent-replica-rebuild-per-node-limit is 0: no replica is rebuilt",
      set("concurrent-replica-rebuild-per-node-limit", "0"),
    ],
    ["warning: node-drain-policy is always-allow", set("node-drain-policy", "always-allow")],
    ["warning: storage-minimal-available-percentage is 5", set("storage-minimal-available-percentage", "5")],
    [
      "hint: not checked, because this version of Longhorn does not have the settings: concurrent-replica-rebuild",
      { longhornSettings: [] },
    ],
  ])("%s", (line, cluster) => {
    const all = notes(cluster);
    const at = all.findIndex((note) => note.startsWith(line));
    expect(at === -1 ? all : all[at + 1]).toContain("  next: ");
    expect(judged(cluster).refusal !== undefined).toBe(
      notes(cluster).some((note) => /^(critical|warning):/.test(note)),
    );
    const isCritical = all.some((note) => note.startsWith("critical:"));
    expect(judged(cluster, "critical").refusal?.code).toBe(isCritical ? "problems" : undefined);
  });
});

test("the worst comes first, and a long list is cut", () => {
  const volumes = Array.from({ length: 9 }, (_, at) => volumeOf(`pvc-${at}`, "detached", "faulted"));
  const shown = notes({
    ...set("node-drain-policy", "always-allow"),
    volumes,
    replicas: [],
    snapshots: [],
    orphans: [orphanOf("o", "harvester-1")],
  });
  expect(shown.filter((_, at) => at % 2 === 0).map((note) => note.split(":")[0])).toEqual([
    "critical",
    "warning",
    "hint",
  ]);
  expect(shown[0]).toContain(
    "9 volumes faulted, without a healthy replica: pvc-0, pvc-1, pvc-2, pvc-3, pvc-4 and 4 more",
  );
});

describe("the exit code", () => {
  const weak = {
    volumes: [volumeOf("pvc-1", "attached", "degraded")],
    replicas: nodes.slice(1).map((node) => replicaOf("pvc-1", node)),
  };

  test("shows whether there are problems of the severity that failOn selects", () => {
    expect(judged(weak).refusal?.message).toBe("1 warning");
    expect(judged(weak, "critical").refusal).toBeUndefined();
    expect(judged(weak, "never").refusal).toBeUndefined();
  });

  test("does not report success if something cannot be read", () => {
    const error = { code: "HTTP 404", message: "404 page not found" };
    const more = { orphans: { error } };
    expect(notes({}, more)).toEqual([
      "unknown: Longhorn's orphans, because the cluster does not have this kind of object (HTTP 404: 404 page not found)",
    ]);
    expect(judged({}, "critical", more).refusal).toMatchObject({
      code: "cluster-not-seen",
      hint: "Check the cluster's version: Longhorn is not installed, or is a version without the kind Orphan in longhorn.io/v1beta2",
    });
  });
});

import { describe, expect, test } from "vitest";
import { answersOf, type Objects, replicaOf, threeNodes, volumeOf } from "../../test/guards/examples.ts";
import { longhornNodeOf } from "../../test/guards/report-examples.ts";
import { lookAt } from "../cluster-answers/answers.ts";
import { lossLists, lossOf, lostText } from "./loss.ts";

const longhornNodes = [1, 2, 3].map((index) => longhornNodeOf(`harvester-${index}`));

/** What would be lost with harvester-2. */
function loss(cluster: Partial<Objects>): string {
  const look = lookAt(answersOf({ nodes: threeNodes(), longhornNodes, ...cluster }), ...lossLists);
  if ("unseen" in look) throw new Error(JSON.stringify(look.unseen));
  return lostText(lossOf("harvester-2", look.seen).volumes);
}

const requires = (key: string, operator: string, ...values: string[]): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }] },
});

function labelled(node: object, labels: Readonly<Record<string, string>>): object {
  const { metadata } = node as { readonly metadata: { readonly labels: object } };
  return { ...node, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}

const detached = [volumeOf("pvc-1", "detached")];
const on = (index: number): object => replicaOf("pvc-1", `harvester-${index}`, { currentState: "stopped" });

describe("a volume is lost with a node", () => {
  const csi = { driver: "lvm.driver.harvesterhci.io", volumeHandle: "local" };
  const folder = { local: { path: "/data" } };
  const named = threeNodes().map((node, at) => labelled(node, { "topology.lvm.csi/node": `h${at + 1}.example` }));
  test.each<[string, object, Partial<Objects>, object, string]>([
    [
      "on it",
      csi,
      { nodes: named },
      requires("topology.lvm.csi/node", "In", "h2.example"),
      "its data is on harvester-2 alone",
    ],
    ["on another node", csi, { nodes: named }, requires("topology.lvm.csi/node", "In", "h1.example"), ""],
    [
      "not on the others",
      csi,
      {},
      requires("kubernetes.io/hostname", "NotIn", "harvester-1", "harvester-3"),
      "its data is on harvester-2 alone",
    ],
    [
      "on a host whose name is not the node's",
      csi,
      { nodes: threeNodes().map((node, at) => labelled(node, { "kubernetes.io/hostname": `h${at + 1}.example` })) },
      requires("kubernetes.io/hostname", "In", "h2.example"),
      "its data is on harvester-2 alone",
    ],
    [
      "on a node that is not listed",
      csi,
      {},
      requires("kubernetes.io/hostname", "In", "harvester-9"),
      "its node affinity matches no node in the list, so its data may be on any node",
    ],
    [
      "on a node that no affinity term describes",
      csi,
      {},
      { required: { nodeSelectorTerms: [] } },
      "its node affinity matches no node in the list, so its data may be on any node",
    ],
    [
      "on the node or on another node that can use it",
      csi,
      {},
      requires("kubernetes.io/hostname", "NotIn", "harvester-1"),
      "",
    ],
    [
      "on the node or on another node that is down",
      csi,
      { nodes: threeNodes(3) },
      requires("kubernetes.io/hostname", "NotIn", "harvester-1"),
      "its data is on harvester-2 or harvester-3, and harvester-3 is down",
    ],
    [
      "in a directory on the node or on another node",
      folder,
      {},
      requires("kubernetes.io/hostname", "NotIn", "harvester-1"),
      "its data is in a directory on harvester-2 or harvester-3",
    ],
  ])("if it is a local volume %s", (_name, source, cluster, nodeAffinity, why) => {
    const spec = "local" in source ? { ...source, nodeAffinity } : { csi: source, nodeAffinity };
    expect(loss({ ...cluster, persistentVolumes: [{ metadata: { name: "local" }, spec }] })).toBe(
      why === "" ? "" : `local (${why})`,
    );
  });

  type Change = NonNullable<Parameters<typeof longhornNodeOf>[1]>;
  const down = [{ type: "Ready", status: "False" }];
  test.each<[string, object[], string]>([
    ["is not listed", [longhornNodeOf("harvester-2")], "Longhorn does not list harvester-1"],
    ["is not ready", [longhornNodeOf("harvester-1", { conditions: down })], "Longhorn on harvester-1 is not ready"],
    [
      "is being emptied",
      [longhornNodeOf("harvester-1", { spec: { evictionRequested: true } })],
      "Longhorn is moving all replicas away from harvester-1",
    ],
    ...(
      [
        [{ seen: { conditions: down } }, "the disk default-disk of harvester-1 is not ready"],
        [{ seen: { conditions: null } }, "the disk default-disk of harvester-1 is not ready"],
        [
          { disk: { evictionRequested: true } },
          "Longhorn is moving all replicas away from the disk default-disk of harvester-1",
        ],
        [
          { seen: { healthData: { sda: { healthStatus: "FAILED" } } } },
          "the disk default-disk of harvester-1 reports that it is failing",
        ],
        [{ seen: { diskUUID: "other" } }, "Longhorn does not list the disk of this replica on harvester-1"],
      ] as [Change, string][]
    ).map(([change, why]): [string, object[], string] => [
      `has a disk about which Longhorn reports ${JSON.stringify(change)}`,
      [longhornNodeOf("harvester-1", change)],
      why,
    ]),
  ])("if it is detached, and the node with its other replica %s", (_name, others, why) => {
    const cluster = { volumes: detached, replicas: [on(1), on(2)], longhornNodes: others };
    expect(loss(cluster)).toBe(
      `pvc-1 (10 GiB; its healthy replicas are all on harvester-1 and harvester-2, and ${why})`,
    );
  });

  test("if its other replica has no disk yet", () => {
    const other = on(1) as { readonly spec: object };
    const replicas = [{ ...other, spec: { ...other.spec, diskID: "" } }, on(2)];
    expect(loss({ volumes: detached, replicas })).toBe("pvc-1 (10 GiB; its only healthy replica is on harvester-2)");
  });
});

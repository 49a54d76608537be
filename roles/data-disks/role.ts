import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { type Cluster, clusterNodes } from "../cluster/cluster.ts";

/** Keeps one data disk for each node, formatted and mounted; a disk that holds anything is never touched. */
export const dataDisks = role(
  {
    name: "data disks",
    summary: "Partition, format and mount one empty disk for each node",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) =>
    clusterNodes(cluster).map((node) =>
      t.disk({
        device: cluster.disks[node.index - 1] ?? "/dev/none",
        mountPoint: node.mountPoint,
        minimumSizeBytes: node.diskGiB * 2 ** 30,
      }),
    ),
);

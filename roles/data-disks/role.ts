import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { clusterNodes } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { minimumDiskBytes } from "./image-room.ts";
import { labelled } from "./labelled.ts";

/**
 * The SELinux type of directories with disk images. A new file system does not have this type, so QEMU is not allowed
 * to enter it.
 */
const imageType = "virt_image_t";

/** Formats and mounts each node's data disks; never touches a disk that contains anything else. */
export const dataDisks = role(
  {
    name: "data disks",
    summary: "Partition, format and mount the empty disks for the nodes' disk images",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) =>
    clusterNodes(cluster).map((node) => [
      t.disk({
        device: node.device ?? "/dev/none",
        mountPoint: node.mountPoint,
        minimumSizeBytes: minimumDiskBytes(node.diskGiB * 2 ** 30),
      }),
      labelled({ path: node.mountPoint, type: imageType }),
      node.extraDisks.map(({ device, mountPoint, sizeGiB }) => [
        t.disk({ device, mountPoint, minimumSizeBytes: minimumDiskBytes(sizeGiB * 2 ** 30) }),
        labelled({ path: mountPoint, type: imageType }),
      ]),
    ]),
);

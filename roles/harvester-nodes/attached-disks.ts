import { role, task, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { clusterNodes, type ClusterNode, imageAt, type NodeDisk } from "../cluster/nodes.ts";

/** Attaches newly defined extra disks to nodes that are already running. */
export const attachedDisks = role(
  {
    name: "attached disks",
    summary: "Attach to running nodes the extra disks that were added to their definitions",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) => [
    cluster.extraDisks.length === 0 && noExtraDisks({}),
    clusterNodes(cluster).map((node) => node.extraDisks.map((disk, place) => attach(node, disk, place))),
  ],
);

/** Says why no disk is attached. */
const noExtraDisks = task({
  name: "noExtraDisks",
  summary: "Report that no extra disk is listed",
  params: z.strictObject({}),
  examples: [],
  title: () => "no extra disks",
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(() => ["`extraDisks` is empty: list the new disks there, each with its node"]);

function attach({ name }: ClusterNode, disk: NodeDisk, place: number): ReturnType<typeof t.command> {
  const target = `sd${"abcdefghijklmnopqrstuvwxyz"[place] ?? "z"}`;
  const file = imageAt(disk);
  return t.command(
    {
      command: ["sh", "-c", attachScript, "sh", name, file, target, disk.wwn],
      unless: ["sh", "-c", attachedScript, "sh", name, file],
      readOnly: true,
      reads: [`libvirtDomain:${name}`, "libvirt:**", "unit:libvirtd*", "package:libvirt*"],
      disturbs: [`libvirtDomain:${name}`, "libvirt:**"],
    },
    { name: `${file} is attached to ${name}` },
  );
}

/** Succeeds if the disk is attached, or if the guest is shut off: the guest then gets the disk when it starts. */
const attachedScript = `name=$1 file=$2
virsh -q -c qemu:///system list --name | grep -qxF "$name" || exit 0
virsh -q -c qemu:///system domblklist "$name" | grep -qF " $file"`;

/**
 * Attaches a disk. If the guest has no SCSI controller, adds one first, because libvirt would choose a model that does
 * not show the disk's WWN.
 */
const attachScript = `name=$1 file=$2 target=$3 wwn=$4
v() { virsh -q -c qemu:///system "$@"; }
v dumpxml "$name" | grep -q "model='virtio-scsi'" ||
printf '<controller type="scsi" model="virtio-scsi"/>' | v attach-device "$name" /dev/stdin --live || exit
v attach-disk "$name" "$file" "$target" --targetbus scsi --driver qemu --subdriver qcow2 --wwn "$wwn" --live`;

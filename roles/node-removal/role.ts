import { type OrRef, type PinnedKubeconfig, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { clusterNodes, type ClusterNode } from "../cluster/nodes.ts";
import { memoryFolder, removedMarker } from "../cluster/places.ts";
import { noneSaved } from "../harvester-nodes/none-saved.ts";
import { imagesOf } from "../identity/role.ts";
import { deletableImages } from "../identity/deletable-images.ts";
import { kubeconfigPath } from "../kubeconfig/role.ts";
import { maintenanceBegun } from "../maintenance/tasks.ts";
import { alreadyRemoved, removers } from "./already-removed.ts";
import { forgetHostKeys } from "./forget-host-keys.ts";
import { clusterAnswers } from "./cluster-answers.ts";
import { mayLeave } from "./quorum.ts";
import { nodeGone } from "./node-gone.ts";

/**
 * Removes one node from the cluster, with its virtual machine and disk images. A node is removed only once: a marker on
 * the host records the removal, so if a later task fails, the playbook can be rerun. If the cluster has a node that was
 * removed for good, the marker is out of date, and the node is removed like any other.
 */
export const nodeRemoval = role(
  {
    name: "node removal",
    summary: "Remove a node from the cluster and from the host, if the cluster can do without it",
    params: z.strictObject({
      cluster: z.custom<Cluster>(),
      kubeconfig: z.custom<OrRef<PinnedKubeconfig>>(),
      node: z.string(),
      by: z.enum(removers).describe("The playbook, as named in the marker"),
      acceptLoss: z.array(z.string()),
    }),
  },
  ({ cluster, kubeconfig, node, by, acceptLoss }) => {
    const marker = removedMarker(node);
    const removed = alreadyRemoved({ kubeconfig, node, by, marker });
    const when = removed.output.map((found) => !found.removed);
    const images = imagesOf(cluster).filter((image) => image.node === node);
    return [
      removed,
      // The interrupted run may have switched off the node that held the virtual address.
      clusterAnswers({ kubeconfig }, { when: removed.output.map(({ interrupted }) => interrupted) }),
      deletableImages({ images }, { when }),
      noneSaved({ names: [node] }, { when }),
      mayLeave({ kubeconfig, node, acceptLoss }, { when }),
      t.file({ path: memoryFolder, state: "directory", mode: "0755" }),
      maintenanceBegun({ by, node, why: `${node} is being ${verbs[by]}` }, { when }),
      // Disks that a user has attached are kept.
      t.libvirtDomain(
        { name: node, state: "absent", removeDisks: images.map(({ file }) => file), force: true },
        { when },
      ),
      // If someone has undefined the machine in libvirt, its images still exist, and a new node would boot from them.
      images.map(({ file }) => t.file({ path: file, state: "absent" }, { when })),
      // A running node would rejoin the cluster. If the node held the virtual address, another node must first take
      // over that address.
      nodeGone({ kubeconfig, node }, { when, retries: { times: 36, delaySeconds: 5, factor: 1 } }),
      // The keys of the other nodes are removed too, and are stored again at the next login, through the host.
      forgetHostKeys({ node, kubeconfig: kubeconfigPath(cluster) }, { when }),
      t.file({ path: marker, content: `${by}\n` }),
    ];
  },
);

const verbs = { "harvester-remove-node": "removed", "harvester-replace-node": "replaced" };

/** The var that lists what may be lost with a node: individual volumes, images and virtual machines. */
export const acceptLoss = z
  .array(z.string().min(1))
  .default([])
  .describe(
    "Volumes, images and virtual machines that may be lost with the node, listed individually: '[\"pvc-…\"]'; without it, a node whose data is nowhere else is not removed",
  )
  .meta({ perRun: true });

/** Returns the node with a given number; throws RangeError if the vars list no such node. */
export function nodeNumber(cluster: Cluster, number: number): ClusterNode {
  const node = clusterNodes(cluster).find(({ index }) => index === number);
  if (node === undefined && cluster.removedNodes.includes(number))
    throw new RangeError(`removedNodes lists node ${number}; take it out of the list to remove or replace that node`);
  if (node === undefined) throw new RangeError(`the cluster has no node ${number}`);
  return node;
}

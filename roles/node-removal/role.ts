import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { markerThere } from "../cluster/marker-there.ts";
import { clusterNodes, type ClusterNode } from "../cluster/nodes.ts";
import { maintenanceMarker, memoryFolder, removedMarker } from "../cluster/places.ts";
import { kubeconfigPath } from "../kubeconfig/role.ts";
import { mayLeave } from "./quorum.ts";
import { nodeGone } from "./node-gone.ts";

/**
 * Removes one node from the cluster, with its virtual machine and disk images. A node is removed only once: a marker on
 * the host records the removal, so if a later task fails, the playbook can be rerun.
 */
export const nodeRemoval = role(
  {
    name: "node removal",
    summary: "Remove a node from the cluster and from the host, if the cluster can do without it",
    params: z.strictObject({ cluster: z.custom<Cluster>(), node: z.string() }),
  },
  ({ cluster, node }) => {
    const kubeconfig = kubeconfigPath(cluster);
    const removed = markerThere({ path: removedMarker(node) });
    const when = removed.output.map((there) => !there);
    return [
      removed,
      mayLeave({ kubeconfig, node }, { when }),
      t.file({ path: memoryFolder, state: "directory", mode: "0755" }),
      t.file({ path: maintenanceMarker, content: `${node} is being taken away\n` }, { when }),
      t.libvirtDomain({ name: node, state: "absent", removeDisks: true, force: true }, { when }),
      // A running node would rejoin the cluster. If the node held the virtual address, another node must first take
      // over that address.
      nodeGone({ kubeconfig, node }, { when, retries: { times: 36, delaySeconds: 5, factor: 1 } }),
      t.file({ path: removedMarker(node), content: "" }),
    ];
  },
);

/** Returns the node with a given number; throws RangeError if the cluster has no such node. */
export function nodeNumber(cluster: Cluster, number: number): ClusterNode {
  const node = clusterNodes(cluster)[number - 1];
  if (node === undefined) throw new RangeError(`the cluster has no node ${number}`);
  return node;
}

import { type Node, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { clusterNodes, type ClusterNode } from "../cluster/nodes.ts";
import { maintenanceMarker, memoryFolder, powerOrder } from "../cluster/places.ts";
import { nodeReady } from "../cluster-ready/role.ts";
import { domainParams } from "../harvester-nodes/role.ts";
import { kubeconfigPath } from "../kubeconfig/role.ts";
import { noWorkloads } from "./no-workloads.ts";
import { powerOffOrder, recordedOrder } from "./order.ts";

const params = z.strictObject({ cluster: z.custom<Cluster>() });

/**
 * Returns the usual order of shutting down: a witness first, then from the last node to the first, so the first node is
 * also the first to start again.
 */
export function usualOrder(cluster: Cluster): string[] {
  const nodes = clusterNodes(cluster);
  const isWitness = ({ role: own }: ClusterNode): boolean => own === "witness";
  return [...nodes.filter(isWitness), ...nodes.filter((node) => !isWitness(node)).toReversed()].map(({ name }) => name);
}

/** Shuts down the nodes one after another, and records the order. */
export const powerOff = role(
  {
    name: "power off",
    summary: "Switch the nodes off one after another, and record the order",
    params: params.extend({ force: z.boolean() }),
  },
  ({ cluster, force }) => {
    const order = powerOffOrder({ path: powerOrder, names: usualOrder(cluster) });
    return [
      !force && noWorkloads({ kubeconfig: kubeconfigPath(cluster) }),
      t.file({ path: memoryFolder, state: "directory", mode: "0755" }),
      // Create the marker before any node is shut down; otherwise the watchdog would start the node again.
      t.file({ path: maintenanceMarker, content: "the cluster is switched off\n" }),
      order,
      clusterNodes(cluster).map((_, place) =>
        t.libvirtDomain(
          order.output.map((names) => domainParams(cluster, nodeNamed(cluster, names[place]), "shutoff")),
          { name: `node ${place + 1} in shutdown order is off` },
        ),
      ),
    ];
  },
);

/** Starts the nodes again, beginning with the one that was shut down last, and waits for the cluster. */
export const powerOn = role(
  {
    name: "power on",
    summary: "Switch the nodes on in the reverse of the recorded order, and wait until the cluster answers",
    params,
  },
  ({ cluster }) => {
    const order = recordedOrder({ path: powerOrder, names: usualOrder(cluster) });
    const count = cluster.nodes;
    return [
      order,
      clusterNodes(cluster).map((_, place) =>
        t.libvirtDomain(
          order.output.map((names) => domainParams(cluster, nodeNamed(cluster, names[count - 1 - place]), "running")),
          { name: `node ${place + 1} in start order is on` },
        ),
      ),
      clusterNodes(cluster).map((node) => nodeReady(cluster, node)),
      done(),
    ];
  },
);

function done(): Node {
  return [t.file({ path: powerOrder, state: "absent" }), t.file({ path: maintenanceMarker, state: "absent" })];
}

function nodeNamed(cluster: Cluster, name: string | undefined): ClusterNode {
  const nodes = clusterNodes(cluster);
  return nodes.find((node) => node.name === name) ?? (nodes[0] as ClusterNode);
}

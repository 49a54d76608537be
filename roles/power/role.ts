import { block, nested, type Node, type OrRef, type PinnedKubeconfig, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { clusterNodes, type ClusterNode } from "../cluster/nodes.ts";
import { memoryFolder, powerOrder, shutdownChecked, snapshotRecord } from "../cluster/places.ts";
import { nodeReady } from "../cluster-ready/role.ts";
import { sameAnswers } from "../identity/role.ts";
import { nodeHost } from "../kubeconfig/role.ts";
import { maintenanceBegun, maintenanceEnded, maintenanceReadable, maintenanceShown } from "../maintenance/tasks.ts";
import { checkRecorded } from "./checked.ts";
import { etcdSnapshotTaken, snapshotMissing, snapshotShown, snapshotSkipped } from "./etcd-snapshot.ts";
import { noWorkloads, workloadsNotAsked } from "./no-workloads.ts";
import { nodesSwitchable } from "./nodes-switchable.ts";
import { powerOffOrder, recordedOrder } from "./order.ts";
import { snapshotPlanned } from "./snapshot-planned.ts";
import { powerUnfinished } from "./unfinished.ts";

const params = z.strictObject({ cluster: z.custom<Cluster>() });

/**
 * Returns the usual shutdown order: a witness first, then the nodes from last to first, so the first node is also the
 * first to start again.
 */
export function usualOrder(cluster: Cluster): string[] {
  return witnessLast(cluster)
    .toReversed()
    .map(({ name }) => name);
}

function witnessLast(cluster: Cluster): ClusterNode[] {
  const nodes = clusterNodes(cluster);
  const isWitness = ({ role: own }: ClusterNode): boolean => own === "witness";
  return [...nodes.filter((node) => !isWitness(node)), ...nodes.filter(isWitness)];
}

/**
 * Takes an etcd snapshot on the first management node that can be reached, once per shutdown. A witness votes in etcd
 * too, and is tried last, because its disk may be small.
 */
function snapshotBefore(cluster: Cluster, host: string): Node {
  const nodes = witnessLast(cluster);
  const planned = snapshotPlanned({
    nodes: nodes.map(({ name, address }) => ({ name, address })),
    bridge: cluster.network.bridge,
  });
  const taken = nodes.map((node) =>
    nested(
      nodeHost(cluster, node, host),
      [
        etcdSnapshotTaken(
          planned.output.map(({ name }) => ({ name, node: node.name })),
          { name: `etcd snapshot on ${node.name}` },
        ),
      ],
      { when: planned.output.map((plan) => plan.node === node.name) },
    ),
  );
  return [planned, block("etcd snapshot", taken, { rescue: [snapshotMissing({})] })];
}

/**
 * Takes an etcd snapshot, shuts down the nodes one after another, and records the order. Only the nodes' state changes.
 */
export const powerOff = role(
  {
    name: "power off",
    summary: "Take an etcd snapshot, switch off the nodes one after another, and record the order",
    params: params.extend({
      kubeconfig: z.custom<OrRef<PinnedKubeconfig>>(),
      host: z.string().describe("The host through which the nodes are reached"),
      force: z.boolean().describe("Switch off the cluster even if it is in use"),
      powerOff: z.boolean().default(false).describe("Power off a node that does not shut down in time"),
      shutdownSeconds: z.number().positive().default(300).describe("Seconds that each node gets to shut down"),
      skipSnapshot: z.boolean().default(false).describe("Shut down without an etcd snapshot"),
    }),
  },
  ({ cluster, kubeconfig, host, force, powerOff: hard, shutdownSeconds, skipSnapshot }) => {
    const order = powerOffOrder({ path: powerOrder, names: usualOrder(cluster) });
    const record = shutdownChecked;
    const nodes = usualOrder(cluster);
    const idle = noWorkloads({ kubeconfig, nodes, order: powerOrder, record });
    return [
      nodesSwitchable({ names: namesOf(cluster), state: "shutoff", force: hard }),
      maintenanceReadable({}),
      force ? workloadsNotAsked({}) : idle,
      t.file({ path: memoryFolder, state: "directory", mode: "0755" }),
      // After a forced shutdown, an earlier answer from the cluster no longer counts.
      force ? t.file({ path: record, state: "absent" }) : checkRecorded({ path: record, nodes }, { when: idle.output }),
      skipSnapshot ? snapshotSkipped({ nodes: namesOf(cluster) }) : snapshotBefore(cluster, host),
      // Create the marker before any node is shut down; otherwise the watchdog would start the node again.
      maintenanceBegun({ by: "harvester-shutdown", why: "the cluster is shut down" }),
      order,
      block(
        "nodes off",
        clusterNodes(cluster).map((_, place) =>
          t.libvirtPower(
            order.output.map((names) => ({
              name: nodeNamed(cluster, names[place]),
              state: "shutoff" as const,
              shutdownSeconds,
              force: hard,
            })),
            { name: `node ${place + 1} in shutdown order is off` },
          ),
        ),
        { rescue: [powerUnfinished({ names: usualOrder(cluster), state: "shutoff" })] },
      ),
    ];
  },
);

/**
 * Starts the nodes, beginning with the one that was shut down last, and waits for the cluster. Another machine may have
 * taken the cluster's address in the meantime, so the maintenance ends only if this cluster answers.
 */
export const powerOn = role(
  {
    name: "power on",
    summary: "Switch on the nodes in the reverse of the recorded order, and wait until the cluster answers",
    params: params.extend({ publicAddress: z.string() }),
  },
  ({ cluster, publicAddress }) => {
    const order = recordedOrder({ path: powerOrder, names: usualOrder(cluster) });
    const count = namesOf(cluster).length;
    return [
      nodesSwitchable({ names: namesOf(cluster), state: "running" }),
      maintenanceReadable({}),
      // If the cluster does not come back, one of the waits below fails.
      snapshotShown({}),
      order,
      block(
        "nodes on",
        [
          clusterNodes(cluster).map((_, place) =>
            t.libvirtPower(
              order.output.map((names) => ({
                name: nodeNamed(cluster, names[count - 1 - place]),
                state: "running" as const,
              })),
              { name: `node ${place + 1} in start order is on` },
            ),
          ),
          clusterNodes(cluster).map((node) => nodeReady(cluster, node)),
          sameAnswers(cluster, publicAddress),
        ],
        { rescue: [powerUnfinished({ names: usualOrder(cluster).toReversed(), state: "running" })] },
      ),
      t.file({ path: powerOrder, state: "absent" }),
      t.file({ path: shutdownChecked, state: "absent" }),
      t.file({ path: snapshotRecord, state: "absent" }),
      // Without the wait for the nodes, furrow cannot tell which cluster answers.
      cluster.ready === false
        ? maintenanceShown(
            {},
            { name: "the maintenance stays: without `ready`, furrow cannot tell which cluster answers" },
          )
        : maintenanceEnded({}),
    ];
  },
);

function namesOf(cluster: Cluster): string[] {
  return clusterNodes(cluster).map(({ name }) => name);
}

function nodeNamed(cluster: Cluster, name: string | undefined): string {
  const names = namesOf(cluster);
  return names.find((one) => one === name) ?? (names[0] as string);
}

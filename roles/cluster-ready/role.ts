import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { bootLog, clusterNodes, consoleLog, type ClusterNode } from "../cluster/nodes.ts";
import { fetchedStages } from "./fetched.ts";
import { kubeletPort, nodeAnswers } from "./node-answers.ts";

/** Waits until the cluster can be reached from outside: until the controller gets an answer on the host's port. */
export const clusterReady = role(
  {
    name: "cluster ready",
    summary: "Wait until the cluster answers at the host's own address, as seen from the controller",
    params: z.strictObject({ cluster: z.custom<Cluster>(), publicAddress: z.string() }),
  },
  ({ cluster, publicAddress }) => {
    const { ready, exposure } = cluster;
    if (ready === false || exposure === false || !exposure.ports.includes(443)) return [];
    return [
      t.httpWait(
        { url: `https://${publicAddress}/ping`, body: "pong", insecure: true, ...ready },
        { name: `the cluster answers at https://${publicAddress}` },
      ),
    ];
  },
);

/**
 * Waits for one node: the first node must answer on the virtual address; any other node has joined once its kubelet
 * listens.
 */
export function nodeReady(
  cluster: Cluster,
  node: ClusterNode,
  asked: "vip" | "kubelet" = node.index === firstNode(cluster).index ? "vip" : "kubelet",
): ReturnType<typeof nodeAnswers> | undefined {
  const { ready } = cluster;
  if (ready === false) return undefined;
  return nodeAnswers({
    node: { name: node.name, address: node.address },
    asked:
      asked === "vip" ? { url: `https://${cluster.network.vip}/ping` } : { address: node.address, port: kubeletPort },
    stages: fetchedStages(cluster, node),
    log: bootLog,
    console: consoleLog(node),
    ...ready,
    // A single answer is enough: once the port is open, it stays open.
    ...(asked === "kubelet" && { times: 1 }),
  });
}

/** Returns the node that answers queries about the cluster; additional nodes join through it. */
export function firstNode(cluster: Cluster): ClusterNode {
  return clusterNodes(cluster)[0] as ClusterNode;
}

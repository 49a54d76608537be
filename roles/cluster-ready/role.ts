import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { bootLog, clusterNodes, consoleLog, type ClusterNode } from "../cluster/nodes.ts";
import { fetchedStages } from "./fetched.ts";
import { kubeletPort, nodeAnswers } from "./node-answers.ts";

/** Waits until the cluster answers from outside: on the host's port, as seen from the controller. */
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
 * Waits for one node: the first must answer at the virtual address; the others have joined when their kubelet listens.
 */
export function nodeReady(
  cluster: Cluster,
  node: ClusterNode,
  asked: "vip" | "kubelet" = node.index === 1 ? "vip" : "kubelet",
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
    // A port stays open once it has been open.
    ...(asked === "kubelet" && { times: 1 }),
  });
}

/** The node that further nodes join, and that queries about the cluster go to. */
export function firstNode(cluster: Cluster): ClusterNode {
  return clusterNodes(cluster)[0] as ClusterNode;
}

import { kubernetesCall, refuse, task, z } from "../../src/authoring.ts";
import { askCluster, clusterLists, decideOn } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { etcdMembers } from "../cluster-answers/nodes/etcd-members.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";

const params = z.strictObject({
  kubeconfig: pinnedKubeconfig,
  node: z.string().describe("Name of the node"),
});

const workerLabel = "node-role.harvesterhci.io/worker";

/** Returns the path of a node in the cluster's API. */
export function nodePath(name: string): string {
  return `${clusterLists.nodes.path}/${name}`;
}

/** Removes a node from the cluster: cordons it, and deletes it from the cluster and from etcd. */
export const nodeGone = task({
  name: "nodeGone",
  summary: "Remove a node from the cluster",
  params,
  examples: [],
  title: ({ node }) => `${node} is out of the cluster`,
})
  .facts((p) => ({ node: askObject(p.kubeconfig, nodePath(p.node)) }))
  .want((p, { node }) =>
    decideOnObject(node, { kind: "Node", name: p.node }, `whether ${p.node} is in the cluster`, () => ({
      node: { found: false as const },
    })),
  )
  .steps((p, { change }) => [
    change.node &&
      kubernetesCall(p.kubeconfig, "PATCH", nodePath(p.node), `cordon ${p.node}`, { spec: { unschedulable: true } }),
    change.node && kubernetesCall(p.kubeconfig, "DELETE", nodePath(p.node), `delete node ${p.node}`),
  ]);

/** Waits until the cluster lists a node and reports it as ready, and etcd counts its vote if it should have one. */
export const nodeReadyInCluster = task({
  name: "nodeReadyInCluster",
  summary: "Wait until the cluster reports a node as ready, and etcd counts its vote",
  params: params.extend({ deadlineSeconds: z.number().positive() }),
  examples: [],
  title: ({ node }) => `${node} is ready in the cluster`,
})
  .facts((p) => askCluster(p.kubeconfig, "nodes"))
  .want((p, now) =>
    decideOn(now, ["nodes"], `whether ${p.node} is ready`, ({ nodes }) => {
      const why = notReady(p.node, nodes);
      if (why === undefined) return {};
      return refuse({ code: "not-yet", message: `${p.node}: ${why}`, hint: "Check the node's console" });
    }),
  )
  .wait((p) => ({
    intervalSeconds: 5,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `${p.node} to be ready in the cluster`,
  }));

function notReady(node: string, nodes: readonly NodeObject[]): string | undefined {
  const own = nodes.find(({ name }) => name === node);
  if (own === undefined) return "the cluster does not have this node";
  if (!own.ready) return "not ready";
  const member = etcdMembers(nodes).find(({ name }) => name === node);
  if (member !== undefined) return member.why;
  return willVote(own, nodes) ? "Harvester has not made it a voting node yet" : undefined;
}

/**
 * True if Harvester will give a node a vote in etcd: a cluster of three or more nodes has three votes
 * (selectPromoteNode in pkg/controller/master/node/promote_controller.go). If nodes are in zones, the zones decide.
 */
function willVote(own: NodeObject, nodes: readonly NodeObject[]): boolean {
  const voters = nodes.filter(({ votes }) => votes);
  const hasZones = nodes.some(({ labels }) => "topology.kubernetes.io/zone" in labels);
  return nodes.length >= 3 && voters.length < 3 && !hasZones && !(workerLabel in own.labels);
}

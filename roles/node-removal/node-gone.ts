import { kubernetes, kubernetesCall, refuse, task, z } from "../../src/authoring.ts";
import { apiPaths, nodesOf } from "./cluster-objects.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  node: z.string().describe("Name of the node"),
});

/** Removes a node from the cluster: cordons it, and deletes it from the cluster and from etcd. */
export const nodeGone = task({
  name: "nodeGone",
  summary: "Take a node out of the cluster",
  params,
  examples: [],
  title: ({ node }) => `${node} is out of the cluster`,
})
  .facts((p) => ({ node: kubernetes(p.kubeconfig, `${apiPaths.nodes}/${p.node}`) }))
  .want((_p, { node }) => {
    if ("found" in node) return { node: { found: false } };
    return refuse({
      code: "no-cluster",
      message: `the cluster does not answer: ${node.error.message}`,
      hint: "Bring the cluster back up first",
    });
  })
  .steps((p, { change }) => {
    const path = `${apiPaths.nodes}/${p.node}`;
    return [
      change.node && kubernetesCall(p.kubeconfig, "PATCH", path, `cordon ${p.node}`, { spec: { unschedulable: true } }),
      change.node && kubernetesCall(p.kubeconfig, "DELETE", path, `delete node ${p.node}`),
    ];
  });

/** Waits until the cluster knows a node and reports it as ready. */
export const nodeReadyInCluster = task({
  name: "nodeReadyInCluster",
  summary: "Wait until the cluster reports a node as ready",
  params: params.extend({ deadlineSeconds: z.number().positive() }),
  examples: [],
  title: ({ node }) => `${node} is ready in the cluster`,
})
  .facts((p) => ({ nodes: kubernetes(p.kubeconfig, apiPaths.nodes) }))
  .want((p, { nodes }) => {
    const found = nodesOf(nodes).find(({ name }) => name === p.node);
    if (found?.ready === true) return {};
    const why =
      "error" in nodes ? nodes.error.message : found === undefined ? "the cluster has no such node" : "not ready";
    return refuse({ code: "not-yet", message: `${p.node}: ${why}`, hint: "Check the node's console" });
  })
  .wait((p) => ({
    intervalSeconds: 5,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `${p.node} to be ready in the cluster`,
  }));

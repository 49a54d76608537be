import { kubernetes, refuse, task, z } from "../../src/authoring.ts";
import { apiPaths, listed, type NodeObject, nodesOf, runningMachines, volumesThat } from "./cluster-objects.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  node: z.string().describe("Name of the node to remove"),
});

/** Refuses to remove a node that the cluster cannot do without. */
export const mayLeave = task({
  name: "mayLeave",
  summary: "Refuse to remove a node that the cluster cannot do without",
  params,
  examples: [],
  title: ({ node }) => `${node} may leave`,
})
  .facts((p) => ({
    nodes: kubernetes(p.kubeconfig, apiPaths.nodes),
    machines: kubernetes(p.kubeconfig, apiPaths.machines),
    volumes: kubernetes(p.kubeconfig, apiPaths.volumes),
  }))
  .want((p, { nodes, machines, volumes }) => {
    if ("error" in nodes) {
      return refuse({
        code: "no-cluster",
        message: `the cluster does not list its nodes: ${nodes.error.message}`,
        hint: "Bring the cluster back up first: with too few nodes up, none can be replaced",
      });
    }
    const all = nodesOf(nodes);
    const votes = quorumProblem(all, p.node);
    if (votes !== undefined) {
      return refuse({
        code: "quorum",
        message: votes,
        hint: "Bring the other nodes back up first, then replace this one",
      });
    }
    const there = all.find(({ name }) => name === p.node);
    const running = there?.ready === true ? runningMachines(machines, p.node) : [];
    if (running.length > 0) {
      return refuse({
        code: "machines-on-node",
        message: `virtual machines run on ${p.node}: ${listed(running)}`,
        hint: "Move them to another node, or stop them",
      });
    }
    // While replicas are missing, those on this node may be the only ones left.
    const weak = there?.ready === true ? volumesThat(volumes, ({ robustness }) => robustness === "degraded") : [];
    if (weak.length === 0) return {};
    return refuse({
      code: "volumes-degraded",
      message: `volumes lack replicas: ${listed(weak)}`,
      hint: "Wait until Longhorn has rebuilt them",
    });
  })
  .steps(() => []);

/** Says why a node must not leave, according to etcd's rule: more than half of all voting members must be running. */
export function quorumProblem(nodes: readonly NodeObject[], leaving: string): string | undefined {
  const members = nodes.filter(({ votes }) => votes);
  const others = members.filter(({ name }) => name !== leaving);
  if (others.length === 0) return `${leaving} is the only node with the cluster's data`;
  const up = others.filter(({ ready }) => ready);
  const needed = Math.floor(members.length / 2) + 1;
  if (up.length >= needed) return undefined;
  return `without ${leaving} only ${up.length} of ${members.length} voting nodes are up, but ${needed} are needed`;
}

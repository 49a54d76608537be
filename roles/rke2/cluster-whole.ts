import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";
import { etcdMembers } from "../cluster-answers/nodes/etcd-members.ts";

const lists = ["nodes"] as const;

/**
 * Refuses to change a cluster that is not healthy: each host of the inventory must be a Ready node, and each node a
 * host of the inventory. If one node has a problem, restarting another one could cost etcd its quorum.
 */
export const clusterWhole = task({
  name: "clusterWhole",
  summary: "Refuse to change a cluster with nodes that are not Ready, or not in the inventory",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    hosts: z.array(z.string()).describe("Hosts of the inventory"),
    added: z.string().optional().describe("Host that the run adds, which need not be a node yet"),
  }),
  examples: [],
  title: () => "the cluster is complete and healthy",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, "whether the cluster is complete and healthy", ({ nodes }) => {
      const missing = p.hosts.filter((host) => host !== p.added && !nodes.some(({ name }) => name === host));
      const unknown = nodes.filter(({ name }) => !p.hosts.includes(name));
      const members = etcdMembers(nodes).filter(({ name }) => name !== p.added);
      const unready = nodes.filter(({ name, ready }) => !ready && name !== p.added);
      const problems = [
        ...missing.map((name) => `${name} is not a node of the cluster`),
        ...unknown.map(({ name }) => `the node ${name} is not in the inventory`),
        ...unready.map(({ name }) => `the node ${name} is not Ready`),
        ...members.flatMap(({ why }) => why ?? []),
      ];
      if (problems.length === 0) return {};
      return refuse({
        code: "not-whole",
        message: problems.join("; "),
        hint: "Repair these nodes, or correct the inventory; run parvester-status for details",
      });
    }),
  )
  .steps(() => []);

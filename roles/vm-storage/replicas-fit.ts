import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";
import { matchingNodes } from "../vm-networks/matching.ts";

const lists = ["nodes"] as const;

/** Refuses more replicas than the cluster has nodes: all volumes would be degraded. */
export const replicasFit = task({
  name: "replicasFit",
  summary: "Refuse more replicas than nodes",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    what: z.enum(["storage classes", "images"]).describe("What the replicas belong to"),
    replicas: z.record(z.string(), z.number()).describe("Number of replicas by the name of the storage class or image"),
  }),
  examples: [],
  title: ({ what }) => `the cluster has a node for each replica of the ${what}`,
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, "whether there is a node for each replica", ({ nodes }) => {
      // A node that only votes in etcd has no storage.
      const count = matchingNodes(nodes, { nodes: {} }).length;
      const over = Object.entries(p.replicas).filter(([, replicas]) => replicas > count);
      if (over.length === 0) return {};
      return refuse({
        code: "too-many-replicas",
        message: `the cluster has ${count} nodes with storage, but ${over.map(([name, own]) => `${name} needs ${own} replicas`).join(", ")}`,
        hint: "Lower the number of replicas, or add nodes first",
      });
    }),
  )
  .steps(() => []);

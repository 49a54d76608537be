import { z } from "../../src/authoring.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { clusterNodes } from "../cluster/nodes.ts";
import { acceptLoss } from "./role.ts";

/** The vars of the playbooks that remove one node; `meaning` describes the var `node`. */
export const removalSchema = (meaning: string) =>
  clusterSchema
    .safeExtend({ node: z.int().describe(meaning).meta({ perRun: true }), acceptLoss })
    .superRefine((cluster, context) => {
      const numbers = clusterNodes(cluster).map(({ index }) => index);
      if (numbers.includes(cluster.node)) return;
      const others = cluster.removedNodes.includes(cluster.node)
        ? `; removedNodes lists node ${cluster.node}: take it out of the list to remove or replace that node`
        : "";
      const message = `one of the cluster's nodes: ${numbers.join(", ")}${others}`;
      context.addIssue({ code: "custom", path: ["node"], message });
    });

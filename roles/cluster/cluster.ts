import { problemsOfConfig } from "../harvester-config/config.ts";
import { nodeConfig } from "../harvester-config/node-config.ts";
import { clusterFields } from "./cluster-fields.ts";
import { clusterNodes } from "./nodes.ts";
import { releaseOf } from "./releases.ts";

/** The vars of the playbooks for a Harvester cluster that is nested in one host. */
export const clusterSchema = clusterFields.superRefine((cluster, context) => {
  const wrong = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
  if (cluster.witness && cluster.nodes !== 3) wrong("witness", "false, because a witness is the third of 3 nodes");
  const { firmware } = releaseOf(cluster.version);
  if (!firmware.includes(cluster.firmware))
    wrong("firmware", `${firmware.join(" or ")}, because Harvester ${cluster.version} supports no other firmware`);
  if (cluster.ready === false && cluster.nodes > 1)
    wrong("ready", "settings for the wait, because the first node must answer before others can join");
  if (cluster.extraDisks.some(({ node }) => node > cluster.nodes))
    wrong("extraDisks", `nodes from 1 to ${cluster.nodes}`);
  if (cluster.adopted.length > cluster.nodes) wrong("adopted", `at most ${cluster.nodes}, one for each node`);
  if (cluster.artifacts !== undefined && cluster.mirror !== undefined)
    wrong("mirror", "either a mirror or `artifacts`");
  const seen = new Set<string>();
  for (const node of clusterNodes(cluster)) {
    for (const { path, expected } of problemsOfConfig(nodeConfig(cluster, node, "192.0.2.1"))) {
      if (!seen.has(path)) context.addIssue({ code: "custom", path: ["config", path], message: expected });
      seen.add(path);
    }
  }
});

export { artifactNames } from "./releases.ts";
export { baseUrl, type ClusterNode, clusterNodes, documentRoot, nodeSize } from "./nodes.ts";

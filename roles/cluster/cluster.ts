import { secretText } from "../../src/authoring.ts";
import { problemsOfConfig } from "../harvester-config/config-schema.ts";
import { nodeConfig } from "../harvester-config/node-config.ts";
import { problemsOfAddresses } from "./addresses.ts";
import { clusterFields } from "./cluster-fields.ts";
import { missingDisks } from "./enough-disks.ts";
import { clusterNodes } from "./nodes.ts";
import { releaseOf } from "./releases.ts";
import { repeatedDisks } from "./repeated-disks.ts";

/** The vars of the playbooks for a Harvester cluster that is nested in one host. */
export const clusterSchema = clusterFields.superRefine((cluster, context) => {
  const wrong = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
  if (cluster.witness && cluster.nodes !== 3) wrong("witness", "false, because a witness is the third of 3 nodes");
  // If a var itself is wrong, the values that are derived from it must not be reported too.
  const wrongVars = new Set(context.issues.map(({ path }) => path?.[0]));
  const { firmware } = releaseOf(cluster.version);
  if (!wrongVars.has("version") && !firmware.includes(cluster.firmware))
    wrong("firmware", `${firmware.join(" or ")}, because Harvester ${cluster.version} supports no other firmware`);
  if (cluster.ready === false && cluster.nodes > 1)
    wrong("ready", "settings for the wait, because the first node must answer before others can join");
  if (cluster.extraDisks.some(({ node }) => node > cluster.nodes))
    wrong("extraDisks", `nodes from 1 to ${cluster.nodes}`);
  if (clusterNodes(cluster).length === 0 || cluster.removedNodes.some((number) => number > cluster.nodes))
    wrong(
      "removedNodes",
      cluster.nodes === 1
        ? "an empty list, because a cluster of one node cannot do without it"
        : `some of the numbers from 1 to ${cluster.nodes}, but not all`,
    );
  if (cluster.extraDisks.some(({ node }) => cluster.removedNodes.includes(node)))
    wrong("extraDisks", "no disks of nodes in removedNodes");
  if (cluster.adopted.length > cluster.nodes) wrong("adopted", `at most ${cluster.nodes}, one for each node`);
  if (cluster.artifacts !== undefined && cluster.mirror !== undefined)
    wrong("mirror", "either a mirror or `artifacts`");
  if (!wrongVars.has("network") && !wrongVars.has("adopted"))
    for (const { path, message } of problemsOfAddresses(cluster))
      context.addIssue({ code: "custom", path: [...path], message });
  const { ip, method } = cluster.config.install?.management_interface ?? {};
  if (method === "static" && (cluster.nodes > 1 || ip !== clusterNodes(cluster)[0]?.address))
    wrong(
      "config",
      `install.management_interface.method dhcp, or the address ${clusterNodes(cluster)[0]?.address} of a cluster's only node: each node has a reserved address`,
    );
  if (wrongVars.size > 0) return;
  const seen = new Set<string>();
  for (const node of clusterNodes(cluster)) {
    for (const { path, expected } of problemsOfConfig(nodeConfig(cluster, node, "192.0.2.1"))) {
      if (!seen.has(path)) context.addIssue({ code: "custom", path: ["config", path], message: expected });
      seen.add(path);
    }
  }
});

/**
 * The vars of the playbooks that prepare a data disk for each node. The other playbooks work on a cluster that already
 * exists and need no disks, so an operator can inspect it, shut it down or destroy it regardless of `disks`.
 */
export const preparedSchema = clusterSchema.superRefine((cluster, context) => {
  const missing = missingDisks(cluster);
  if (missing !== undefined)
    context.addIssue({ code: "custom", path: ["disks"], message: `a disk for each node: ${missing}` });
  for (const { path, message } of repeatedDisks(cluster))
    context.addIssue({ code: "custom", path: [...path], message });
});

/**
 * The vars of the playbook that deploys a cluster. The other playbooks accept a short password, because existing nodes
 * may have one.
 */
export const deploymentSchema = preparedSchema.safeExtend({
  password: secretText({ atLeast: 8 }).describe(
    "Password of the user rancher on the nodes, of at least 8 characters, or its crypt hash; a secret",
  ),
});

export { artifactNames } from "./releases.ts";
export { baseUrl, bootProgramName, type ClusterNode, clusterNodes, documentRoot, nodeSize, tftpRoot } from "./nodes.ts";

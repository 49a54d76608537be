import { nested, type NewHost, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { nodeKey } from "../cluster/node-key.ts";
import type { ClusterNode } from "../cluster/nodes.ts";
import { firstNode } from "../cluster-ready/role.ts";
import { answersAsRequested } from "../identity/role.ts";
import { nodeKubeconfig } from "./node-kubeconfig.ts";
import { kubeconfigPath } from "./path.ts";
import { sshOpen } from "./ssh-open.ts";

export { kubeconfigPath } from "./path.ts";

/**
 * Copies the cluster's kubeconfig to the controller, where only the owner can read it. Connects to a node through the
 * host, with a key. Then uses the kubeconfig to check that the cluster is the requested one.
 */
export const kubeconfig = role(
  {
    name: "kubeconfig",
    summary:
      "Keep the cluster's kubeconfig on the controller, readable only by its owner, and check that it belongs to the requested cluster",
    params: z.strictObject({ cluster: z.custom<Cluster>(), host: z.string(), publicAddress: z.string() }),
  },
  ({ cluster, host, publicAddress }) => {
    if (cluster.kubeconfig === false || cluster.ready === false) return [];
    const node = firstNode(cluster);
    const reachable = sshOpen({ address: node.address, bridge: cluster.network.bridge });
    return [
      t.waitFor({ port: 22, address: node.address }, { name: `${node.name} accepts logins` }),
      reachable,
      nested(nodeHost(cluster, node, host), [nodeKubeconfig({ to: kubeconfigPath(cluster), publicAddress })], {
        there: reachable.output,
      }),
      answersAsRequested(cluster),
    ];
  },
);

/**
 * Returns the connection to a node: through the host, as the user rancher, who may become root. Tries furrow's own key
 * first, then the keys that are used for the host, then the password: nodes that were installed without furrow's key
 * still accept the login.
 */
export function nodeHost(cluster: Cluster, node: ClusterNode, host: string): NewHost {
  const { identityFile, password = cluster.password } = cluster.kubeconfig === false ? {} : cluster.kubeconfig;
  return {
    name: `${node.name}.${host}`,
    address: node.address,
    via: host,
    user: "rancher",
    identityFile: [nodeKey(cluster).identityFile, ...(identityFile === undefined ? [] : [identityFile])],
    password,
    // A reinstalled node has a new key; the connection goes through the host, whose key is known.
    hostKeyPolicy: "accept-new",
    knownHostsFile: `${kubeconfigPath(cluster)}.known_hosts`,
  };
}

import { nested, type NewHost, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import type { ClusterNode } from "../cluster/nodes.ts";
import { firstNode } from "../cluster-ready/role.ts";
import { sshOpen } from "./ssh-open.ts";

/** Where RKE2 keeps the kubeconfig of its administrator. */
export const rke2Kubeconfig = "/etc/rancher/rke2/rke2.yaml";

/** Brings the cluster's kubeconfig to the controller, over the host and by key, for its owner's eyes only. */
export const kubeconfig = role(
  {
    name: "kubeconfig",
    summary: "Keep the cluster's kubeconfig on the controller, readable by its owner only",
    params: z.strictObject({ cluster: z.custom<Cluster>(), host: z.string(), publicAddress: z.string() }),
  },
  ({ cluster, host, publicAddress }) => {
    if (cluster.kubeconfig === false || cluster.ready === false) return [];
    const node = firstNode(cluster);
    const reachable = sshOpen({ address: node.address, bridge: cluster.network.bridge });
    return [
      t.waitFor({ port: 22, address: node.address }, { name: `${node.name} takes logins` }),
      reachable,
      nested(
        nodeHost(cluster, node, host),
        [
          t.fetch(
            {
              path: rke2Kubeconfig,
              to: kubeconfigPath(cluster),
              through: ["sed", "-e", serverEdit(publicAddress)],
              secret: true,
            },
            { name: `kubeconfig ${kubeconfigPath(cluster)}` },
          ),
        ],
        { there: reachable.output },
      ),
    ];
  },
);

/** Where the kubeconfig is kept on the controller. */
export function kubeconfigPath({ kubeconfig: asked, prefix }: Pick<Cluster, "kubeconfig" | "prefix">): string {
  return (asked !== false && asked.to) || `./${prefix}-kubeconfig.yaml`;
}

/**
 * For sed: the server is the host's public address, and the certificate is still held to a name that is in every node's.
 * RKE2 writes `server: https://127.0.0.1:6443`.
 */
export function serverEdit(publicAddress: string): string {
  const server = publicAddress.includes(":") ? `[${publicAddress}]` : publicAddress;
  return String.raw`s|^\( *\)server: https://.*$|\1server: https://${server}:6443\n\1tls-server-name: kubernetes|`;
}

/** How furrow reaches a node: over the host, as the user rancher, who may become root. */
export function nodeHost(cluster: Cluster, node: ClusterNode, host: string): NewHost {
  const { identityFile, password } = cluster.kubeconfig === false ? {} : cluster.kubeconfig;
  return {
    name: `${node.name}.${host}`,
    address: node.address,
    via: host,
    user: "rancher",
    ...(identityFile !== undefined && { identityFile }),
    ...(password !== undefined && { password }),
    // A node that is installed again has a new key; what stands before it is the host, whose key is known.
    hostKeyPolicy: "accept-new",
    knownHostsFile: `${kubeconfigPath(cluster)}.known_hosts`,
  };
}

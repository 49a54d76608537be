import { generated, mapTexts, sha512Crypt } from "../../src/authoring.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { nodeKey } from "../cluster/node-key.ts";
import { baseUrl, type ClusterNode, eventFolder, installerEvents } from "../cluster/nodes.ts";
import { artifactNames } from "../cluster/releases.ts";
import type { HarvesterConfigInput } from "./config-schema.ts";

const saltAlphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Returns a node's configuration. The first node creates the cluster and the others join it; with `rebuilt`, every node
 * joins the existing cluster. `publicAddress`: the cluster's address as seen from outside, which the certificate must
 * also contain.
 */
export function nodeConfig(
  cluster: Omit<Cluster, "ready">,
  node: ClusterNode,
  publicAddress: string,
  options: { readonly rebuilt?: boolean } = {},
): HarvesterConfigInput {
  const { config, network } = cluster;
  const os = {
    hostname: node.name,
    password: passwordHash(cluster),
    // furrow's own key comes first. With only the user's keys, furrow would find out only after the installation
    // whether it can log in.
    ssh_authorized_keys: [String(nodeKey(cluster).publicKey), ...cluster.sshAuthorizedKeys],
    ntp_servers: cluster.airGap === undefined ? cluster.ntpServers : [network.address],
    ...config.os,
  };
  const replicas = replicaCount(cluster);
  const webhooks = webhooksOf(cluster);
  const { management_interface: managementInterface, harvester, ...others } = config.install ?? {};
  const install = {
    role: node.role,
    management_interface: {
      ...managementInterface,
      interfaces: managementInterface?.interfaces ?? [{ hw_addr: node.mac }],
      method: managementInterface?.method ?? ("dhcp" as const),
      bond_options: managementInterface?.bond_options ?? { mode: "active-backup", miimon: 100 },
    },
    device: "/dev/vda",
    iso_url: `${baseUrl(cluster)}/${artifactNames(cluster.version).iso}`,
    tty: "ttyS0,115200n8",
    ...((replicas !== undefined || harvester !== undefined) && {
      harvester: { ...(replicas !== undefined && { storage_class: { replica_count: replicas } }), ...harvester },
    }),
    ...others,
    ...(webhooks.length > 0 && { webhooks }),
  };
  const shared = {
    scheme_version: 1 as const,
    token: cluster.token,
    sans: [...new Set([publicAddress, ...(config.sans ?? [])])],
    os,
  };
  if (node.index > 1 || options.rebuilt === true) {
    return { ...shared, server_url: `https://${network.vip}:443`, install: { mode: "join", ...install } };
  }
  return {
    ...shared,
    install: { mode: "create", vip: network.vip, vip_mode: "static", ...install },
    ...(config.system_settings !== undefined && { system_settings: config.system_settings }),
  };
}

/**
 * Returns the webhooks: first furrow's, then the user's own. With furrow's webhooks, the installer reports events to
 * the host's web server, whose log identifies the node by its address.
 */
function webhooksOf(cluster: Pick<Cluster, "webhooks" | "config" | "network">): Webhooks {
  const url = `${baseUrl(cluster)}${eventFolder}`;
  const own = installerEvents.map((event) => ({ event, method: "GET" as const, url: `${url}${event}` }));
  return [...(cluster.webhooks ? own : []), ...(cluster.config.install?.webhooks ?? [])];
}

type Webhooks = NonNullable<HarvesterConfigInput["install"]["webhooks"]>;

/**
 * Returns the number of replicas for each volume. One node, or two nodes and a witness, cannot store three replicas of
 * a volume: volumes would stay degraded.
 */
function replicaCount({ nodes, witness }: Pick<Cluster, "nodes" | "witness">): number | undefined {
  if (nodes === 1) return 1;
  return witness ? 2 : undefined;
}

/**
 * Returns the password as a crypt(5) hash, because plain text would stay on the node. The salt is random at first and
 * then stays the same.
 */
export function passwordHash({ password, prefix }: Pick<Cluster, "password" | "prefix">): string {
  const salt = generated(`harvester/${prefix}/password-salt`, { length: 16, alphabet: saltAlphabet });
  return mapTexts([String(password), String(salt)], ([clear, grain]) =>
    /^\$(6|5|1|apr1)\$/.test(clear) ? clear : sha512Crypt(clear, grain),
  );
}

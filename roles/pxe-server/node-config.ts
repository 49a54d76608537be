import { nodeKey } from "../cluster/node-key.ts";
import { eventFolder, installerEvents } from "../cluster/nodes.ts";
import { artifactNames } from "../cluster/releases.ts";
import type { HarvesterConfigInput } from "../harvester-config/config-schema.ts";
import { passwordHash } from "../harvester-config/node-config.ts";
import { createdReport, installedReport, serverUrl } from "./boot-files.ts";
import type { Rack, RackNode } from "./rack-fields.ts";

/**
 * Returns a node's configuration. The first node creates the cluster, unless the cluster is already `created`: in that
 * case, it joins like the others, instead of creating a second cluster.
 */
export function rackConfig(rack: Rack, node: RackNode, created: boolean): HarvesterConfigInput {
  const { config } = rack;
  const creates = node === rack.nodes[0] && !rack.join && !created;
  const { management_interface: common, webhooks: hooks = [], ...others } = config.install ?? {};
  const management = { ...common, ...node.management };
  const isStatic = management.method !== "dhcp";
  const install = {
    role: node.role,
    management_interface: {
      ...(isStatic && { ip: node.address, subnet_mask: maskOf(rack), gateway: rack.router }),
      ...management,
      interfaces: management.interfaces ?? [{ hw_addr: node.mac }],
      bond_options: management.bond_options ?? { mode: "active-backup", miimon: 100 },
      method: isStatic ? ("static" as const) : ("dhcp" as const),
    },
    device: node.device,
    iso_url: `${serverUrl(rack)}/${artifactNames(rack.version).iso}`,
    tty: "ttyS0,115200n8",
    ...(rack.nodes.length === 1 && !rack.join && { harvester: { storage_class: { replica_count: 1 } } }),
    ...others,
    webhooks: [...webhooksOf(rack, node, creates), ...hooks],
  };
  const both = {
    scheme_version: 1 as const,
    token: rack.token,
    ...(config.sans !== undefined && { sans: config.sans }),
    os: {
      hostname: node.name,
      password: passwordHash({ password: rack.password, prefix: rack.name }),
      ssh_authorized_keys: [String(nodeKey({ prefix: rack.name }).publicKey), ...rack.sshAuthorizedKeys],
      ntp_servers: rack.ntpServers,
      ...(rack.dns.length > 0 && { dns_nameservers: rack.dns }),
      ...config.os,
    },
  };
  if (!creates) return { ...both, server_url: `https://${rack.vip}:443`, install: { mode: "join", ...install } };
  return {
    ...both,
    install: { mode: "create", vip: rack.vip, vip_mode: "static", ...install },
    ...(config.system_settings !== undefined && { system_settings: config.system_settings }),
  };
}

type Webhooks = NonNullable<HarvesterConfigInput["install"]["webhooks"]>;

/**
 * Returns the webhooks of an installer. nginx logs each event, and stores two of them: that the node is installed, and
 * that the cluster exists.
 */
function webhooksOf(rack: Rack, node: RackNode, creates: boolean): Webhooks {
  const put = (report: string): Webhooks[number] => ({
    event: "SUCCEEDED",
    method: "PUT",
    url: `${serverUrl(rack)}${report}`,
    payload: "yes",
  });
  return [
    ...installerEvents.map((event) => ({
      event,
      method: "GET" as const,
      url: `${serverUrl(rack)}${eventFolder}${event}`,
    })),
    ...(creates ? [put(createdReport)] : []),
    put(installedReport(node)),
  ];
}

function maskOf({ network }: Pick<Rack, "network">): string {
  const bits = 2 ** 32 - 2 ** (32 - Number(network.split("/")[1]));
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join(".");
}

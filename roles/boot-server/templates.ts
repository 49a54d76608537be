import { artifactNames, baseUrl, type Cluster, type ClusterNode, documentRoot } from "../cluster/cluster.ts";

/** nginx serves one folder on the nodes' network and nothing else: no listing, no other address. */
export function nginxConf({ network }: Cluster, user: string): string {
  return `user ${user};
worker_processes auto;
pid /run/nginx.pid;

events {
  worker_connections 1024;
}

http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log /var/log/nginx/access.log;
  error_log /var/log/nginx/error.log;
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 65;
  server_tokens off;

  server {
    listen ${network.address}:80 default_server;
    server_name _;
    root ${documentRoot};
    autoindex off;
    location ~ /\\. { deny all; }
  }
}
`;
}

/** nginx binds an address that exists only once libvirt has started the network; after a boot it may come too early. */
export const nginxDropIn = `[Unit]
After=libvirtd.service network-online.target

[Service]
Restart=on-failure
RestartSec=5
`;

/** What every node boots first: the script that belongs to its own MAC address. */
export function bootScript(cluster: Cluster): string {
  return `#!ipxe
dhcp
chain ${baseUrl(cluster)}/nodes/\${net0/mac:hexhyp}.ipxe
`;
}

/** Name of a node's own files, by the MAC as iPXE's \`hexhyp\` writes it. */
export function nodeFile(node: ClusterNode, suffix: string): string {
  return `${node.mac.replaceAll(":", "-")}${suffix}`;
}

/** Kernel arguments in the order of Harvester's documentation (PXE boot installation). */
function kernelArguments(cluster: Cluster, node: ClusterNode): string[] {
  const names = artifactNames(cluster.version);
  const base = baseUrl(cluster);
  return [
    `initrd=${names.initrd}`,
    "ip=dhcp",
    "net.ifnames=1",
    "rd.cos.disable",
    "rd.noverifyssl",
    "rd.net.dhcp.retry=3",
    "console=tty1",
    "console=ttyS0,115200",
    `root=live:${base}/${names.rootfs}`,
    "harvester.install.automatic=true",
    `harvester.install.config_url=${base}/nodes/${nodeFile(node, ".yaml")}`,
    ...(cluster.emulation === "software" || typeof cluster.size !== "string"
      ? ["harvester.install.skipchecks=true"]
      : []),
  ];
}

/** A node's own boot script: a node can never boot with another one's configuration. */
export function nodeScript(cluster: Cluster, node: ClusterNode): string {
  const names = artifactNames(cluster.version);
  const base = baseUrl(cluster);
  return `#!ipxe
kernel ${base}/${names.kernel} ${kernelArguments(cluster, node).join(" ")}
initrd ${base}/${names.initrd}
boot
`;
}

/**
 * A node's install configuration (Harvester docs, "Harvester Configuration", scheme version 1). The first node creates
 * the cluster, the others join it. Written as JSON, which every YAML reader takes: secrets are quoted right whatever
 * they hold.
 */
export function nodeConfig(cluster: Cluster, node: ClusterNode): string {
  const first = node.index === 1;
  const config = {
    scheme_version: 1,
    ...(!first && { server_url: `https://${cluster.network.vip}:443` }),
    token: cluster.token,
    os: {
      hostname: node.name,
      password: cluster.password,
      ssh_authorized_keys: cluster.sshAuthorizedKeys,
      ntp_servers: ["0.suse.pool.ntp.org", "1.suse.pool.ntp.org"],
    },
    install: {
      mode: first ? "create" : "join",
      management_interface: {
        interfaces: [{ hwAddr: node.mac }],
        method: "dhcp",
        bond_options: { mode: "active-backup", miimon: 100 },
      },
      device: "/dev/vda",
      iso_url: `${baseUrl(cluster)}/${artifactNames(cluster.version).iso}`,
      tty: "ttyS0,115200n8",
      ...(first && { vip: cluster.network.vip, vip_mode: "static" }),
      // A single node cannot hold three replicas of a volume: they would be degraded for ever.
      ...(cluster.nodes === 1 && { harvester: { storage_class: { replica_count: 1 } } }),
    },
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

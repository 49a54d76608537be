import type { Cluster } from "../cluster/cluster-fields.ts";
import { baseUrl, bootLog, type ClusterNode, documentRoot, eventFolder } from "../cluster/nodes.ts";
import { artifactNames } from "../cluster/releases.ts";

/**
 * nginx's configuration: it serves one directory, without listings, and only on the host's address in the nodes'
 * network.
 */
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
  log_format nodes '$remote_addr $status $body_bytes_sent $uri $msec';
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
    access_log ${bootLog} nodes;
    location ~ /\\. { deny all; }
    location ${eventFolder} { return 204; }
  }
}
`;
}

/**
 * A drop-in for nginx's unit. nginx binds an address that exists only once libvirt's service has started the network,
 * so without the drop-in, nginx could start too early at boot.
 */
export const nginxDropIn = (libvirt: string): string => `[Unit]
After=${libvirt}.service network-online.target

[Service]
Restart=on-failure
RestartSec=5
`;

/** The first script that every node boots; it loads the script for the node's MAC address. */
export function bootScript(cluster: Cluster): string {
  return `#!ipxe
dhcp
chain ${baseUrl(cluster)}/nodes/\${net0/mac:hexhyp}.ipxe
`;
}

/** Returns the name of a node's own file: the node's MAC address as iPXE's `hexhyp` writes it, with a suffix. */
export function nodeFile(node: Pick<ClusterNode, "mac">, suffix: string): string {
  return `${node.mac.replaceAll(":", "-")}${suffix}`;
}

/** The sources from which a machine boots and installs; all boot servers generate their scripts from them. */
export interface Installation {
  readonly version: string;
  /** The base URL of the artifacts. */
  readonly base: string;
  /** The URL of the machine's configuration. */
  readonly config: string;
  /** The network card on which the kernel uses DHCP, if it is not the first one. */
  readonly card?: string | undefined;
  readonly skipChecks: boolean;
}

/** Returns the kernel arguments in the order in which Harvester's documentation lists them (PXE boot installation). */
function kernelArguments({ version, base, config, card, skipChecks }: Installation): string[] {
  const names = artifactNames(version);
  return [
    `initrd=${names.initrd}`,
    card === undefined ? "ip=dhcp" : `ip=${card}:dhcp`,
    "net.ifnames=1",
    "rd.cos.disable",
    "rd.noverifyssl",
    "rd.net.dhcp.retry=3",
    // The installer runs only on the first console, the screen. The kernel writes to both consoles, and the last one is
    // /dev/console, whose output libvirt logs.
    "console=tty1",
    "console=ttyS0,115200",
    `root=live:${base}/${names.rootfs}`,
    "harvester.install.automatic=true",
    `harvester.install.config_url=${config}`,
    ...(skipChecks ? ["harvester.install.skipchecks=true"] : []),
  ];
}

/** Returns the script with which iPXE starts a machine's installation. */
export function installScript(installation: Installation): string {
  const { version, base } = installation;
  const names = artifactNames(version);
  return `#!ipxe
kernel ${base}/${names.kernel} ${kernelArguments(installation).join(" ")}
initrd ${base}/${names.initrd}
boot
`;
}

/** Returns a node's own boot script. Each node has its own, so it can never boot with another node's configuration. */
export function nodeScript(cluster: Cluster, node: ClusterNode): string {
  const base = baseUrl(cluster);
  const config = `${base}/nodes/${nodeFile(node, ".yaml")}`;
  // One of the installer's checks refuses every virtual machine, regardless of its size.
  return installScript({ version: cluster.version, base, config, skipChecks: true });
}

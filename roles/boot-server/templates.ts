import type { Cluster } from "../cluster/cluster-fields.ts";
import { baseUrl, bootLog, type ClusterNode, documentRoot, eventFolder } from "../cluster/nodes.ts";
import { artifactNames } from "../cluster/releases.ts";

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

/** nginx binds an address that exists only once libvirt, by its service, has started the network; after a boot it may come too early. */
export const nginxDropIn = (libvirt: string): string => `[Unit]
After=${libvirt}.service network-online.target

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
    // One of the installer's checks is that it runs on no virtual machine, whatever its size.
    "harvester.install.skipchecks=true",
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

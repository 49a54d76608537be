import { ipv4Number } from "../../src/facts/catalogue.ts";
import type { Cluster } from "./cluster-fields.ts";
import { toAddress } from "./ipv4.ts";

/** Sizes of a nested node, with upstream's names. */
const sizes = {
  small: { processors: 8, memoryMiB: 32_768, diskGiB: 315 },
  medium: { processors: 16, memoryMiB: 65_536, diskGiB: 315 },
} as const;

/** The size of a node. */
export interface NodeSize {
  readonly processors: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
}

/** One more disk of a node, on its own disk of the host. */
export interface NodeDisk {
  /** Disk on the host. */
  readonly device: string;
  readonly mountPoint: string;
  readonly sizeGiB: number;
  /** World wide name, derived from node and position, so that it stays the same. */
  readonly wwn: string;
}

/** One nested node, with all names and numbers computed. */
export interface ClusterNode extends NodeSize {
  /** From 1. */
  readonly index: number;
  readonly name: string;
  readonly mac: string;
  readonly address: string;
  /** Its data disk on the host; undefined if too few are given. */
  readonly device: string | undefined;
  /** Mount point of its data disk on the host. */
  readonly mountPoint: string;
  /** `witness`: it votes, and runs no workloads. */
  readonly role: "default" | "witness";
  readonly extraDisks: readonly NodeDisk[];
}

/** The part of a cluster that determines its nodes. */
export type Numbered = Pick<
  Cluster,
  "nodes" | "size" | "prefix" | "network" | "disks" | "extraDisks" | "witness" | "adopted"
>;

/** The size of each node. Five nodes are always small: no host is large enough for five medium ones. */
export function nodeSize({ size, nodes }: Pick<Cluster, "size" | "nodes">): NodeSize {
  if (typeof size !== "string") return size;
  return nodes === 5 ? sizes.small : sizes[size];
}

/** The nodes of a cluster. MAC addresses are fixed, so that DHCP reservations and boot files match each node. */
export function clusterNodes(cluster: Numbered): ClusterNode[] {
  const first = ipv4Number(cluster.network.firstNode) ?? 0;
  return Array.from({ length: cluster.nodes }, (_, position) => {
    const index = position + 1;
    return {
      index,
      name: `${cluster.prefix}-${index}`,
      mac: cluster.adopted[position]?.mac ?? `52:54:00:68:76:${index.toString(16).padStart(2, "0")}`,
      address: cluster.adopted[position]?.address ?? toAddress(first + position),
      device: cluster.disks[position],
      mountPoint: `/mnt/datadisk${index}`,
      role: cluster.witness && index === 3 ? "witness" : "default",
      extraDisks: extraDisksOf(cluster, index),
      ...nodeSize(cluster),
    };
  });
}

function extraDisksOf({ extraDisks }: Numbered, index: number): NodeDisk[] {
  return extraDisks
    .filter(({ node }) => node === index)
    .map(({ device, sizeGiB }, position) => ({
      device,
      mountPoint: `/mnt/datadisk${index}-${position + 2}`,
      sizeGiB,
      wwn: `5000c500156876${index.toString(16)}${(position + 2).toString(16)}`,
    }));
}

/** Directory on the host that nginx serves to the nodes. */
export const documentRoot = "/srv/www/harvester";

/** Events that Harvester's installer reports (Harvester docs, `install.webhooks`). */
export const installerEvents = ["STARTED", "SUCCEEDED", "FAILED"] as const;

/** Path below which installers report to nginx; the event follows. */
export const eventFolder = "/installer/";

/** nginx's log of the nodes' requests and their installers' events. */
export const bootLog = "/var/log/nginx/harvester.log";

/** File on the host with a node's console output. */
export function consoleLog(node: Pick<ClusterNode, "name">): string {
  return `/var/log/libvirt/qemu/${node.name}-serial.log`;
}

/** Base URL of the host for the nodes. */
export function baseUrl({ network }: Pick<Cluster, "network">): string {
  return `http://${network.address}`;
}

import { ipv4Number } from "../../src/facts/catalogue.ts";
import type { Cluster } from "./cluster-fields.ts";
import { toAddress } from "./ipv4.ts";

/** Sizes of a nested node as upstream names them. */
const sizes = {
  small: { processors: 8, memoryMiB: 32_768, diskGiB: 315 },
  medium: { processors: 16, memoryMiB: 65_536, diskGiB: 315 },
} as const;

/** What makes a node's size. */
export interface NodeSize {
  readonly processors: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
}

/** One more disk of a node, on a disk of the host of its own. */
export interface NodeDisk {
  /** Disk of the host. */
  readonly device: string;
  readonly mountPoint: string;
  readonly sizeGiB: number;
  /** World wide name, made from node and position, so that it is the same ever after. */
  readonly wwn: string;
}

/** One nested node, every name and number worked out. */
export interface ClusterNode extends NodeSize {
  /** From 1. */
  readonly index: number;
  readonly name: string;
  readonly mac: string;
  readonly address: string;
  /** Its data disk on the host; undefined where too few are given. */
  readonly device: string | undefined;
  /** Mount point of its data disk on the host. */
  readonly mountPoint: string;
  /** `witness`: it votes, and runs nothing. */
  readonly role: "default" | "witness";
  readonly extraDisks: readonly NodeDisk[];
}

/** The part of a cluster that its nodes follow from. */
export type Numbered = Pick<
  Cluster,
  "nodes" | "size" | "prefix" | "network" | "disks" | "extraDisks" | "witness" | "adopted"
>;

/** The size of each node. Five nodes are always small: a host for five larger ones is not to be had. */
export function nodeSize({ size, nodes }: Pick<Cluster, "size" | "nodes">): NodeSize {
  if (typeof size !== "string") return size;
  return nodes === 5 ? sizes.small : sizes[size];
}

/** The nodes of a cluster. MAC addresses are fixed, so that DHCP reservations and boot files know each node. */
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

/** Folder of the host that nginx serves to the nodes. */
export const documentRoot = "/srv/www/harvester";

/** What Harvester's installer tells (Harvester docs, `install.webhooks`). */
export const installerEvents = ["STARTED", "SUCCEEDED", "FAILED"] as const;

/** Path below which nodes tell nginx what their installers do; the event follows. */
export const eventFolder = "/installer/";

/** Where nginx notes what nodes have fetched, and what their installers tell. */
export const bootLog = "/var/log/nginx/harvester.log";

/** Where a node's console is kept on the host. */
export function consoleLog(node: Pick<ClusterNode, "name">): string {
  return `/var/log/libvirt/qemu/${node.name}-serial.log`;
}

/** Where nodes reach the host by HTTP. */
export function baseUrl({ network }: Pick<Cluster, "network">): string {
  return `http://${network.address}`;
}

import { ipv4Number } from "../../src/facts/catalogue.ts";
import type { Cluster } from "./cluster-fields.ts";
import { toAddress } from "./ipv4.ts";

/** The sizes of a nested node, by the names that upstream uses. */
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

/** An additional disk for a node, backed by a separate disk on the host. */
export interface NodeDisk {
  /** The disk on the host. */
  readonly device: string;
  readonly mountPoint: string;
  readonly sizeGiB: number;
  /**
   * The World Wide Name (WWN) of the disk. It is derived from the node and the disk's position, so it stays the same.
   */
  readonly wwn: string;
}

/** One nested node, with all its names and numbers. */
export interface ClusterNode extends NodeSize {
  /** The number of the node, from 1. */
  readonly index: number;
  readonly name: string;
  readonly mac: string;
  readonly address: string;
  /** The node's data disk on the host; undefined if too few disks are given. */
  readonly device: string | undefined;
  /** The mount point, on the host, of the node's data disk. */
  readonly mountPoint: string;
  /** A `witness` votes but does not run workloads. */
  readonly role: "default" | "witness";
  readonly extraDisks: readonly NodeDisk[];
}

/** The vars of a cluster that determine its nodes. */
export type Numbered = Pick<
  Cluster,
  "nodes" | "removedNodes" | "size" | "prefix" | "network" | "disks" | "extraDisks" | "witness" | "adopted"
>;

/** Returns the size of each node. Five nodes are always small, because no host is large enough for five medium ones. */
export function nodeSize({ size, nodes }: Pick<Cluster, "size" | "nodes">): NodeSize {
  if (typeof size !== "string") return size;
  return nodes === 5 ? sizes.small : sizes[size];
}

/**
 * Returns the nodes of a cluster, without removed ones. MAC addresses are fixed, so the DHCP reservations and boot
 * files always match the nodes.
 */
export function clusterNodes(cluster: Numbered): ClusterNode[] {
  const first = ipv4Number(cluster.network.firstNode) ?? 0;
  const all = Array.from({ length: cluster.nodes }, (_, position): ClusterNode => {
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
  return all.filter(({ index }) => !cluster.removedNodes.includes(index));
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

/** Returns the path of the image on the host for a disk of a node. */
export function imageAt({ mountPoint }: Pick<NodeDisk, "mountPoint">): string {
  return `${mountPoint}/harvester-data.qcow2`;
}

/** True for the path of an image that furrow creates for a node, in this cluster or in another one. */
export function isNodeImage(path: string): boolean {
  return /^\/mnt\/datadisk\d+(-\d+)?\/harvester-data\.qcow2$/.test(path);
}

/** The directory on the host that nginx serves to the nodes. */
export const documentRoot = "/srv/www/harvester";

/**
 * The directory on the host from which UEFI firmware loads iPXE over TFTP. AppArmor's profile for dnsmasq allows this
 * directory on every distribution.
 */
export const tftpRoot = "/srv/tftpboot/harvester";

/** The name of iPXE's UEFI program in the TFTP directory. */
export const bootProgramName = "ipxe.efi";

/** The events that Harvester's installer reports (Harvester docs, `install.webhooks`). */
export const installerEvents = ["STARTED", "SUCCEEDED", "FAILED"] as const;

/** The URL path to which installers send their reports; the name of the event is appended. */
export const eventFolder = "/installer/";

/** nginx's log of the nodes' requests and of the events that their installers report. */
export const bootLog = "/var/log/nginx/harvester.log";

/** Returns the path of the file on the host that contains a node's console output. */
export function consoleLog(node: Pick<ClusterNode, "name">): string {
  return `/var/log/libvirt/qemu/${node.name}-serial.log`;
}

/** Returns the base URL at which the nodes reach the host. */
export function baseUrl({ network }: Pick<Cluster, "network">): string {
  return `http://${network.address}`;
}

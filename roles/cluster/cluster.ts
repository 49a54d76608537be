import { absolutePath, ipv4Number, secretText, z } from "../../src/authoring.ts";
import { isInside, subnetAround, toAddress } from "./ipv4.ts";

/** Sizes of a nested node as upstream names them. */
export const sizes = {
  small: { processors: 8, memoryMiB: 32_768, diskGiB: 315 },
  medium: { processors: 16, memoryMiB: 65_536, diskGiB: 315 },
} as const;

const address = (): z.ZodType<string, string> =>
  z.string().refine((value) => ipv4Number(value) !== undefined, "an IPv4 address, like 192.168.130.1");

const network = z
  .strictObject({
    name: z.string().default("vlan1").describe("Name of the libvirt network"),
    bridge: z.string().max(15).default("virbr1").describe("Name of its bridge"),
    address: address()
      .default("192.168.130.1")
      .describe("The host's own address in it; DNS, DHCP and HTTP answer there"),
    prefix: z.int().min(16).max(29).default(24).describe("Length of its prefix"),
    vip: address().default("192.168.130.120").describe("The cluster's virtual address"),
    firstNode: address().default("192.168.130.11").describe("Address of the first node; the others follow"),
  })
  .superRefine((value, context) => {
    const subnet = subnetAround(value.address, value.prefix);
    for (const key of ["vip", "firstNode"] as const) {
      if (isInside(value[key], subnet) && value[key] !== value.address) continue;
      context.addIssue({
        code: "custom",
        path: [key],
        message: `an address in ${toAddress(subnet.first)}/${value.prefix} that is not the host's own`,
      });
    }
  });

const artifact = z.strictObject({
  url: z.url().describe("Where it comes from"),
  checksum: z.string().optional().describe('"sha512:…" or "sha256:…"; default: looked up in `checksums`'),
});

const hasChecksum = ({ checksum }: z.output<typeof artifact>): boolean => checksum !== undefined;

/** What a Harvester cluster nested in one host is made of: the vars of the playbook. */
export const clusterSchema = z.strictObject({
  version: z
    .string()
    .regex(/^v\d+\.\d+\.\d+/, "a Harvester version, like v1.8.1")
    .default("v1.8.1")
    .describe("Harvester version"),
  prefix: z
    .string()
    .regex(/^[a-z]([a-z0-9-]{0,40}[a-z0-9])?$/, "lower-case letters, digits and hyphens (RFC 1123)")
    .default("harvester")
    .describe("Nodes are named <prefix>-1, <prefix>-2, …"),
  nodes: z.literal([1, 3, 5], "1, 3 or 5").default(1).describe("Number of nodes: 1, 3 or 5"),
  size: z
    .union([
      z.enum(["small", "medium"]),
      z.strictObject({ processors: z.int().min(1), memoryMiB: z.int().min(256), diskGiB: z.int().min(1) }),
    ])
    .default("small")
    .describe("Size of a node: small, medium, or processors, memoryMiB and diskGiB"),
  emulation: z
    .enum(["kvm", "software"])
    .default("kvm")
    .describe("How nodes run: kvm, or slow software emulation, which must be asked for"),
  firmware: z
    .enum(["bios", "uefi"])
    .default("uefi")
    .describe("Firmware of the nodes; Harvester needs uefi from v1.8 on"),
  disks: z.array(absolutePath()).min(1).describe("Data disks of the host, one for each node, by stable path"),
  network: network.prefault({}).describe("The nodes' network on the host"),
  token: secretText().describe("Token with which nodes join; a secret"),
  password: secretText().describe("Password, or its crypt hash, of the nodes' user rancher; a secret"),
  sshAuthorizedKeys: z.array(z.string()).default([]).describe("Public keys that may log in to the nodes"),
  artifacts: z
    .strictObject({
      kernel: artifact,
      initrd: artifact,
      rootfs: artifact,
      iso: artifact,
      checksums: z.url().optional(),
    })
    .refine(({ checksums, ...parts }) => checksums !== undefined || Object.values(parts).every(hasChecksum), {
      message: "a checksum for each artifact, or `checksums`, the URL of a list of them",
    })
    .optional()
    .describe("Where the boot artifacts come from; default: the release's own servers and checksum list"),
});

/** A cluster as the roles see it. */
export type Cluster = z.output<typeof clusterSchema>;

/** One nested node, every name and number worked out. */
export interface ClusterNode {
  /** From 1. */
  readonly index: number;
  readonly name: string;
  readonly mac: string;
  readonly address: string;
  /** Mount point of its data disk on the host. */
  readonly mountPoint: string;
  readonly processors: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
}

/** The size of each node. */
export function nodeSize({ size }: Cluster): { processors: number; memoryMiB: number; diskGiB: number } {
  return typeof size === "string" ? sizes[size] : size;
}

/** The nodes of a cluster. MAC addresses are fixed, so that DHCP reservations and boot files know each node. */
export function clusterNodes(cluster: Cluster): ClusterNode[] {
  const first = ipv4Number(cluster.network.firstNode) ?? 0;
  return Array.from({ length: cluster.nodes }, (_, position) => {
    const index = position + 1;
    return {
      index,
      name: `${cluster.prefix}-${index}`,
      mac: `52:54:00:68:76:${index.toString(16).padStart(2, "0")}`,
      address: toAddress(first + position),
      mountPoint: `/mnt/datadisk${index}`,
      ...nodeSize(cluster),
    };
  });
}

/** Folder of the host that nginx serves to the nodes. */
export const documentRoot = "/srv/www/harvester";

/** Where nodes reach the host by HTTP. */
export function baseUrl({ network: { address: own } }: Cluster): string {
  return `http://${own}`;
}

/** File names of the boot artifacts, as upstream names them. */
export function artifactNames(version: string): { kernel: string; initrd: string; rootfs: string; iso: string } {
  return {
    kernel: `harvester-${version}-vmlinuz-amd64`,
    initrd: `harvester-${version}-initrd-amd64`,
    rootfs: `harvester-${version}-rootfs-amd64.squashfs`,
    iso: `harvester-${version}-amd64.iso`,
  };
}

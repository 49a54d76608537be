import { absolutePath, seconds, secretText, z } from "../../src/authoring.ts";
import { installOptions } from "../harvester-config/install-part.ts";
import { osOptions } from "../harvester-config/os-part.ts";
import { spelled } from "../harvester-config/spelling.ts";
import { authorizedKey } from "./authorized-key.ts";
import { ownInstallKeys, ownKeys, ownOsKeys } from "./own-keys.ts";
import { publicAddress } from "./public-address.ts";
import { network } from "./network.ts";
import { releaseName } from "./releases.ts";
import { adoptedNode, airGap, exposure, extraDisk, kubeconfig, rancher, ready } from "./options.ts";

const artifact = z.strictObject({
  url: z.url().describe("URL of the artifact"),
  checksum: z.string().optional().describe('"sha512:…" or "sha256:…"; default: looked up in `checksums`'),
});

const hasChecksum = ({ checksum }: z.output<typeof artifact>): boolean => checksum !== undefined;

const artifacts = z
  .strictObject({
    kernel: artifact,
    initrd: artifact,
    rootfs: artifact,
    iso: artifact,
    checksums: z.url().optional(),
  })
  .refine(({ checksums, ...parts }) => checksums !== undefined || Object.values(parts).every(hasChecksum), {
    message: "a checksum for each artifact, or `checksums`, the URL of a checksum list",
  });

const size = z.union([
  z.enum(["small", "medium"]),
  z.strictObject({ processors: z.int().min(1), memoryMiB: z.int().min(256), diskGiB: z.int().min(1) }),
]);

/** libvirt's configuration contains the password in double quotes, where libvirt cannot read these characters. */
const vncPassword = () =>
  secretText({
    matches: {
      pattern: /^[^"\\\p{Cc}]*$/u,
      expected: "a password without double quotes, backslashes or control characters",
    },
  }).optional();

/** The name of a Harvester release. */
export const version = z.string().regex(releaseName, "a Harvester version, like v1.8.1 or v1.9.0-rc1");

/** The vars of a cluster, without the rules that involve several vars. */
export const clusterFields = z.strictObject({
  version: version.default("v1.8.1").describe("Harvester version"),
  prefix: z
    .string()
    .regex(/^[a-z]([a-z0-9-]{0,40}[a-z0-9])?$/, "lower-case letters, digits and hyphens (RFC 1123)")
    .default("harvester")
    .describe("Nodes are named <prefix>-1, <prefix>-2, …"),
  nodes: z
    .literal([1, 3, 5], "1, 3 or 5 (list removed nodes in `removedNodes`)")
    .default(1)
    .describe("Number of nodes: 1, 3 or 5, including those in removedNodes"),
  removedNodes: z
    .array(z.int().min(1))
    .default([])
    .describe("Numbers of nodes that harvester-remove-node has removed, such as [3]"),
  witness: z
    .boolean()
    .default(false)
    .describe("Make the third of three nodes a witness, which only votes and runs no virtual machines"),
  size: size
    .default("small")
    .describe("Size of a node: small, medium, or processors, memoryMiB and diskGiB; five nodes are always small"),
  emulation: z
    .enum(["kvm", "software"])
    .default("kvm")
    .describe("How nodes run: with KVM, or with slow software emulation"),
  firmware: z.enum(["bios", "uefi"]).default("uefi").describe("Firmware of the nodes; bios only before Harvester v1.8"),
  disks: z.array(absolutePath()).min(1).describe("The host's data disks, one for each node, by stable path"),
  extraDisks: z.array(extraDisk).default([]).describe("More data disks, each for one node"),
  diskDeadlineSeconds: seconds().default(90).describe("Seconds to wait for the disks to appear after a boot"),
  adopted: z
    .array(adoptedNode)
    .default([])
    .describe(
      "Nodes that the original shell scripts created, in order from the first; they keep the addresses listed here",
    ),
  network: network.prefault({}).describe("The nodes' network on the host"),
  token: secretText().describe("Token that nodes use to join; a secret"),
  password: secretText().describe("Password of the user rancher on the nodes, or its crypt hash; a secret"),
  sshAuthorizedKeys: z
    .array(authorizedKey)
    .default([])
    .describe("Public keys that may log in to the nodes, in addition to furrow's own"),
  ntpServers: z
    .array(z.string().min(1))
    .default(["0.suse.pool.ntp.org", "1.suse.pool.ntp.org"])
    .describe("The nodes' time servers; in an air gap, the host is the only one"),
  mirror: z
    .string()
    .regex(/^https?:\/\//, "a URL for the artifacts, like http://mirror.example.com/harvester/{version}")
    .optional()
    .describe("URL of a server with the layout of the official one; {version} stands for the version"),
  artifacts: artifacts.optional().describe("Source of each boot artifact, if no server has the official layout"),
  config: spelled(
    {
      sans: z.array(z.string().min(1)).optional(),
      os: spelled(osOptions, { refused: ownOsKeys }).optional(),
      install: spelled(installOptions, { refused: ownInstallKeys }).optional(),
      system_settings: z.record(z.string(), z.string()).optional(),
    },
    { refused: ownKeys },
  )
    .default({})
    .describe("Additional Harvester configuration for every node (same keys as in Harvester's docs)"),
  vncPassword: vncPassword().describe(
    "VNC password for the nodes' screens, which listen only on the host's loopback. VNC uses only the first 8 characters, and a node takes a new password at its next start; default: a random one; /etc/furrow-vnc-password on the host contains it",
  ),
  webhooks: z
    .boolean()
    .default(true)
    .describe("Let installers report to the host, so that a failed installation ends the wait for its node"),
  watchdog: z.boolean().default(true).describe("Every two minutes, start the nodes that went down"),
  publicAddress: publicAddress().optional().describe("Address of the cluster; default: the host's address"),
  exposure: exposure.or(z.literal(false)).prefault({}).describe("Host ports that are forwarded to the cluster"),
  openFirewall: z
    .boolean()
    .default(true)
    .describe("Open the ports for the nodes and the exposed ports in firewalld, on hosts where it runs"),
  ready: ready
    .or(z.literal(false))
    .prefault({})
    .describe("How to wait for the cluster to answer; false skips the wait, which is possible only with one node"),
  kubeconfig: kubeconfig.or(z.literal(false)).prefault({}).describe("The copy of the kubeconfig on the controller"),
  airGap: airGap.optional().describe("If given, even as {}, nodes cannot reach anything outside their network"),
  rancher: rancher.optional().describe("Rancher server that manages the cluster"),
});

/** A cluster in the form that the roles receive. */
export type Cluster = z.output<typeof clusterFields>;

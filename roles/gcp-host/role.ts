import { type OrRef, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { ports, stepOf } from "../cloud-host/sizes.ts";
import { hostVars } from "../cloud-host/vars.ts";

/**
 * Machine types that support nested virtualization, in order of size: N4 has Intel processors
 * (https://cloud.google.com/compute/docs/instances/nested-virtualization/overview).
 */
export const ladder = ["n4-standard-16", "n4-standard-32", "n4-standard-64"] as const;

/** The number of nodes in the largest cluster, which is also the number of data disks. */
const mostDisks = 5;

/** The default zone of a machine. */
export const defaultZone = "europe-west3-a";

/** The vars of a cluster's host on Google Compute Engine. */
export const gcpHostSchema = z.object({
  ...hostVars,
  project: z.string().describe("Id of the project; not its title or number"),
  zone: z.string().default(defaultZone).describe("Zone of the machine and its disks"),
  image: z
    .strictObject({ project: z.string(), family: z.string() })
    .default({ project: "debian-cloud", family: "debian-12" })
    .describe("Image family; its guest agent publishes the host keys and installs the login key"),
  login: z.string().default("furrow").describe("Login user, which the guest agent creates; not used with OS Login"),
  osLogin: z
    .boolean()
    .optional()
    .describe("Whether OS Login decides who may log in; default: as the project or the organization says"),
  osLoginAccount: z
    .string()
    .optional()
    .describe("Account that logs in with OS Login; default: the account of the credentials"),
  subnetCidr: z
    .string()
    .optional()
    .describe("Range of a subnetwork of its own, like 10.20.0.0/24; default: the network's automatic subnetworks"),
  diskType: z.string().default("hyperdisk-balanced").describe("Type of all disks"),
});

type GcpHost = z.output<typeof gcpHostSchema>;

/** The name of the machine's own subnetwork. An automatic subnetwork has the name of its network. */
const subnetName = (prefix: string): string => `${prefix}-own`;

/** The network of the machine, with automatic subnetworks or one of its own. */
function networkOf({ project, prefix: name, zone, subnetCidr: cidr }: GcpHost) {
  const shared = { project, owner: name };
  if (cidr === undefined) return { tasks: [t.gceNetwork({ ...shared, name })], subnetwork: undefined };
  const subnetwork = subnetName(name);
  return {
    tasks: [
      t.gceNetwork({ ...shared, name, subnets: "custom" }),
      t.gceSubnetwork({ ...shared, name: subnetwork, region: regionOf(zone), network: name, cidr }),
    ],
    subnetwork,
  };
}

/**
 * Maintains a Compute Engine machine for a cluster: network, firewall, data disks and address, all with the same
 * prefix.
 */
export function gcpHost(host: GcpHost, manageFrom: readonly OrRef<string>[]) {
  const { project, zone, prefix: name, login, publicKey } = host;
  const labels = { "made-by": "furrow", prefix: name, login };
  const shared = { project, owner: name };
  const disks = diskNames(name).slice(0, host.nodes);
  const tcp = (numbers: readonly number[]): string[] => numbers.map((port) => `tcp:${port}`);
  const rule = { ...shared, network: name, targetTags: [name] };
  const network = networkOf(host);
  const address = t.gceAddress({ ...shared, name, region: regionOf(zone) });
  const key = publicKey.trim();
  const access = t.gceOsLogin({ name, project, zone, key, account: host.osLoginAccount, enabled: host.osLogin });
  return [
    access,
    network.tasks,
    t.gceFirewall({ ...rule, name: `${name}-open`, allow: tcp(ports.open), sourceRanges: ["0.0.0.0/0"] }),
    t.gceFirewall({ ...rule, name: `${name}-managed`, allow: tcp(ports.managed), sourceRanges: [...manageFrom] }),
    address,
    disks.map((disk) =>
      t.gceDisk({ ...shared, name: disk, zone, sizeGb: host.dataDiskGb, type: host.diskType, labels }),
    ),
    t.gceInstance({
      ...shared,
      name,
      zone,
      machineType: host.type ?? ladder[stepOf(host)],
      image: host.image,
      bootDisk: { sizeGb: host.rootDiskGb, type: host.diskType },
      disks,
      network: name,
      subnetwork: network.subnetwork,
      address: { name },
      nested: true,
      spot: host.spot,
      tags: [name],
      labels,
      metadata: access.output.map(({ metadata }) => metadata),
      sshKeys: access.output.map(({ on }) => (on ? [] : [{ user: login, key }])),
    }),
    t.waitFor({ port: 22, address: address.output.map((made) => made.address), deadlineSeconds: 600 }),
  ];
}

/** The properties of a host that must be known in order to delete it. */
export interface GcpHostGone {
  readonly project: string;
  readonly zone: string;
  readonly prefix: string;
}

/** Deletes the machine and everything that belongs to it, including the data disks with their data. */
export function gcpHostGone({ project, zone, prefix: name }: GcpHostGone) {
  const gone = { project, owner: name, state: "absent" as const };
  return [
    t.gceInstance({ ...gone, name, zone }),
    diskNames(name).map((disk) => t.gceDisk({ ...gone, name: disk, zone })),
    t.gceAddress({ ...gone, name, region: regionOf(zone) }),
    t.gceFirewall({ ...gone, name: `${name}-managed` }),
    t.gceFirewall({ ...gone, name: `${name}-open` }),
    t.gceSubnetwork({ ...gone, name: subnetName(name), region: regionOf(zone) }),
    t.gceNetwork({ ...gone, name }),
  ];
}

function diskNames(name: string): string[] {
  return Array.from({ length: mostDisks }, (_, at) => `${name}-data-${at + 1}`);
}

/** Returns the region of a zone: `europe-west3-a` is in `europe-west3`. */
function regionOf(zone: string): string {
  return zone.replace(/-[a-z]+$/, "");
}

import { type OrRef, z } from "../../src/authoring.ts";
import { type as diskType } from "../../tasks/gce-disk/shape.ts";
import { params as instance, regionOf } from "../../tasks/gce-instance/params.ts";
import { shared as gce } from "../../tasks/gce-network/own.ts";
import { params as osLogin } from "../../tasks/gce-os-login/params.ts";
import { range } from "../../tasks/gce-subnetwork/range.ts";
import * as t from "../../tasks/index.ts";
import { reachOf, reachTags, refineReach, wayToHost } from "../cloud-host/reach.ts";
import { ports, stepOf } from "../cloud-host/sizes.ts";
import { fits, hostVars, networkRange } from "../cloud-host/vars.ts";
import { iapRange } from "./firewalls.ts";
import { noOtherZone } from "./other-zone.ts";
import { way } from "./way.ts";

/**
 * Machine types that support nested virtualization, in order of size: N4 has Intel processors
 * (https://cloud.google.com/compute/docs/instances/nested-virtualization/overview).
 */
export const ladder = ["n4-standard-16", "n4-standard-32", "n4-standard-64"] as const;

/** The number of nodes in the largest cluster, which is also the number of data disks. */
const mostDisks = 5;

/** The default zone of a machine. */
export const defaultZone = "europe-west3-a";

const machine = instance.shape;
const user = machine.sshKeys.unwrap().element.shape.user;
const disk = z.number().max(65_536, "at most 65536 GiB");

/** The vars of a cluster's host on Google Compute Engine. */
export const gcpHostSchema = z
  .object({
    ...hostVars,
    type: fits(hostVars.type, machine.machineType),
    manageFrom: fits(hostVars.manageFrom, networkRange.array().optional()),
    rootDiskGb: fits(hostVars.rootDiskGb, disk),
    dataDiskGb: fits(hostVars.dataDiskGb, disk),
    proxyJump: z
      .string()
      .regex(/^(?!none$)[a-z0-9_-]{1,63}$/, 'the name of a host, like "gate", which fits into a label')
      .optional()
      .describe("Jump host that reaches the machine's private address: its name in an inventory or in ssh_config"),
    tunnel: z
      .enum(["iap"], { error: '"iap"' })
      .optional()
      .describe("Tunnel for SSH: Google's Identity-Aware Proxy, which needs no public address"),
    network: machine.network.describe(
      "Existing network of the project, for example one with Cloud NAT; default: a dedicated network",
    ),
    subnetwork: machine.subnetwork.describe("Subnetwork of that network; required if its subnetworks are custom"),
    project: gce.project().describe("Id of the project; not its name or number"),
    zone: gce.zone().default(defaultZone).describe("Zone of the machine and its disks"),
    image: fits(z.strictObject({ project: z.string(), family: z.string() }), machine.image)
      .default({ project: "debian-cloud", family: "debian-12" })
      .describe("Image family; its guest agent publishes the host keys and installs the login key"),
    login: fits(z.string(), user)
      .default("furrow")
      .describe("Login user, which the guest agent creates; not used with OS Login"),
    osLogin: z
      .boolean()
      .optional()
      .describe("Whether OS Login decides who may log in; default: the setting of the project or the organization"),
    osLoginAccount: osLogin.shape.account.describe(
      "Account that logs in with OS Login; default: the account of the credentials",
    ),
    subnetCidr: range()
      .optional()
      .describe(
        "Address range of a dedicated subnetwork, like 10.20.0.0/24; default: the network's automatic subnetworks",
      ),
    diskType: diskType().default("hyperdisk-balanced").describe("Type of all disks"),
  })
  .superRefine((host, context) => {
    refineReach(host, context, "iap");
    const issue = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
    if (host.network !== undefined && host.subnetCidr !== undefined) {
      issue(
        "subnetCidr",
        "a range only for a dedicated network; with `network`, name an existing subnetwork in `subnetwork`",
      );
    }
    if (host.network === undefined && host.subnetwork !== undefined) issue("network", "the network of the subnetwork");
  });

type GcpHost = z.output<typeof gcpHostSchema>;

/** The name of the machine's own subnetwork. An automatic subnetwork has the name of its network. */
const subnetName = (prefix: string): string => `${prefix}-own`;

/**
 * The network of the machine: an existing one, or a dedicated one with automatic subnetworks or a single dedicated
 * subnetwork.
 */
function networkOf({ project, prefix: name, zone, subnetCidr: cidr, network, subnetwork: given }: GcpHost) {
  const shared = { project, owner: name };
  if (network !== undefined) return { tasks: [], name: network, subnetwork: given };
  if (cidr === undefined) return { tasks: [t.gceNetwork({ ...shared, name })], name, subnetwork: undefined };
  const subnetwork = subnetName(name);
  return {
    tasks: [
      t.gceNetwork({ ...shared, name, subnets: "custom" }),
      t.gceSubnetwork({ ...shared, name: subnetwork, region: regionOf(zone), network: name, cidr }),
    ],
    name,
    subnetwork,
  };
}

/**
 * Maintains a Compute Engine machine for a cluster: network, firewall, data disks and address, all with the same
 * prefix.
 */
export function gcpHost(host: GcpHost, manageFrom: readonly OrRef<string>[]) {
  const { project, zone, prefix: name, login, publicKey, tunnel, proxyJump } = host;
  const labels = { "made-by": "furrow", prefix: name, login };
  const shared = { project, owner: name };
  const disks = diskNames(name).slice(0, host.nodes);
  const tcp = (numbers: readonly number[]): string[] => numbers.map((port) => `tcp:${port}`);
  const network = networkOf(host);
  const rule = { ...shared, network: network.name, targetTags: [name] };
  const from = [...manageFrom, ...(tunnel === undefined ? [] : [iapRange])];
  const address = t.gceAddress({ ...shared, name, region: regionOf(zone) });
  const key = publicKey.trim();
  const access = t.gceOsLogin({ name, project, zone, key, account: host.osLoginAccount, enabled: host.osLogin });
  const machine = t.gceInstance({
    ...shared,
    name,
    zone,
    machineType: host.type ?? ladder[stepOf(host)],
    image: host.image,
    bootDisk: { sizeGb: host.rootDiskGb, type: host.diskType },
    disks,
    network: network.name,
    subnetwork: network.subnetwork,
    address: host.publicAddress ? { name } : "none",
    nested: true,
    spot: host.spot,
    tags: [name],
    labels: { ...labels, ...reachTags(host) },
    metadata: access.output.map(({ metadata }) => metadata),
    sshKeys: access.output.map(({ on }) => (on ? [] : [{ user: login, key }])),
  });
  return [
    (tunnel !== undefined || proxyJump !== undefined) && wayToHost({ tunnel, proxyJump }),
    (tunnel !== undefined || !host.publicAddress) &&
      way({
        project,
        region: regionOf(zone),
        network: network.name,
        subnetwork: network.subnetwork,
        tag: name,
        tunnel: tunnel !== undefined,
        publicAddress: host.publicAddress,
      }),
    access,
    network.tasks,
    t.gceFirewall({ ...rule, name: `${name}-open`, allow: tcp(ports.open), sourceRanges: ["0.0.0.0/0"] }),
    t.gceFirewall({ ...rule, name: `${name}-managed`, allow: tcp(ports.managed), sourceRanges: from }),
    host.publicAddress && address,
    disks.map((disk) =>
      t.gceDisk({ ...shared, name: disk, zone, sizeGb: host.dataDiskGb, type: host.diskType, labels }),
    ),
    machine,
    // A reserved address from an earlier run costs money as long as no machine uses it.
    !host.publicAddress && t.gceAddress({ ...shared, name, region: regionOf(zone), state: "absent" }),
    waitForSsh(host, machine, address),
  ];
}

/** Waits for the machine's SSH server over the route that the inventory uses. */
function waitForSsh(
  host: GcpHost,
  { output }: ReturnType<typeof t.gceInstance>,
  address: ReturnType<typeof t.gceAddress>,
) {
  const { prefix: instance, project, zone } = host;
  const wait = { port: 22, deadlineSeconds: 600 };
  const privately = { ...wait, address: output.map(({ internalAddress }) => internalAddress) };
  switch (reachOf(host)) {
    case "iap":
      return t.waitFor({ ...wait, tunnel: { iap: { instance, project, zone } } });
    case "proxyJump":
      return t.waitFor({ ...privately, proxyJump: host.proxyJump });
    case "privateAddress":
      return t.waitFor(privately);
    case "publicAddress":
      return t.waitFor({ ...wait, address: address.output.map((made) => made.address) });
  }
}

/** The properties of a host that must be known in order to delete it. */
export interface GcpHostGone {
  readonly project: string;
  readonly zone: string;
  readonly prefix: string;
}

/**
 * Deletes the machine and everything that belongs to it, including the data disks with their data. Refuses before it
 * deletes anything if the machine is in another zone.
 */
export function gcpHostGone({ project, zone, prefix: name }: GcpHostGone) {
  const gone = { project, owner: name, state: "absent" as const };
  return [
    noOtherZone({ project, zone, name }),
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

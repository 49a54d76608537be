import { type OrRef, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { ports, stepOf } from "../cloud-host/sizes.ts";
import { hostVars } from "../cloud-host/vars.ts";

/** Types whose machines can nest virtual ones, by the ladder of sizes. */
const ladder = ["n4-standard-16", "n4-standard-32", "n4-standard-64"] as const;

/** As many data disks as the largest cluster has nodes. */
const mostDisks = 5;

/** Where a machine is unless another zone is named. */
export const defaultZone = "europe-west3-a";

/** What a cluster's host at Google Compute Engine is made of. */
export const gcpHostSchema = z.object({
  ...hostVars,
  project: z.string().describe("Id of the project; not its title or number"),
  zone: z.string().default(defaultZone).describe("Zone of the machine and its disks"),
  image: z
    .strictObject({ project: z.string(), family: z.string() })
    .default({ project: "debian-cloud", family: "debian-12" })
    .describe("Family of images it starts from; its guest agent tells the host keys and lets the key in"),
  login: z.string().default("furrow").describe("Who logs in; the guest agent makes this user"),
  diskType: z.string().default("hyperdisk-balanced").describe("Type of all disks"),
});

type GcpHost = z.output<typeof gcpHostSchema>;

/** Keeps a machine at Compute Engine that can hold a cluster: network, firewall, data disks and address, all of one prefix. */
export function gcpHost(host: GcpHost, manageFrom: readonly OrRef<string>[]) {
  const { project, zone, prefix: name, login, publicKey } = host;
  const labels = { "made-by": "furrow", prefix: name, login };
  const shared = { project, owner: name };
  const disks = diskNames(name).slice(0, host.nodes);
  const tcp = (numbers: readonly number[]): string[] => numbers.map((port) => `tcp:${port}`);
  const rule = { ...shared, network: name, targetTags: [name] };
  const address = t.gceAddress({ ...shared, name, region: regionOf(zone) });
  return [
    t.gceNetwork({ ...shared, name }),
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
      address: { name },
      nested: true,
      spot: host.spot,
      tags: [name],
      labels,
      sshKeys: [{ user: login, key: publicKey.trim() }],
    }),
    t.waitFor({ port: 22, address: address.output.map((made) => made.address), deadlineSeconds: 600 }),
  ];
}

/** What must be known of a host that is taken away. */
export interface GcpHostGone {
  readonly project: string;
  readonly zone: string;
  readonly prefix: string;
}

/** Takes all of it away again, the data disks with what is on them too. */
export function gcpHostGone({ project, zone, prefix: name }: GcpHostGone) {
  const gone = { project, owner: name, state: "absent" as const };
  return [
    t.gceInstance({ ...gone, name, zone }),
    diskNames(name).map((disk) => t.gceDisk({ ...gone, name: disk, zone })),
    t.gceAddress({ ...gone, name, region: regionOf(zone) }),
    t.gceFirewall({ ...gone, name: `${name}-managed` }),
    t.gceFirewall({ ...gone, name: `${name}-open` }),
    t.gceNetwork({ ...gone, name }),
  ];
}

function diskNames(name: string): string[] {
  return Array.from({ length: mostDisks }, (_, at) => `${name}-data-${at + 1}`);
}

/** `europe-west3-a` is in `europe-west3`. */
function regionOf(zone: string): string {
  return zone.replace(/-[a-z]+$/, "");
}

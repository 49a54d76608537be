import { type Playbook, playbook, type TaskCall } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import { destroy, provision } from "../gce-books.ts";
import { project, zone } from "./place.ts";
import type { CloudSettings } from "./settings.ts";
import { runHere } from "../run-here.ts";

/** A reason why Google would refuse a later call of a playbook. */
export interface Obstacle {
  readonly title: string;
  /** Creates the playbook. Throws if params are wrong, as the loading of a real playbook would. */
  readonly book: () => Playbook;
  /** Creates what already exists. */
  readonly before?: () => Promise<unknown>;
  /** Puts the obstacle in place. */
  readonly set?: (settings: CloudSettings) => unknown;
  readonly says: RegExp;
}

/** The region of all resources. */
export const region = "europe-west3";
/** A playbook of these tasks. */
export const book = (...calls: readonly TaskCall[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => calls }] });

/**
 * The first task is always a change that Google accepts, so a run that has not looked ahead finds the obstacle too
 * late.
 */
export const first = t.gceFirewall({
  name: "first",
  project,
  network: "base",
  allow: ["icmp"],
  sourceRanges: ["192.0.2.7/32"],
});
/** A separate network for the first change. */
export const base = t.gceNetwork({ name: "base", project, subnets: "custom" });
/** A network with automatic subnetworks. */
export const auto = t.gceNetwork({ name: "lab", project });
/** A network with custom subnetworks. */
export const custom = t.gceNetwork({ name: "lab", project, subnets: "custom" });
/** A subnetwork of the network `lab`. */
export const subnet = (more: object = {}) =>
  t.gceSubnetwork({ name: "lab", project, region, network: "lab", cidr: "10.20.0.0/20", ...more });
/** A disk. */
export const disk = (more: object) => t.gceDisk({ name: "data", project, zone, sizeGb: 100, ...more });
/** A machine in the network `lab`. */
export const machine = (more: object = {}) =>
  t.gceInstance({
    name: "web",
    project,
    zone,
    machineType: "n2-standard-16",
    image: { project: "debian-cloud", family: "debian-12" },
    network: "lab",
    ...more,
  });
/** A playbook that creates a machine after its network. */
export const launching = (more: object = {}): Playbook => book(base, first, auto, machine(more));
/** A service account. */
export const account = "web@project-1.iam.gserviceaccount.com";
/** A key in a location. */
export const key = (location: string): string =>
  `projects/${project}/locations/${location}/keyRings/lab/cryptoKeys/disks`;
const nestable = { nested: true };

const denied = (permission: string, make: () => Playbook = () => provision): Obstacle => ({
  title: `no permission ${permission}`,
  book: make,
  set: (settings) => settings.denied.add(permission),
  says: new RegExp(`do not permit ${permission.replaceAll(".", "\\.")}`),
});
const policy = (title: string, constraint: string, rule: object, says: RegExp, more: object = nestable): Obstacle => ({
  title,
  book: () => launching(more),
  set: (settings) => {
    settings.policies = { [constraint]: [rule] };
  },
  says,
});
const full = (metric: string, limit: number, make: () => Playbook): Obstacle => ({
  title: `an exhausted quota ${metric}`,
  book: make,
  set: (settings) => {
    settings.limits = { [metric]: limit };
  },
  says: new RegExp(`the quota ${metric} of [\\w-]+ does not allow \\d+ more \\| \\d+ of ${limit} in use`),
});

/** The obstacles that only a query to Google reveals: permissions, policies and quotas. */
export const askedObstacles: readonly Obstacle[] = [
  denied("compute.networks.create"),
  denied("compute.firewalls.create"),
  denied("compute.networks.updatePolicy"),
  denied("compute.addresses.create"),
  denied("compute.disks.create"),
  denied("compute.instances.create"),
  denied("compute.subnetworks.useExternalIp"),
  denied("compute.subnetworks.create", () => book(base, first, custom, subnet())),
  {
    ...denied("compute.instances.delete", () => destroy),
    before: () => runHere(provision),
  },
  {
    ...denied("compute.disks.resize", () => book(base, first, disk({ sizeGb: 200 }))),
    before: () => runHere(book(disk({}))),
  },
  policy(
    "a policy against external addresses",
    "compute.vmExternalIpAccess",
    { denyAll: true },
    /forbids an external address for web \| constraints\/compute\.vmExternalIpAccess/,
  ),
  policy(
    "a policy that allows external addresses only for other machines",
    "compute.vmExternalIpAccess",
    { values: { allowedValues: [`projects/${project}/zones/${zone}/instances/other`] } },
    /forbids an external address for web/,
  ),
  policy(
    "a policy against nested virtualization",
    "compute.disableNestedVirtualization",
    { enforce: true },
    /forbids nested virtualization/,
  ),
  policy(
    "a policy against guest attributes",
    "compute.disableGuestAttributesAccess",
    { enforce: true },
    /forbids guest attributes/,
  ),
  policy("a policy that requires OS Login", "compute.requireOsLogin", { enforce: true }, /requires OS Login/, {
    sshKeys: [{ user: "admin", key: "ssh-ed25519 AAAA me@here" }],
  }),
  policy(
    "a policy that trusts only other images",
    "compute.trustedImageProjects",
    { values: { allowedValues: ["is:projects/own-images"] } },
    /forbids images of the project debian-cloud/,
  ),
  full("N2_CPUS", 8, () => launching()),
  full("CPUS_ALL_REGIONS", 8, () => launching()),
  full("INSTANCES", 0, () => launching()),
  full("IN_USE_ADDRESSES", 0, () => launching()),
  full("STATIC_ADDRESSES", 0, () => provision),
  full("NETWORKS", 0, () => provision),
  full("FIREWALLS", 0, () => provision),
  full("SUBNETWORKS", 0, () => book(base, first, custom, subnet())),
  full("HDB_TOTAL_GB", 99, () => book(base, first, disk({ type: "hyperdisk-balanced" }))),
  {
    ...full("SSD_TOTAL_GB", 150, () => book(base, first, disk({ sizeGb: 200 }))),
    title: "a quota that is too small for a larger disk",
    before: () => runHere(book(disk({}))),
  },
  {
    title: "a quota that is too small for two disks in one plan",
    book: () => book(base, first, disk({ name: "one" }), disk({ name: "two" })),
    set: (settings) => {
      settings.limits = { SSD_TOTAL_GB: 150 };
    },
    says: /SSD_TOTAL_GB of europe-west3 does not allow 100 more \| 0 of 150 in use, and earlier tasks need 100/,
  },
];

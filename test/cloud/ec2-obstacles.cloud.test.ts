import { describe, expect, test } from "vitest";
import { type Playbook, playbook, type TaskCall } from "../../src/authoring.ts";
import { isFurrowError } from "../../src/core/errors.ts";
import type { Mode } from "../../src/core/events.ts";
import * as t from "../../tasks/index.ts";
import { covered } from "../covered.ts";
import { destroy, provision } from "./ec2-books.ts";
import type { FakeOptions } from "./ec2-fake/fake.ts";
import { ec2FakeHere } from "./ec2-fake/here.ts";
import { runHere } from "./run-here.ts";

const fake = await ec2FakeHere();
const region = "eu-test-1";

/** A reason why EC2 would refuse a later call of a playbook. */
interface Obstacle {
  readonly title: string;
  /** Creates the playbook. Throws if params are wrong, as the loading of a real playbook would. */
  readonly book: () => Playbook;
  /** Settings of the account. */
  readonly account?: FakeOptions;
  /** Creates what already exists. */
  readonly before?: () => Promise<unknown>;
  readonly says: RegExp;
}

const book = (...calls: readonly TaskCall[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => calls }] });

/**
 * The first task is always a change that EC2 accepts, so a run that has not looked ahead finds the obstacle too late.
 */
const key = t.ec2KeyPair({ name: "web", region, publicKey: `ssh-ed25519 ${"B".repeat(68)}` });
const group = (more: object = {}) => t.ec2SecurityGroup({ name: "web", region, ...more });
const machine = (more: object = {}) => {
  const params = { name: "web", region, type: "m8i.4xlarge", image: { id: "ami-new" }, securityGroups: ["web"] };
  return t.ec2Instance({ ...params, ...more });
};
const launching = (more: object): Playbook => book(key, group(), machine(more));
const volume = (more: object): Playbook =>
  book(key, t.ec2Volume({ name: "data", region, zone: `${region}a`, sizeGb: 100, ...more }));

const denied = (action: string): Obstacle => ({
  title: `no permission for ${action}`,
  book: () => provision,
  account: { denied: [action] },
  says: new RegExp(`do not permit ec2:${action}`),
});
const larger = () =>
  book(key, t.ec2Volume({ name: "web-data", region, sizeGb: 200, instance: "web", device: "/dev/sdf" }));

const obstacles: readonly Obstacle[] = [
  denied("CreateSecurityGroup"),
  denied("RunInstances"),
  denied("CreateVolume"),
  denied("AllocateAddress"),
  {
    title: "no permission to read images",
    book: () => provision,
    account: { denied: ["DescribeImages"] },
    says: /UnauthorizedOperation/,
  },
  {
    title: "no permission to change the rules of a group",
    book: () => book(key, group({ rules: [{ port: 80, from: ["0.0.0.0/0"] }] })),
    before: () => runHere(book(group())),
    account: { denied: ["AuthorizeSecurityGroupIngress"] },
    says: /do not permit ec2:AuthorizeSecurityGroupIngress/,
  },
  {
    title: "no permission to enlarge a volume",
    book: larger,
    before: () => runHere(provision),
    account: { denied: ["ModifyVolume", "ImportKeyPair"] },
    says: /do not permit ec2:ModifyVolume/,
  },
  {
    title: "no permission to terminate a machine",
    book: () => destroy,
    before: () => runHere(provision),
    account: { denied: ["TerminateInstances"] },
    says: /do not permit ec2:TerminateInstances/,
  },
  {
    title: "an exhausted quota for addresses",
    book: () => provision,
    account: { mostAddresses: 0 },
    says: /quota does not allow 1 more address: EC2-VPC Elastic IPs/,
  },
  {
    title: "an exhausted quota for processors",
    book: () => provision,
    account: { processors: 8 },
    says: /quota does not allow 16 more virtual processors: Running On-Demand Standard/,
  },
  {
    title: "an exhausted quota for VPCs",
    book: () => book(key, t.ec2Vpc({ name: "lab", region, cidr: "10.20.0.0/16" })),
    account: { mostVpcs: 1 },
    says: /quota does not allow 1 more VPC: VPCs per Region/,
  },
  {
    title: "a subnet outside its VPC",
    book: () =>
      book(
        key,
        t.ec2Vpc({ name: "lab", region, cidr: "10.20.0.0/16" }),
        t.ec2Subnet({ name: "lab", region, vpc: "lab", cidr: "10.21.0.0/24" }),
      ),
    says: /the network 10\.21\.0\.0\/24 is not part of 10\.20\.0\.0\/16/,
  },
  {
    title: "no default VPC for a security group",
    book: () => book(key, group()),
    account: { defaultZones: undefined },
    says: /the region has no default VPC/,
  },
  {
    title: "no default VPC for a machine",
    book: () => book(key, machine({ securityGroups: [] })),
    account: { defaultZones: undefined },
    says: /the region has no default VPC/,
  },
  { title: "an unknown VPC", book: () => book(key, group({ vpc: "vpc-0abc" })), says: /there is no VPC vpc-0abc/ },
  {
    title: "an unknown subnet",
    book: () => launching({ subnet: "subnet-0abc" }),
    says: /there is no subnet subnet-0abc/,
  },
  {
    title: "a security group in a VPC other than the subnet's",
    book: () => book(key, machine({ subnet: "subnet-1" })),
    before: async () => {
      const none = { late: 0, tags: new Map([["furrow", "1"]]) };
      fake.world(region).vpcs.push({ ...none, id: "vpc-2", cidr: "10.0.0.0/16", isDefault: false, route: undefined });
      await runHere(book(group({ vpc: "vpc-2" })));
    },
    says: /the subnet subnet-1 is in vpc-1, but the security group web is in another VPC/,
  },
  {
    title: "bare metal with nested virtualization",
    book: () => launching({ type: "m5.metal", nestedVirtualization: true }),
    says: /m5\.metal is bare metal/,
  },
  {
    title: "bare metal as a spot machine",
    book: () => launching({ type: "m5.metal", spot: true }),
    says: /m5\.metal cannot be spot machines/,
  },
  {
    title: "a machine type for another architecture",
    book: () => launching({ type: "c8g.large" }),
    says: /the image ami-new is for x86_64, but machines of type c8g\.large are arm64/,
  },
  {
    title: "a root disk that is smaller than the image",
    book: () => launching({ rootDisk: { sizeGb: 4 } }),
    says: /the root disk has 4 GiB, but the image ami-new needs 8 GiB/,
  },
  {
    title: "a root disk of a type that cannot be booted",
    book: () => launching({ rootDisk: { sizeGb: 500, type: "st1" } }),
    says: /param "rootDisk\.type"/,
  },
  { title: "a volume of type st1 with 1 GiB", book: () => volume({ type: "st1", sizeGb: 1 }), says: /param "sizeGb"/ },
  { title: "a volume of type gp2 with IOPS", book: () => volume({ type: "gp2", iops: 3000 }), says: /param "iops"/ },
  { title: "a volume of type io2 without IOPS", book: () => volume({ type: "io2" }), says: /param "iops"/ },
  { title: "a volume of 60,000 GiB", book: () => volume({ type: "gp2", sizeGb: 60_000 }), says: /param "sizeGb"/ },
  {
    title: "an unknown zone",
    book: () => volume({ zone: "eu-elsewhere-1a" }),
    says: /the region has no zone eu-elsew/,
  },
  {
    title: "a zone that does not offer the type",
    book: () => launching({ zone: `${region}b` }),
    account: { onlyInZoneA: ["m8i.4xlarge"] },
    says: /the zone eu-test-1b does not offer the type m8i\.4xlarge/,
  },
  {
    title: "a zone without a default subnet",
    book: () => launching({ zone: `${region}c` }),
    account: { defaultZones: ["a", "b"] },
    says: /the default VPC \(vpc-1\) has no default subnet in eu-test-1c/,
  },
];

/** The errors of all tasks, or the error of a playbook that cannot be loaded. */
async function said(make: () => Playbook, mode: Mode): Promise<string[]> {
  try {
    const { tasks } = await runHere(make(), { mode });
    return tasks.flatMap(({ error }) => (error === undefined ? [] : [`${error.message} | ${error.failure.current}`]));
  } catch (error) {
    if (isFurrowError(error)) return [error.message];
    throw error;
  }
}

describe("check mode finds what EC2 would refuse, and a run finds it before its first change", () => {
  test.each(obstacles)("$title", async ({ book: make, account = {}, before, says }) => {
    await before?.();
    fake.keep({ ...account });
    if (before === undefined) fake.reset(account);
    const from = fake.calls.length;
    for (const mode of ["check", "apply"] as const) {
      const errors = await said(make, mode);
      expect([mode, errors]).toEqual([mode, [expect.stringMatching(says)]]);
      expect(fake.calls.slice(from).filter(({ mutating }) => mutating)).toEqual([]);
    }
  });

  test("the list covers every kind of obstacle", () => {
    expect(obstacles.length).toBeGreaterThanOrEqual(20);
    covered(`EC2: ${obstacles.length} obstacles, all found by check mode and before the first change of a run`);
  });
});

import { type OrRef, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { ports, stepOf } from "../cloud-host/sizes.ts";
import { hostVars } from "../cloud-host/vars.ts";

/** The machine types that support nested virtualization, in order of size. */
const ladder = ["m8i.4xlarge", "m8i.8xlarge", "m8i.16xlarge"] as const;

/** The device names of data disks; the machine itself shows them as NVMe disks, with the ids of their volumes. */
const devices = ["/dev/sdf", "/dev/sdg", "/dev/sdh", "/dev/sdi", "/dev/sdj"] as const;

/** The vars of a cluster's host on AWS. */
export const awsHostSchema = z.object({
  ...hostVars,
  region: z.string().optional().describe("Region; default: from AWS_REGION or the AWS profile"),
  image: z
    .union([z.strictObject({ id: z.string() }), z.strictObject({ owner: z.string(), name: z.string() })])
    .default({ owner: "136693071363", name: "debian-12-amd64-*" })
    .describe("Image to launch from; default: the Debian project's Debian 12"),
  login: z.string().default("admin").describe("Login user of that image"),
  zone: z.string().optional().describe("Availability zone; default: EC2's choice"),
  vpc: z
    .string()
    .optional()
    .describe("VPC, by id or name; default: the region's default VPC, or the one that vpcCidr creates"),
  subnet: z.string().optional().describe("Subnet in that VPC, by id or name; required with vpc"),
  vpcCidr: z
    .string()
    .optional()
    .describe("Network of a VPC of its own, like 10.20.0.0/16; it is created with a subnet and an internet gateway"),
});

type AwsHost = z.output<typeof awsHostSchema>;

/** The first 256 addresses of a network, or the whole network if it is smaller. */
function firstPart(network: string): string {
  return network.replace(/\/(\d+)$/, (whole, prefix) => (Number(prefix) < 24 ? "/24" : whole));
}

/** The network of the machine: the default VPC, a given one, or one of its own. */
function networkOf({ prefix, region, zone, vpc, subnet, vpcCidr }: AwsHost, tags: Readonly<Record<string, string>>) {
  if (vpcCidr === undefined) return { tasks: [], names: { vpc, subnet } };
  const name = prefix;
  const own = { name, region, tags };
  return {
    tasks: [
      t.ec2Vpc({ ...own, cidr: vpcCidr }),
      t.ec2Subnet({ ...own, vpc: name, zone, cidr: firstPart(vpcCidr), publicAddresses: true }),
      t.ec2InternetGateway({ ...own, vpc: name }),
    ],
    names: { vpc: name, subnet: name },
  };
}

/**
 * Maintains an AWS machine on which a cluster can run: key, firewall, data disks and address, all with the same prefix.
 */
export function awsHost(host: AwsHost, manageFrom: readonly OrRef<string>[]) {
  const { prefix, region, publicKey, image, login, spot } = host;
  const tags = { prefix, login };
  const disks = devices.slice(0, host.nodes).map((device, at) =>
    t.ec2Volume({
      name: `${prefix}-data-${at + 1}`,
      region,
      sizeGb: host.dataDiskGb,
      iops: 16_000,
      throughput: 1000,
      instance: prefix,
      device,
      tags,
    }),
  );
  const type = host.type ?? ladder[stepOf(host)] ?? "";
  const network = networkOf(host, tags);
  const address = t.ec2Address({ name: prefix, region, instance: prefix, tags });
  return [
    t.ec2KeyPair({ name: prefix, region, publicKey, tags }),
    network.tasks,
    t.ec2SecurityGroup({
      name: prefix,
      region,
      vpc: network.names.vpc,
      description: "host of a Harvester cluster",
      rules: [
        ...ports.open.map((port) => ({ port, from: ["0.0.0.0/0"] })),
        ...ports.managed.map((port) => ({ port, from: [...manageFrom] })),
      ],
      tags,
    }),
    t.ec2Instance({
      name: prefix,
      region,
      type,
      image,
      keyPair: prefix,
      securityGroups: [prefix],
      ...network.names,
      zone: host.zone,
      // On bare metal there is no hypervisor that could allow or forbid nesting.
      nestedVirtualization: !/\.metal(?:-|$)/.test(type),
      spot,
      rootDisk: { sizeGb: host.rootDiskGb },
      tags,
    }),
    disks,
    address,
    t.waitFor({ port: 22, address: address.output.map((made) => made.address), deadlineSeconds: 600 }),
  ];
}

/** Deletes the machine and everything that belongs to it, including the data disks with their data. */
export function awsHostGone({ prefix, region }: { readonly prefix: string; readonly region?: string | undefined }) {
  const place = { region, state: "absent" as const };
  return [
    t.ec2Address({ name: prefix, ...place }),
    t.ec2Instance({ name: prefix, ...place }),
    devices.map((_, at) => t.ec2Volume({ name: `${prefix}-data-${at + 1}`, ...place })),
    t.ec2SecurityGroup({ name: prefix, ...place }),
    t.ec2InternetGateway({ name: prefix, ...place }),
    t.ec2Subnet({ name: prefix, ...place }),
    t.ec2Vpc({ name: prefix, ...place }),
    t.ec2KeyPair({ name: prefix, ...place }),
  ];
}

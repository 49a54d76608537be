import { type OrRef, z } from "../../src/authoring.ts";
import { params as instance } from "../../tasks/ec2-instance/instance-params.ts";
import { ruleSchema } from "../../tasks/ec2-security-group/rules.ts";
import { ipv4Network } from "../../tasks/ec2-vpc/network-params.ts";
import * as t from "../../tasks/index.ts";
import { refineReach, reachOf, reachTags, wayToHost } from "../cloud-host/reach.ts";
import { ports, stepOf } from "../cloud-host/sizes.ts";
import { commonKey, fits, hostVars } from "../cloud-host/vars.ts";
import { agentData, image as defaultImage } from "./agent.ts";
import { wayOut } from "./way-out.ts";

/** The machine types that support nested virtualization, in order of size. */
const ladder = ["m8i.4xlarge", "m8i.8xlarge", "m8i.16xlarge"] as const;

/** The device names of data disks; the machine itself shows them as NVMe disks, with the ids of their volumes. */
const devices = ["/dev/sdf", "/dev/sdg", "/dev/sdh", "/dev/sdi", "/dev/sdj"] as const;

const machine = instance.shape;
const volume = z.number().max(65_536, "at most 65536 GiB");

/** The vars of a cluster's host on AWS. */
export const awsHostSchema = z
  .object({
    ...hostVars,
    publicKey: commonKey,
    type: fits(hostVars.type, machine.type),
    manageFrom: fits(hostVars.manageFrom, ruleSchema.shape.from.element.array().optional()),
    rootDiskGb: fits(hostVars.rootDiskGb, volume),
    dataDiskGb: fits(hostVars.dataDiskGb, volume),
    tunnel: z
      .enum(["sessionManager"], { error: '"sessionManager"' })
      .optional()
      .describe("Tunnel for SSH: AWS Session Manager, which needs no open port and no public address"),
    instanceProfile: fits(z.string().optional(), machine.iamInstanceProfile).describe(
      "IAM instance profile of the machine; with a tunnel, its role needs AmazonSSMManagedInstanceCore",
    ),
    installAgent: z
      .boolean()
      .optional()
      .describe("Whether the first boot installs the SSM agent; default: with a tunnel and the default image"),
    region: machine.region.describe("Region; default: AWS_REGION or the AWS profile"),
    image: fits(
      z.union([z.strictObject({ id: z.string() }), z.strictObject({ owner: z.string(), name: z.string() })]),
      machine.image,
    )
      .default(defaultImage)
      .describe("Image to launch from; default: the Debian project's Debian 12"),
    login: z.string().default("admin").describe("Login user of that image"),
    zone: z.string().optional().describe("Availability zone; default: EC2's choice"),
    vpc: machine.vpc.describe("VPC, by id or name; default: the region's default VPC, or the one that vpcCidr creates"),
    subnet: machine.subnet.describe("Subnet in that VPC, by id or name; required with vpc"),
    vpcCidr: ipv4Network()
      .optional()
      .describe(
        "CIDR block of a dedicated VPC, like 10.20.0.0/16; it is created with a subnet and an internet gateway",
      ),
  })
  .superRefine((host, context) => {
    refineReach(host, context, "sessionManager");
    const issue = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
    const { region, zone } = host;
    if (region !== undefined && zone !== undefined && !isZoneOf(region, zone))
      issue("zone", `a zone of the region ${region}, like "${region}a"`);
    if (host.publicAddress) return;
    if (host.vpcCidr !== undefined) {
      issue(
        "vpcCidr",
        "vpc and subnet instead: through an internet gateway, only public addresses can reach the internet",
      );
    } else if (host.vpc === undefined || host.subnet === undefined) {
      issue(
        "subnet",
        "vpc and subnet: without a public address, the machine needs a subnet with its own route to the internet",
      );
    }
  });

/** A zone's name begins with that of its region: `eu-central-1a`, or `us-east-1-bos-1a` for a local zone. */
function isZoneOf(region: string, zone: string): boolean {
  return zone.startsWith(region) && /^(?:[a-z]|-.+)$/.test(zone.slice(region.length));
}

type AwsHost = z.output<typeof awsHostSchema>;

/** The first 256 addresses of a network, or the whole network if it is smaller. */
function firstPart(network: string): string {
  return network.replace(/\/(\d+)$/, (whole, prefix) => (Number(prefix) < 24 ? "/24" : whole));
}

/** The network of the machine: the default VPC, a given one, or a dedicated one. */
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
  const { prefix, region, publicKey, image, login, spot, tunnel, proxyJump } = host;
  const tags = { prefix, login };
  const from = [...manageFrom];
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
  const machine = t.ec2Instance({
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
    iamInstanceProfile: host.instanceProfile,
    userData: agentData(host),
    ...(!host.publicAddress && { publicAddress: false }),
    tags: { ...tags, ...reachTags(host) },
  });
  return [
    (tunnel !== undefined || proxyJump !== undefined) && wayToHost({ tunnel, proxyJump }),
    (tunnel !== undefined || !host.publicAddress) &&
      wayOut({
        region,
        // A public address already provides internet access.
        subnet: host.publicAddress ? undefined : host.subnet,
        tunnel: tunnel !== undefined,
        instanceProfile: host.instanceProfile,
      }),
    t.ec2KeyPair({ name: prefix, region, publicKey, tags }),
    network.tasks,
    t.ec2SecurityGroup({
      name: prefix,
      region,
      vpc: network.names.vpc,
      description: "host of a Harvester cluster",
      rules: [
        ...ports.open.map((port) => ({ port, from: ["0.0.0.0/0"] })),
        // Session Manager's agent connects to sshd on the machine itself.
        ...(from.length > 0 ? ports.managed.map((port) => ({ port, from })) : []),
      ],
      tags,
    }),
    machine,
    !host.publicAddress && withoutAddress(machine, prefix),
    // An unused address that an earlier run reserved for the machine would cost money.
    !host.publicAddress && t.ec2Address({ name: prefix, region, state: "absent" }),
    disks,
    host.publicAddress && address,
    waitForSsh(host, machine, address),
  ];
}

type Machine = ReturnType<typeof t.ec2Instance>;

/** Refuses a machine that an earlier run created with a public address. */
function withoutAddress(machine: Machine, name: string) {
  return t.assert({
    that: [
      {
        check: machine.output.map(({ address }) => address === ""),
        message: `the machine ${name} already exists with a public address`,
        hint: "Destroy it with playbooks/clouds/destroy-cloud.ts and provision it again, or set publicAddress=true",
      },
    ],
  });
}

/** Waits for the machine's SSH server over the route that the inventory uses. */
function waitForSsh(host: AwsHost, { output }: Machine, address: ReturnType<typeof t.ec2Address>) {
  const wait = { port: 22, deadlineSeconds: 600 };
  const privately = { ...wait, address: output.map(({ privateAddress }) => privateAddress) };
  switch (reachOf(host)) {
    case "sessionManager":
      return t.waitFor({
        ...wait,
        tunnel: { sessionManager: { instance: output.map(({ id }) => id), region: host.region } },
      });
    case "proxyJump":
      return t.waitFor({ ...privately, proxyJump: host.proxyJump });
    case "privateAddress":
      return t.waitFor(privately);
    case "publicAddress":
      return t.waitFor({ ...wait, address: address.output.map((made) => made.address) });
  }
}

/** Deletes the machine and everything that belongs to it, including the data disks with their data. */
export function awsHostGone({ prefix, region }: { readonly prefix: string; readonly region?: string | undefined }) {
  const place = { region, state: "absent" as const };
  return [
    t.ec2Instance({ name: prefix, ...place }),
    t.ec2Address({ name: prefix, ...place }),
    devices.map((_, at) => t.ec2Volume({ name: `${prefix}-data-${at + 1}`, ...place })),
    t.ec2SecurityGroup({ name: prefix, ...place }),
    t.ec2InternetGateway({ name: prefix, ...place }),
    t.ec2Subnet({ name: prefix, ...place }),
    t.ec2Vpc({ name: prefix, ...place }),
    t.ec2KeyPair({ name: prefix, ...place }),
  ];
}

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
});

type AwsHost = z.output<typeof awsHostSchema>;

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
  const address = t.ec2Address({ name: prefix, region, instance: prefix, tags });
  return [
    t.ec2KeyPair({ name: prefix, region, publicKey, tags }),
    t.ec2SecurityGroup({
      name: prefix,
      region,
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
    t.ec2KeyPair({ name: prefix, ...place }),
  ];
}

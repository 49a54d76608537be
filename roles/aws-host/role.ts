import { type OrRef, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { ports, stepOf } from "../cloud-host/sizes.ts";
import { hostVars } from "../cloud-host/vars.ts";

/** Types whose machines can nest virtual ones, by the ladder of sizes. */
const ladder = ["m8i.4xlarge", "m8i.8xlarge", "m8i.16xlarge"] as const;

/** Devices of data disks; the machine itself shows them as NVMe disks, by the id of their volume. */
const devices = ["/dev/sdf", "/dev/sdg", "/dev/sdh", "/dev/sdi", "/dev/sdj"] as const;

/** What a cluster's host at AWS is made of. */
export const awsHostSchema = z.object({
  ...hostVars,
  region: z.string().optional().describe("Region; default: that of AWS_REGION or of the AWS profile"),
  image: z
    .union([z.strictObject({ id: z.string() }), z.strictObject({ owner: z.string(), name: z.string() })])
    .default({ owner: "136693071363", name: "debian-12-amd64-*" })
    .describe("What it starts from; default: Debian 12 of the Debian project"),
  login: z.string().default("admin").describe("Who logs in to that image"),
});

type AwsHost = z.output<typeof awsHostSchema>;

/** Keeps a machine at AWS that can hold a cluster: its key, firewall, data disks and address, all of one prefix. */
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
      // Bare metal has no hypervisor below that could allow or forbid it.
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

/** Takes all of it away again, the data disks with what is on them too. */
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

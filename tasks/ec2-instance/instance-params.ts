import { text, z } from "../../src/authoring.ts";
import { refineShape } from "./volume-limits.ts";
import { deadline, device, diskSize, kmsKey, ec2Id, ec2Name, ec2Ref, ec2Tags, region } from "./params.ts";

const launchDisk = {
  ...diskSize,
  encrypted: z.boolean().optional().describe("Whether the disk is encrypted; default: the account's setting"),
  kmsKey: kmsKey(),
};

const image = z.union(
  [
    z.strictObject({ id: ec2Id("ami").describe("Id of an image; each region has its own ids") }),
    z.strictObject({
      owner: z
        .string()
        .regex(/^(\d{12}|self|amazon|aws-marketplace)$/, 'an account number, "self" or "amazon"')
        .describe("Owner of the image: an account number, self or amazon"),
      name: z
        .string()
        .min(1)
        .describe("Pattern for the image's name, with `*` as a wildcard; at launch, the newest match is used"),
      architecture: z.enum(["x86_64", "arm64"]).default("x86_64").describe("Architecture"),
    }),
  ],
  { error: "{ id } or { owner, name }" },
);

/** Params of `ec2Instance`. */
export const params = z
  .strictObject({
    name: ec2Name("a machine").describe("Value of the machine's Name tag, by which furrow finds it"),
    region: region(),
    state: z
      .enum(["running", "stopped", "absent"], { error: '"running", "stopped" or "absent"' })
      .default("running")
      .describe("State of the machine; absent also deletes its disks, except those with `keep`"),
    type: z
      .string()
      .regex(/^[a-z0-9-]+\.[a-z0-9-]+$/, 'a type, like "m8i.4xlarge"')
      .optional()
      .describe("Machine type; required unless state is absent"),
    image: image
      .optional()
      .describe("Image to launch from, by id, or by owner and name; required unless state is absent"),
    keyPair: z.string().optional().describe("Name of the key pair whose owner may log in"),
    securityGroups: z
      .array(z.string())
      .default([])
      .describe("Names of the machine's security groups; default: the default group of the VPC"),
    vpc: ec2Ref("vpc", "a VPC")
      .optional()
      .describe("VPC of the security groups, by id or name; needed if several VPCs have groups with these names"),
    subnet: ec2Ref("subnet", "a subnet")
      .optional()
      .describe("Subnet to launch in, by id or name; default: one of the default VPC"),
    zone: z.string().optional().describe("Availability zone; default: EC2's choice"),
    nestedVirtualization: z
      .boolean()
      .default(false)
      .describe("Let the machine run virtual machines; furrow asks EC2 which types can do this"),
    spot: z.boolean().default(false).describe("A cheaper machine that AWS may stop at any time"),
    rootDisk: z
      .strictObject(launchDisk)
      .superRefine(refineShape)
      .refine(({ type }) => type !== "st1" && type !== "sc1", {
        message: "a type other than st1 and sc1, which cannot be root disks",
        path: ["type"],
      })
      .optional()
      .describe("Size and speed of the root disk; default: as in the image"),
    disks: z
      .array(
        z
          .strictObject({
            device: device().describe("Device name under which EC2 attaches the disk"),
            ...launchDisk,
            keep: z.boolean().default(false).describe("Whether to keep the disk when the machine is deleted"),
          })
          .superRefine(refineShape),
      )
      .refine((disks) => new Set(disks.map((disk) => disk.device)).size === disks.length, "each device only once")
      .default([])
      .describe("Additional disks to launch the machine with; use ec2Volume for disks that are managed separately"),
    userData: text()
      .optional()
      .describe("User data for cloud-init at the first boot; may be secret; not compared later"),
    hostname: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?)*$/, 'a host name, like "web-1"')
      .optional()
      .describe("Host name that cloud-init sets at the first boot; not together with userData; not compared later"),
    iamInstanceProfile: z
      .string()
      .regex(/^[\w+=,.@-]{1,128}$/, "the name of an instance profile")
      .optional()
      .describe(
        "Name of the IAM instance profile, which gives programs on the machine its role; default: none, or unchanged",
      ),
    publicAddress: z
      .boolean()
      .optional()
      .describe("Whether the machine gets a public address at launch; default: the subnet decides; not compared later"),
    terminationProtection: z
      .boolean()
      .optional()
      .describe(
        "Whether EC2 refuses to terminate the machine; with state absent, false turns the protection off first",
      ),
    metadataHopLimit: z
      .int()
      .min(1)
      .max(64)
      .optional()
      .describe(
        "Maximum number of network hops for responses of the metadata service; containers need 2; default: EC2's default",
      ),
    tags: ec2Tags(),
    hostKeys: z
      .boolean()
      .default(true)
      .describe(
        "Read the machine's SSH host keys from the console and store them in a tag, so that the first login is verified",
      ),
    mayStop: z
      .boolean()
      .default(false)
      .describe("Allow furrow to stop the machine if a change of type or nested virtualization requires it"),
    deadlineSeconds: deadline(),
  })
  .refine((p) => p.state === "absent" || (p.type !== undefined && p.image !== undefined), {
    message: "type and image, unless state is absent",
    path: ["type"],
  })
  .refine((p) => p.hostname === undefined || p.userData === undefined, {
    message: "no host name together with userData: set the host name in userData",
    path: ["hostname"],
  });

/** Parsed params of `ec2Instance`. */
export type InstanceParams = z.output<typeof params>;

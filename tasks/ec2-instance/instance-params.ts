import { text, z } from "../../src/authoring.ts";
import { refineShape } from "./volume-limits.ts";
import { deadline, device, diskSize, ec2Id, ec2Name, ec2Tags, region } from "./params.ts";

const launchDisk = {
  ...diskSize,
  encrypted: z.boolean().optional().describe("Whether it is encrypted; default: as the account has it"),
};

const image = z.union(
  [
    z.strictObject({ id: ec2Id("ami").describe("Id of an image; differs from region to region") }),
    z.strictObject({
      owner: z
        .string()
        .regex(/^(\d{12}|self|amazon|aws-marketplace)$/, 'an account number, "self" or "amazon"')
        .describe("Whose image: an account number, self, amazon"),
      name: z
        .string()
        .min(1)
        .describe("Pattern on its name, `*` for anything; the newest that fits is taken at launch"),
      architecture: z.enum(["x86_64", "arm64"]).default("x86_64").describe("Architecture"),
    }),
  ],
  { error: "{ id } or { owner, name }" },
);

/** What an `ec2Instance` may be told. */
export const params = z
  .strictObject({
    name: ec2Name("a machine").describe("Its name: the tag Name, by which furrow knows it"),
    region: region(),
    state: z
      .enum(["running", "stopped", "absent"], { error: '"running", "stopped" or "absent"' })
      .default("running")
      .describe("What it is to be; absent takes its disks too, but for those that are kept"),
    type: z
      .string()
      .regex(/^[a-z0-9-]+\.[a-z0-9-]+$/, 'a type, like "m8i.4xlarge"')
      .optional()
      .describe("Type of machine; needed unless absent"),
    image: image.optional().describe("What it starts from, by id, or by owner and name; needed unless absent"),
    keyPair: z.string().optional().describe("Name of the key pair whose owner is let in"),
    securityGroups: z
      .array(z.string())
      .default([])
      .describe("Names of its security groups; default: the VPC's default one"),
    vpc: ec2Id("vpc").optional().describe("VPC of the security groups, where several have groups of these names"),
    subnet: ec2Id("subnet").optional().describe("Subnet it is in; default: one of the default VPC"),
    zone: z.string().optional().describe("Availability zone; default: EC2's choice"),
    nestedVirtualization: z
      .boolean()
      .default(false)
      .describe("Lets it run virtual machines; which types can is asked of EC2"),
    spot: z.boolean().default(false).describe("A cheaper machine that AWS may take back at any time"),
    rootDisk: z
      .strictObject(launchDisk)
      .superRefine(refineShape)
      .optional()
      .describe("Size and speed of its first disk; default: the image's"),
    disks: z
      .array(
        z
          .strictObject({
            device: device().describe("Under which device EC2 attaches it"),
            ...launchDisk,
            keep: z.boolean().default(false).describe("Whether it stays when the machine goes"),
          })
          .superRefine(refineShape),
      )
      .default([])
      .describe("Further disks it is launched with; for disks with a life of their own use ec2Volume"),
    userData: text().optional().describe("For cloud-init at the first boot; may be secret; not looked at later"),
    tags: ec2Tags(),
    hostKeys: z
      .boolean()
      .default(true)
      .describe("Read its SSH host keys from the console and keep them in a tag, so that the first login is verified"),
    mayStop: z
      .boolean()
      .default(false)
      .describe("Allow a stop where a change needs one: of the type, of nested virtualization"),
    deadlineSeconds: deadline(),
  })
  .refine((p) => p.state === "absent" || (p.type !== undefined && p.image !== undefined), {
    message: "type and image, unless state is absent",
    path: ["type"],
  });

/** The same, as the task's links get it. */
export type InstanceParams = z.output<typeof params>;

import { seconds, z } from "../../src/authoring.ts";

/** The region of a task; by default the SDK's own. */
export const region = () =>
  z
    .string({ error: 'a region, like "eu-central-1"' })
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/, 'a region, like "eu-central-1"')
    .optional()
    .describe("Region; default: that of AWS_REGION or of the AWS profile");

/** A name that EC2 takes: furrow knows a thing by it. */
export const ec2Name = (what: string) =>
  z
    .string({ error: `the name of ${what}, like "harvester-1"` })
    .regex(/^[\w.:@/+=-]{1,120}$/, `the name of ${what}, like "harvester-1"`);

/** Tags of a user's own. */
export const ec2Tags = () =>
  z
    .record(
      z
        .string()
        .max(128)
        .regex(/^(?!Name$|furrow(:|$)|aws:)/, "a tag other than Name, furrow and those of AWS"),
      z.string({ error: "a text" }).max(256, "at most 256 characters"),
      { error: 'tags by name, like { team: "storage" }' },
    )
    .default({})
    .describe("Tags it must have; others are left alone");

/** An id of EC2. */
export const ec2Id = (prefix: string) =>
  z
    .string({ error: `an id, like "${prefix}-0abc"` })
    .regex(new RegExp(`^${prefix}-\\w+$`), `an id, like "${prefix}-0abc"`);

/** The device under which a machine has a disk. */
export const device = () =>
  z.string({ error: 'a device, like "/dev/sdf"' }).regex(/^\/dev\/(sd[b-z]|xvd[b-z])\d*$/, 'a device, like "/dev/sdf"');

/** Size and speed of a disk. */
export const diskSize = {
  sizeGb: z
    .int({ error: "a size in GiB" })
    .min(1, "at least 1 GiB")
    .max(65_536, "at most 64 TiB")
    .describe("Size in GiB"),
  type: z
    .enum(["gp2", "gp3", "io1", "io2", "st1", "sc1", "standard"], { error: 'a type of volume, like "gp3"' })
    .default("gp3")
    .describe("Type of volume"),
  iops: z.int().min(100).max(256_000).optional().describe("I/O operations a second; default: EC2's own for the type"),
  throughput: z.int().min(125).max(2000).optional().describe("MiB a second, of gp3; default: EC2's own"),
};

/** How long an act may take. */
export const deadline = () => seconds().default(600).describe("Seconds after which waiting for EC2 has failed");

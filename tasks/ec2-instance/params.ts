import { seconds, z } from "../../src/authoring.ts";

/** The region of a task; by default, the SDK chooses the region. */
export const region = () =>
  z
    .string({ error: 'a region, like "eu-central-1"' })
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/, 'a region, like "eu-central-1"')
    .optional()
    .describe("Region; default: AWS_REGION or the AWS profile");

/** A name that EC2 accepts; furrow finds the object by this name. */
export const ec2Name = (what: string) =>
  z
    .string({ error: `the name of ${what}, like "harvester-1"` })
    .regex(/^[\w.:@/+=-]{1,120}$/, `the name of ${what}, like "harvester-1"`);

/** The user's own tags. */
export const ec2Tags = () =>
  z
    .record(
      z
        .string()
        .max(128)
        .regex(/^(?!Name$|furrow(:|$)|aws:)/, "a tag other than Name, furrow and AWS's own"),
      z.string({ error: "a string" }).max(256, "at most 256 characters"),
      { error: 'tags by name, like { team: "storage" }' },
    )
    .refine((tags) => Object.keys(tags).length <= 46, "at most 46 tags: EC2 allows 50, and furrow needs 4 of them")
    .default({})
    .describe("Tags that the object must have; other tags are left alone");

/** An EC2 id with the given prefix. */
export const ec2Id = (prefix: string) =>
  z
    .string({ error: `an id, like "${prefix}-0abc"` })
    .regex(new RegExp(`^${prefix}-\\w+$`), `an id, like "${prefix}-0abc"`);

/** A resource, given by its Name tag or by its id, which begins with this prefix. */
export const ec2Ref = (prefix: string, what: string) =>
  z
    .string({ error: `the id or name of ${what}, like "${prefix}-0abc" or "lab"` })
    .regex(/^[\w.:@/+=-]{1,120}$/, `the id or name of ${what}, like "${prefix}-0abc" or "lab"`);

/** A disk's device name on a machine. */
export const device = () =>
  z.string({ error: 'a device, like "/dev/sdf"' }).regex(/^\/dev\/(sd[b-z]|xvd[b-z])\d*$/, 'a device, like "/dev/sdf"');

/** The size and speed of a disk. */
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
  iops: z
    .int()
    .min(100)
    .max(256_000)
    .optional()
    .describe("I/O operations per second; default: EC2's default for the type"),
  throughput: z.int().min(125).max(2000).optional().describe("MiB per second, only for gp3; default: EC2's default"),
};

/** The key that a disk is encrypted with. */
export const kmsKey = () =>
  z
    .string()
    .min(1)
    .optional()
    .describe(
      "KMS key to encrypt the disk with, by id, ARN or alias/NAME; default: the account's key; not compared later",
    );

/** The time limit for waiting for EC2. */
export const deadline = () => seconds().default(600).describe("Seconds after which a wait for EC2 fails");

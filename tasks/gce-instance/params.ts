import { z } from "../../src/authoring.ts";
import { needed, resourceName, shared } from "../gce-network/own.ts";

const image = z
  .union(
    [
      z.strictObject({
        project: z.string().min(1, "a project").describe("Project whose image it is: suse-cloud, debian-cloud"),
        family: resourceName().describe("Family of images; the newest of it"),
      }),
      z.strictObject({
        project: z.string().min(1, "a project").describe("Project whose image it is"),
        name: resourceName().describe("Name of the image"),
      }),
    ],
    { error: '{ project: "suse-cloud", family: "sles-15" }' },
  )
  .describe("What its boot disk is made from, needed unless absent; not looked at once it is there");

/** Params of `gceInstance`. */
export const params = z
  .strictObject({
    name: shared.name("Name of the instance, and of its boot disk"),
    project: shared.project(),
    zone: shared.zone(),
    machineType: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, 'a machine type, like "n2-standard-16"')
      .optional()
      .describe("Type of machine, needed unless absent; another one needs the instance stopped"),
    image: image.optional(),
    bootDisk: z
      .strictObject({
        sizeGb: z.int("a number of GB").min(10, "at least 10 GB").describe("Size in GiB"),
        type: z.string().default("pd-balanced").describe("Type of disk"),
      })
      .default({ sizeGb: 50, type: "pd-balanced" })
      .describe("Its boot disk, deleted with it"),
    disks: z
      .array(resourceName())
      .default([])
      .describe(
        "Disks of the zone attached to it, by name; a guest has each at /dev/disk/by-id/google-NAME. They outlive it",
      ),
    network: resourceName().optional().describe("Network it is in, needed unless absent"),
    address: z
      .union(
        [
          z.enum(["ephemeral", "none"]),
          z.strictObject({ name: resourceName().describe("Name of a reserved address") }),
        ],
        {
          error: '"ephemeral", "none" or { name: "…" }',
        },
      )
      .default("ephemeral")
      .describe("Its external address: one for as long as it runs, none, or a reserved one of the zone's region"),
    nested: z.boolean().default(false).describe("Whether it can run virtual machines itself"),
    spot: z.boolean().default(false).describe("Cheaper, and stopped whenever Google needs the machine"),
    tags: z.array(resourceName()).default([]).describe("Network tags, which firewall rules name"),
    labels: shared.labels(),
    metadata: z
      .record(z.string(), z.string())
      .default({})
      .describe("Metadata it has; other keys that it has are left alone"),
    sshKeys: z
      .array(
        z.strictObject({
          user: z
            .string()
            .regex(/^[a-z_][a-z0-9_-]*$/, "a user's name")
            .describe("Who logs in"),
          key: z
            .string()
            .regex(/^\S+ \S+/, 'a public key, like "ssh-ed25519 AAAA…"')
            .describe("Public key"),
        }),
      )
      .default([])
      .describe("Who may log in, by the guest agent; written into its metadata"),
    hostKeys: z
      .boolean()
      .default(true)
      .describe("Wait until its guest agent has told the host keys, so that the first connection can be verified"),
    owner: shared.owner(),
    state: z
      .enum(["present", "stopped", "absent"])
      .default("present")
      .describe("present: it runs; stopped: it is there and costs only its disks; absent: gone, with its boot disk"),
  })
  .refine(...needed("machineType", "a machine type"))
  .refine(...needed("image", "an image"))
  .refine(...needed("network", "a network"));

/** Params of `gceInstance` as the schema gives them out. */
export type Params = z.output<typeof params>;

/** Metadata that an instance is to have, SSH keys among it. */
export function metadataOf(p: Params): Record<string, string> {
  return {
    ...p.metadata,
    ...(p.sshKeys.length > 0 && { "ssh-keys": p.sshKeys.map(({ user, key }) => `${user}:${key.trim()}`).join("\n") }),
    ...(p.hostKeys && { "enable-guest-attributes": "TRUE" }),
  };
}

/** The region of a zone: `europe-west3-a` is in `europe-west3`. */
export function regionOf(zone: string): string {
  return zone.replace(/-[a-z]+$/, "");
}

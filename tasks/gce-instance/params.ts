import { z } from "../../src/authoring.ts";
import { keyFits, kmsKey } from "../gce-disk/shape.ts";
import { needed, resourceName, shared } from "../gce-network/own.ts";

const owner = z.string().min(1, "a project").describe("Project that owns the image: suse-cloud, debian-cloud");
const image = z
  .union(
    [
      z.strictObject({
        project: owner,
        family: resourceName().describe("Image family; its newest image is used"),
      }),
      z.strictObject({
        project: owner,
        name: resourceName().describe("Name of the image"),
      }),
    ],
    { error: '{ project: "suse-cloud", family: "sles-15" }' },
  )
  .describe("Image of the boot disk; required unless state is absent; not compared once the instance exists");

const hostname = () =>
  z
    .string()
    .regex(
      /^(?=.{1,253}$)[a-z]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z]([a-z0-9-]{0,61}[a-z0-9])?)+$/,
      'a host name with its domain, like "web-1.example.org"',
    );

const serviceAccount = z.strictObject({
  email: z
    .string()
    .regex(/^[^@\s/]+@[^@\s/]+\.[^@\s/]+$/, 'an e-mail address, like "web@harvester-lab-1234.iam.gserviceaccount.com"')
    .describe("E-mail address of the service account"),
  scopes: z
    .array(
      z
        .string()
        .startsWith("https://www.googleapis.com/auth/", "a scope, beginning with https://www.googleapis.com/auth/"),
    )
    .min(1, "at least one scope")
    .default(["https://www.googleapis.com/auth/cloud-platform"])
    .describe("OAuth scopes; with the default, only the account's roles limit access"),
});

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
      .describe("Machine type; required unless state is absent; can be changed only while the instance is stopped"),
    image: image.optional(),
    bootDisk: z
      .strictObject({
        sizeGb: z.int("a number of GB").min(10, "at least 10 GB").describe("Size in GiB"),
        type: z.string().default("pd-balanced").describe("Type of disk"),
        kmsKey: kmsKey()
          .optional()
          .describe("Key in Cloud KMS that encrypts the disk; default: a key that Google manages"),
      })
      .default({ sizeGb: 50, type: "pd-balanced" })
      .describe("The boot disk, which is deleted with the instance"),
    disks: z
      .array(resourceName())
      .default([])
      .describe(
        "Names of disks to attach, in the instance's zone; the guest sees each at /dev/disk/by-id/google-NAME. They outlive the instance",
      ),
    network: resourceName().optional().describe("Network that the instance is in; required unless state is absent"),
    subnetwork: resourceName()
      .optional()
      .describe("Subnetwork of that network, in the zone's region; required if the network's subnetworks are custom"),
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
      .describe(
        "External address of the instance: a temporary one while it runs, none, or a reserved one in the zone's region",
      ),
    nested: z.boolean().default(false).describe("Whether the instance can run virtual machines"),
    spot: z.boolean().default(false).describe("A cheaper machine that Google may stop at any time"),
    hostname: hostname()
      .optional()
      .describe("Host name; default: Google's own name for the instance; cannot be changed later"),
    serviceAccount: serviceAccount
      .optional()
      .describe(
        "Service account that programs on the instance use; default: none, or unchanged; can be changed only while the instance is stopped",
      ),
    deletionProtection: z
      .boolean()
      .optional()
      .describe(
        "Whether Google refuses to delete the instance; with state absent, false turns the protection off first",
      ),
    tags: z.array(resourceName()).default([]).describe("Network tags, which firewall rules refer to"),
    labels: shared.labels(),
    metadata: z
      .record(z.string(), z.string())
      .default({})
      .describe("Metadata that the instance must have; other keys are left alone"),
    sshKeys: z
      .array(
        z.strictObject({
          user: z
            .string()
            .regex(/^[a-z_][a-z0-9_-]*$/, 'a user name, like "ann"')
            .describe("Login name"),
          key: z
            .string()
            .regex(/^\S+ \S+/, 'a public key, like "ssh-ed25519 AAAA…"')
            .describe("Public key"),
        }),
      )
      .default([])
      .describe("Users who may log in; written to the instance's metadata, which the guest agent reads"),
    hostKeys: z
      .boolean()
      .default(true)
      .describe("Wait until the guest agent has published the host keys, so that the first connection is verified"),
    owner: shared.owner(),
    state: z
      .enum(["present", "stopped", "absent"])
      .default("present")
      .describe("present: running; stopped: only its disks cost money; absent: deleted with its boot disk"),
  })
  .refine(...needed("machineType", "a machine type"))
  .refine(...needed("image", "an image"))
  .refine(...needed("network", "a network"))
  .refine((p) => keyFits(p.bootDisk.kmsKey, p.zone), {
    message: "a key in the region of the zone",
    path: ["bootDisk", "kmsKey"],
  });

/** Parsed params of `gceInstance`. */
export type Params = z.output<typeof params>;

/** Returns the wanted metadata, including SSH keys. */
export function metadataOf(p: Params): Record<string, string> {
  return {
    ...p.metadata,
    ...(p.sshKeys.length > 0 && { "ssh-keys": p.sshKeys.map(({ user, key }) => `${user}:${key.trim()}`).join("\n") }),
    ...(p.hostKeys && { "enable-guest-attributes": "TRUE" }),
  };
}

/** Returns the region of a zone: `europe-west3-a` is in `europe-west3`. */
export function regionOf(zone: string): string {
  return zone.replace(/-[a-z]+$/, "");
}

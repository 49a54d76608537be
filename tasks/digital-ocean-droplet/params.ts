import { z } from "../../src/authoring.ts";
import { common, resourceName } from "./own.ts";

const needed = (p: { readonly state: string }, value: unknown): boolean => p.state === "absent" || value !== undefined;

/** Params of `digitalOceanDroplet`. */
export const params = z
  .strictObject({
    name: resourceName().describe("Name of the droplet, and its host name"),
    region: common
      .region()
      .optional()
      .describe(
        "Region; required unless state is absent; cannot be changed once the droplet exists. With state absent, the task refuses to delete a droplet in another region",
      ),
    size: z
      .string()
      .regex(/^[a-z0-9]+(-[a-z0-9.]+)+$/, 'the slug of a size, like "g-16vcpu-64gb"')
      .optional()
      .describe("Size; required unless state is absent; can be changed only while the droplet is off"),
    image: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]*$/, 'the slug or number of an image, like "debian-12-x64"')
      .optional()
      .describe("Image; required unless state is absent; not compared once the droplet exists"),
    publicKeys: z
      .array(z.string().regex(/^\S+ \S+/, 'a public key, like "ssh-ed25519 AAAA…"'))
      .default([])
      .describe("Public keys for logins as root; digitalOceanSshKey must have registered them; only for a new droplet"),
    volumes: z
      .array(resourceName())
      .max(15, "at most 15 volumes")
      .default([])
      .describe(
        "Volumes to attach, in the droplet's region; the guest sees each at /dev/disk/by-id/scsi-0DO_Volume_NAME",
      ),
    vpc: z
      .uuid({ error: "the UUID of a VPC network" })
      .optional()
      .describe(
        "VPC network, by its UUID; default: the account's default network in the region; cannot be changed later",
      ),
    tags: common.tags(),
    owner: common.owner(),
    token: common.token(),
    state: z
      .enum(["present", "absent"])
      .default("present")
      .describe("present: running; absent: deleted with its own disk; its volumes are kept"),
  })
  .refine((p) => needed(p, p.region), { message: "a region, unless the state is absent", path: ["region"] })
  .refine((p) => needed(p, p.size), { message: "a size, unless the state is absent", path: ["size"] })
  .refine((p) => needed(p, p.image), { message: "an image, unless the state is absent", path: ["image"] })
  .refine((p) => p.state === "absent" || p.publicKeys.length > 0, {
    message: "at least one key, because DigitalOcean would otherwise send a password by e-mail",
    path: ["publicKeys"],
  });

/** Parsed params of `digitalOceanDroplet`. */
export type Params = z.output<typeof params>;

/** Returns a key without its comment. */
export function bareKey(key: string): string {
  return key.trim().split(/\s+/).slice(0, 2).join(" ");
}

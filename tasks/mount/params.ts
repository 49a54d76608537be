import { absolutePath, z } from "../../src/authoring.ts";

const place = {
  path: absolutePath()
    .refine((path) => path !== "/", "a mount point other than the root directory")
    .describe("Mount point; /etc/fstab keeps at most one line for it"),
};
const timeout = z
  .number()
  .int()
  .min(1)
  .max(3600)
  .default(60)
  .describe("Seconds after which a mount or unmount is abandoned, so that a dead server cannot hang a run");
const source = z
  .string({ error: 'what to mount, like "UUID=…", "/dev/vg0/data" or "server:/export"' })
  .regex(/^[^\s#]\S*$/, 'what to mount, without spaces, like "UUID=…" or "server:/export"')
  .describe("UUID=…, LABEL=…, a device, server:/export, or a name such as tmpfs");
const kept = {
  source,
  fileSystem: z
    .string()
    .regex(/^[a-z][\w.]*$/, 'a type of file system, like "ext4" or "nfs"')
    .describe("Type of the file system, as in fstab"),
  options: z
    .string()
    .regex(/^[^\s,]+(,[^\s,]+)*$/, 'options with commas between them, like "defaults,nofail"')
    .default("defaults,nofail")
    .describe("Options as in fstab; without nofail, a missing source stops the boot"),
  check: z
    .literal([0, 1, 2])
    .default(0)
    .describe("Order of the file system check at boot: 0 for none, 2 for a data disk"),
};

/** Params of `mount`. */
export const params = z.union([
  z.strictObject({
    ...place,
    state: z.literal("mounted").default("mounted").describe("Mounted now and at every boot"),
    ...kept,
    timeoutSeconds: timeout,
  }),
  z.strictObject({
    ...place,
    state: z.literal("unmounted").describe("Listed in fstab, but mounted neither now nor at the next access"),
    ...kept,
    lazy: z.boolean().default(false).describe("Detach the file system even if it is busy or its server is dead"),
    timeoutSeconds: timeout,
  }),
  z.strictObject({
    ...place,
    state: z.literal("absent").describe("Not listed in fstab, and mounted neither now nor at the next access"),
    lazy: z.boolean().default(false).describe("Detach the file system even if it is busy or its server is dead"),
    timeoutSeconds: timeout,
  }),
]);

/** Parsed params of `mount`. */
export type Params = z.output<typeof params>;
/** The params if fstab must contain a line for the path. */
export type Kept = Exclude<Params, { readonly state: "absent" }>;

/** True for a bind mount, which shows a directory in a second place. */
export function isBind(p: Kept): boolean {
  return p.options.split(",").some((option) => option === "bind" || option === "rbind");
}

/** True if the mounted files are on a server. */
export function isNetwork(p: Kept): boolean {
  return /^(nfs|cifs|smb|fuse|ceph|glusterfs|9p)/.test(p.fileSystem);
}

/** True if the mounted files are on one of the host's block devices. */
export function isBlock(p: Kept): boolean {
  return !isBind(p) && /^(UUID|LABEL|PARTUUID|PARTLABEL)=|^\/dev\//.test(p.source);
}

/**
 * Returns the options of a bind mount itself. Options that are not given come from the mount that contains its source.
 */
export function ownOptions(p: Kept): string {
  return p.options
    .split(",")
    .filter((option) => !["defaults", "sync", "async"].includes(option))
    .join(",");
}

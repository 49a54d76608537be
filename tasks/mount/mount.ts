import {
  absent,
  absolutePath,
  blockDevice,
  disks,
  file,
  flagsOf,
  fstabWith,
  knownAfterApply,
  type KnownAfterApply,
  match,
  type MountState,
  mountAt,
  mountUse,
  peek,
  refuse,
  type Refusal,
  type Step,
  task,
  z,
} from "../../src/authoring.ts";
import { contentRead } from "../file/content-read.ts";
import { busy } from "./busy.ts";

const place = {
  path: absolutePath()
    .refine((path) => path !== "/", "a directory to mount at, not the root directory")
    .describe("Where it is mounted; one line of /etc/fstab at most mounts there"),
};
const timeout = z
  .number()
  .int()
  .min(1)
  .max(3600)
  .default(60)
  .describe("After so long a mount or unmount is given up: a dead server must not hang a run");
const source = z
  .string({ error: 'what to mount, like "UUID=…", "/dev/vg0/data" or "server:/export"' })
  .regex(/^[^\s#]\S*$/, 'what to mount, without blanks, like "UUID=…" or "server:/export"')
  .describe("UUID=…, LABEL=…, a device, server:/export, or a name such as tmpfs");
const kept = {
  source,
  fileSystem: z
    .string()
    .regex(/^[a-z][\w.]*$/, 'a type of file system, like "ext4" or "nfs"')
    .describe("Its type, as in fstab"),
  options: z
    .string()
    .regex(/^[^\s,]+(,[^\s,]+)*$/, 'options with commas between them, like "defaults,nofail"')
    .default("defaults,nofail")
    .describe("Options as in fstab; without nofail something missing stops the boot"),
  check: z.literal([0, 1, 2]).default(0).describe("Order of the check at boot: 0 for none, 2 for a data disk"),
};

const params = z.union([
  z.strictObject({
    ...place,
    state: z.literal("mounted").default("mounted").describe("Mounted now and at every boot"),
    ...kept,
    timeoutSeconds: timeout,
  }),
  z.strictObject({
    ...place,
    state: z.literal("unmounted").describe("Listed in fstab and not mounted now"),
    ...kept,
    lazy: z.boolean().default(false).describe("Detach it even if it is busy or its server is dead"),
    timeoutSeconds: timeout,
  }),
  z.strictObject({
    ...place,
    state: z.literal("absent").describe("Not mounted, and no line in fstab"),
    lazy: z.boolean().default(false).describe("Detach it even if it is busy or its server is dead"),
    timeoutSeconds: timeout,
  }),
]);

type Params = z.output<typeof params>;
type Kept = Exclude<Params, { readonly state: "absent" }>;

/** Keeps what is mounted at a path, now and in fstab, with exactly one line for the path. Looks into no mount. */
export const mount = task({
  name: "mount",
  summary: "Keep something mounted at a path, now and in fstab, or keep it from being mounted",
  params,
  examples: [
    { path: "/srv/iso", source: "UUID=0a3407de-014b-458b-b5c1-848e92a327a3", fileSystem: "ext4", check: 2 },
    { path: "/mnt/share", source: "nas:/export", fileSystem: "nfs", options: "ro,nofail,_netdev" },
    { path: "/mnt/old", state: "absent" },
  ],
  title: (p) => `mount ${p.path}`,
  // All units: systemd is told of a changed fstab, and with that of every unit file that was newer than what it knew.
  disturbs: ({ path }) => [`mount:${path}/**`, `file:${path}/**`, "block-device:**", "unit:*"],
})
  .facts((p) => ({
    mount: mountAt(p.path, p.state === "mounted" && isBind(p) ? ["origin"] : []),
    ...(p.state === "mounted" && isBind(p) && { bound: mountAt(p.source.replace(/(.)\/+$/, "$1"), ["origin"]) }),
    fstab: file("/etc/fstab", ["text"]),
    ...(p.state === "mounted" && isBlock(p) && { device: blockDevice(p.source) }),
  }))
  .facts((p, now) => ({
    ...(p.state === "mounted" && !now.mount.mounted && !now.mount.automount && { directory: file(p.path) }),
    ...("device" in now && now.device === absent && { disks: disks() }),
    ...(p.state !== "mounted" && !p.lazy && peek(now.mount, "mounted") === true && { use: mountUse(p.path) }),
  }))
  .want((p, now) => {
    const text = fstabWith(textOf(now.fstab), p.path, p.state === "absent" ? undefined : line(p));
    const fstab = now.fstab === absent && text === "" ? undefined : { type: "file" as const, text };
    if (p.state !== "mounted") {
      const use = peek(now, "use") === knownAfterApply ? undefined : now.use;
      return busy(p.path, use) ?? { fstab, mount: { mounted: false } };
    }
    if (now.device === absent) return missing(p, now.disks ?? []);
    // An automount point mounts at first use, and may unmount when idle: both are right.
    if (now.mount.automount && !now.mount.mounted) return { fstab };
    const node = now.device?.path;
    const origin = originOf(peek(now, "bound"));
    if (now.mount.mounted && !isSame(p, node, now.mount, origin)) return taken(p, node, now.mount);
    if (now.directory !== undefined && now.directory !== absent && now.directory.type !== "directory")
      return inTheWay(p, now.directory.type);
    return {
      fstab,
      mount: {
        mounted: true,
        ...(node !== undefined && { source: node }),
        ...(!isBind(p) && !isNetwork(p) && p.fileSystem !== "auto" && { fileSystem: p.fileSystem }),
        ...(isBind(p) && { origin }),
        flags: flagsOf(isBind(p) ? ownOptions(p) : p.options),
      },
      ...(now.directory !== undefined && { directory: { type: "directory" as const } }),
    };
  })
  .steps((p, { change, now, want }) => {
    const unmounts = p.state !== "mounted" && now.mount.mounted;
    const mounts = p.state === "mounted" && !now.mount.mounted && !now.mount.automount;
    const text = (want.fstab as { readonly text?: string } | undefined)?.text ?? "";
    return [
      unmounts && unmount(p),
      now.directory === absent && { step: "makeDirectory", path: p.path, parents: true },
      change.fstab && { step: "writeFile", path: "/etc/fstab", text, replaces: contentRead(now.fstab) },
      change.fstab && !mounts && reload,
      mounts && act(p, change.fstab && { before: textOf(now.fstab), after: text }),
      p.state === "mounted" && !mounts && change.mount && remount(p),
    ];
  })
  .notes((p, now) =>
    p.state === "mounted" && now.mount.automount && !now.mount.mounted ? [`${p.path} is mounted at first use`] : [],
  );

const reload: Step = {
  step: "run",
  label: "tell systemd of fstab",
  argv: ["sh", "-c", "[ ! -d /run/systemd/system ] || systemctl daemon-reload"],
  timeoutSeconds: 60,
};

/**
 * systemd is told of fstab first: by an old one it could unmount at once. KILL, because a dead server holds TERM up. Where the
 * mount fails, `fstab` is written back: a line that cannot be mounted would stop the next boot.
 */
function act(p: Kept, fstab: { readonly before: string; readonly after: string } | false | undefined): Step {
  const script = `[ ! -d /run/systemd/system ] || systemctl daemon-reload || exit 1
timeout -k 5 "$1" mount -t "$2" -o "$3" -- "$4" "$5" && { [ -z "$6" ] || timeout -k 5 "$1" mount -o "$6" "$5"; } && exit 0
rc=$?
[ $rc != 124 ] && [ $rc != 137 ] || echo "$4 did not answer within $1 seconds" >&2
if [ -n "$7" ] && [ "$(cat /etc/fstab; echo .)" = "$9." ]; then
  t=/etc/.fstab.furrow; cp -p /etc/fstab $t && printf %s "$8" >$t && mv -f $t /etc/fstab && echo "/etc/fstab is as it was before" >&2
  [ ! -d /run/systemd/system ] || systemctl daemon-reload
fi
exit $rc`;
  const words = [String(p.timeoutSeconds), p.fileSystem, p.options, p.source, p.path];
  // busybox's mount takes no flags together with bind.
  const hasFlags = isBind(p) && Object.keys(flagsOf(ownOptions(p))).length > 0;
  if (hasFlags || fstab) words.push(hasFlags ? remountOptions(p) : "");
  if (fstab) words.push("fstab", fstab.before, fstab.after);
  return {
    step: "run",
    label: `mount ${p.source} at ${p.path}`,
    argv: ["sh", "-c", script, "furrow-mount", ...words],
    timeoutSeconds: p.timeoutSeconds + 60,
  };
}

function remount(p: Kept): Step {
  return {
    step: "run",
    argv: ["timeout", "-k", "5", String(p.timeoutSeconds), "mount", "-o", remountOptions(p), p.path],
  };
}

/** Of a bind mount only its own flags may change: without `bind` the whole file system would get them (mount(8)). */
function remountOptions(p: Kept): string {
  return isBind(p)
    ? `remount,bind,${ownOptions(p).replace(/\br?bind\b,?/, "")}`.replace(/,$/, "")
    : `remount,${p.options}`;
}

/** Takes every mount from the path: several may lie over each other. */
function unmount(p: Params): Step {
  const script = `while grep -q "^[^ ]* [^ ]* [^ ]* [^ ]* $3 " /proc/self/mountinfo; do timeout -k 5 "$1" umount $2 -- "$4" && continue
rc=$?
[ $rc != 124 ] && [ $rc != 137 ] || echo "$4 could not be unmounted within $1 seconds; lazy: true detaches it" >&2
exit $rc
done`;
  const field = p.path
    .replaceAll(/[ \t\n\\]/g, (byte) => String.raw`\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`)
    .replaceAll(/[.[\]*^$]/g, String.raw`\$&`);
  const lazy = "lazy" in p && p.lazy ? "-l" : "";
  const words = [String(p.timeoutSeconds), lazy, field, p.path];
  return { step: "run", label: `unmount ${p.path}`, argv: ["sh", "-c", script, "furrow-mount", ...words] };
}

function line(p: Kept): Parameters<typeof fstabWith>[2] {
  return { source: p.source, path: p.path, fileSystem: p.fileSystem, options: p.options, check: p.check };
}

function isBind(p: Kept): boolean {
  return p.options.split(",").some((option) => option === "bind" || option === "rbind");
}

function isNetwork(p: Kept): boolean {
  return /^(nfs|cifs|smb|fuse|ceph|glusterfs|9p)/.test(p.fileSystem);
}

function isBlock(p: Kept): boolean {
  return !isBind(p) && /^(UUID|LABEL|PARTUUID|PARTLABEL)=|^\/dev\//.test(p.source);
}

/** What a path leads to; knownAfterApply where an earlier task decides it. */
function originOf(bound: MountState | KnownAfterApply | undefined): string | KnownAfterApply {
  if (bound === undefined || bound === knownAfterApply) return knownAfterApply;
  return peek(bound, "origin") ?? knownAfterApply;
}

/** The options that a bind mount has of its own: what it is not told, it takes from the mount of its source. */
function ownOptions(p: Kept): string {
  return p.options
    .split(",")
    .filter((option) => !["defaults", "sync", "async"].includes(option))
    .join(",");
}

/** A bind mount shows the device below it: it is the same where it leads to the same place of the same file system. */
function isSame(p: Kept, node: string | undefined, now: MountState, origin: string | KnownAfterApply): boolean {
  if (isBind(p)) return match(peek(now, "origin"), origin) !== "differs";
  if (node !== undefined) return now.source === node;
  return now.source.replace(/(.)\/$/, "$1") === p.source.replace(/(.)\/$/, "$1");
}

function textOf(value: unknown): string {
  return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string"
    ? value.text
    : "";
}

function missing(p: Kept, there: readonly { readonly path: string; readonly serial: string }[]): Refusal {
  return refuse({
    code: "device-missing",
    message: `${p.source} is not on the host`,
    current:
      there.map(({ path, serial }) => (serial === "" ? path : `${path} (serial ${serial})`)).join(", ") ||
      "no disk at all",
    expected: p.source,
    hint: "Correct the source, or attach the disk; lsblk -f lists what each holds",
  });
}

function taken(p: Kept, node: string | undefined, now: MountState): Refusal {
  return refuse({
    code: "mount-point-taken",
    message: `${p.path} has something else mounted on it`,
    current: isBind(p) ? `${now.origin} (${now.fileSystem})` : `${now.source} (${now.fileSystem})`,
    expected: node ?? p.source,
    hint: `Unmount it first: mount({ path: "${p.path}", state: "absent" })`,
  });
}

function inTheWay(p: Kept, type: string): Refusal {
  return refuse({
    code: "in-the-way",
    message: `${p.path} is a ${type}, and a directory is wanted to mount at`,
    hint: "Choose another path, or remove what is there",
  });
}

import {
  absent,
  blockDevice,
  disks,
  file,
  knownAfterApply,
  type KnownAfterApply,
  match,
  mayRefuse,
  type MountState,
  mountAt,
  onlyRead,
  peek,
  task,
  exactly,
} from "../../src/authoring.ts";
import { flagsOf, fstabWith, mountUse, fileText } from "../../src/facts/catalogue.ts";
import { contentRead } from "../file/content-read.ts";
import { busy } from "./busy.ts";
import { isBind, isBlock, isNetwork, type Kept, ownOptions, params } from "./params.ts";
import { badSource, inTheWay, missing, taken } from "./refusals.ts";
import { act, reload, remount, unmount } from "./steps.ts";

/** Keeps a path mounted, now and in fstab, with exactly one fstab line for it. Never reads the mounted files. */
export const mount = task({
  name: "mount",
  summary: "Keep a file system or directory mounted at a path, now and in fstab, or keep it unmounted",
  params,
  examples: [
    { path: "/srv/iso", source: "UUID=0a3407de-014b-458b-b5c1-848e92a327a3", fileSystem: "ext4", check: 2 },
    { path: "/mnt/share", source: "nas:/export", fileSystem: "nfs", options: "ro,nofail,_netdev" },
    { path: "/mnt/old", state: "absent" },
  ],
  title: (p) => `mount ${p.path}`,
  // This disturbs all units: systemd reloads after a change to fstab, and then also loads every changed unit file.
  disturbs: ({ path }) => [`mount:${exactly(path)}/**`, `file:${exactly(path)}/**`, "block-device:**", "unit:*"],
})
  .facts((p) => ({
    mount: mountAt(p.path, p.state === "mounted" && isBind(p) ? ["origin"] : []),
    ...(p.state === "mounted" && isBind(p) && { bound: mountAt(sourcePath(p), ["origin"]) }),
    fstab: file("/etc/fstab", ["text"]),
    ...(p.state === "mounted" && isBlock(p) && { device: blockDevice(p.source) }),
  }))
  .facts((p, now) => ({
    ...(p.state === "mounted" && !now.mount.mounted && !now.mount.automount && { directory: file(p.path) }),
    ...(p.state === "mounted" &&
      isBind(p) &&
      p.source.startsWith("/") &&
      !now.mount.mounted &&
      !now.mount.automount && { bindSource: mayRefuse(onlyRead(file(sourcePath(p))), ["type"]) }),
    ...("device" in now && now.device === absent && { disks: disks() }),
    ...(p.state !== "mounted" &&
      !p.lazy &&
      (peek(now.mount, "mounted") === true || peek(now.mount, "automount") === true) && {
        use: mayRefuse(mountUse(p.path)),
      }),
  }))
  .want((p, now) => {
    const text = fstabWith(fileText(now.fstab) ?? "", p.path, p.state === "absent" ? undefined : line(p));
    const fstab = now.fstab === absent && text === "" ? undefined : { type: "file" as const, text };
    if (p.state !== "mounted") {
      const use = peek(now, "use") === knownAfterApply ? undefined : now.use;
      return busy(p.path, use) ?? { fstab, mount: { mounted: false, automount: false } };
    }
    if (now.device === absent) return missing(p, now.disks ?? []);
    const shown = peek(now, "bindSource");
    if (shown === absent) return badSource(p, "absent");
    const shownType = typeof shown === "object" ? peek(shown, "type") : undefined;
    if (shownType === "file" || shownType === "other") return badSource(p, shownType);
    // An automount point is mounted at first use and may be unmounted when idle, so both states are accepted.
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
    const unmounts = p.state !== "mounted" && (now.mount.mounted || now.mount.automount);
    const mounts = p.state === "mounted" && !now.mount.mounted && !now.mount.automount;
    const text = (want.fstab as { readonly text?: string } | undefined)?.text ?? "";
    return [
      unmounts && unmount(p, now.mount.mounted),
      now.directory === absent && { step: "makeDirectory", path: p.path, parents: true },
      change.fstab && { step: "writeFile", path: "/etc/fstab", text, replaces: contentRead(now.fstab) },
      change.fstab && !mounts && reload,
      mounts && act(p, change.fstab && { before: fileText(now.fstab) ?? "", after: text }),
      p.state === "mounted" && !mounts && change.mount && remount(p),
    ];
  })
  .notes((p, now) =>
    p.state === "mounted" && now.mount.automount && !now.mount.mounted ? [`${p.path} is mounted at first use`] : [],
  );

function line(p: Kept): Parameters<typeof fstabWith>[2] {
  return { source: p.source, path: p.path, fileSystem: p.fileSystem, options: p.options, check: p.check };
}

function sourcePath(p: Kept): string {
  return p.source.replace(/(.)\/+$/, "$1");
}

/** Returns the origin of a path; knownAfterApply if it depends on an earlier task. */
function originOf(bound: MountState | KnownAfterApply | undefined): string | KnownAfterApply {
  if (bound === undefined || bound === knownAfterApply) return knownAfterApply;
  return peek(bound, "origin") ?? knownAfterApply;
}

/**
 * True if the mount is the wanted one. A bind mount shows the device of the file system below it, so its origin is
 * compared: the file system, and the directory on it.
 */
function isSame(p: Kept, node: string | undefined, now: MountState, origin: string | KnownAfterApply): boolean {
  if (isBind(p)) return match(peek(now, "origin"), origin) !== "differs";
  if (node !== undefined) return now.source === node;
  return now.source.replace(/(.)\/$/, "$1") === p.source.replace(/(.)\/$/, "$1");
}

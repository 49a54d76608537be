import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopDisk, type LoopHost, loopHost, run } from "../disk/loop-host.ts";
import { refusal } from "../disk/tried.ts";
import { taskHost } from "../tasks/on-host.ts";
import { disk } from "../../tasks/disk/disk.ts";
import { mount } from "../../tasks/mount/mount.ts";

let host: LoopHost;
const names: string[] = [];
beforeAll(async () => {
  host = await loopHost();
});
afterAll(async () => {
  for (const name of names) rmSync(name, { force: true });
  await host.close();
});

/**
 * Creates a stable name for a disk, as udev does. The name is created in this machine's /dev, so it must be unique
 * there.
 */
function stableName(target: LoopDisk, word: string): string {
  const name = `/dev/disk/by-id/furrow-acceptance-${process.pid}-${word}`;
  mkdirSync("/dev/disk/by-id", { recursive: true });
  rmSync(name, { force: true });
  symlinkSync(target.path, name);
  names.push(name);
  return name;
}

/** Boots the host with the two disks swapped, as can happen on a cloud VM. */
async function bootSwapped(one: LoopDisk, two: LoopDisk): Promise<readonly [LoopDisk, LoopDisk]> {
  await host.reboot();
  const script = `set -e
partx -d "$1" 2>/dev/null || true; partx -d "$3" 2>/dev/null || true
losetup -d "$1" "$3"; losetup "$3" "$2"; losetup "$1" "$4"
partx -a "$3"; partx -a "$1"`;
  run(["sh", "-c", script, "sh", one.path, one.file, two.path, two.file]);
  const moved = [
    { ...one, path: two.path },
    { ...two, path: one.path },
  ] as const;
  for (const { path, serial } of moved) {
    const known = `/run/udev/data/b7:${path.slice("/dev/loop".length)}`;
    await host.sh(`printf 'I:1\nE:ID_SERIAL_SHORT=%s\n' ${serial} >${known}`);
  }
  return moved;
}

const uuidOf = (path: string): string => run(["blkid", "-p", "-s", "UUID", "-o", "value", path]).trim();

describe("a disk with a file system and files on it", () => {
  test("is refused with an error that names its label, then adopted with all its files once the mount task mounts it", async () => {
    const target = host.disk(64);
    const point = `${host.folder}/mnt/kept`;
    run(["sfdisk", "-q", "--no-reread", target.path], "label: gpt\n,\n");
    run(["partx", "-u", target.path]);
    run(["mkfs.ext4", "-q", "-L", "archive", `${target.path}p1`]);
    await host.sh(`mkdir -p ${point}; mount ${target.path}p1 ${point}; echo precious >${point}/file; umount ${point}`);
    const data = disk({ device: target.path, mountPoint: point });
    const [end] = await host.apply(data);
    expect(refusal(end)).toBe("disk-not-empty");
    expect(end?.error?.failure.what).toContain('an ext4 file system labelled "archive"');
    expect(end?.error?.failure.hint).toContain("mount task");
    const source = `UUID=${uuidOf(`${target.path}p1`)}`;
    const mounted = mount({ path: point, source, fileSystem: "ext4", check: 2 });
    expect((await host.apply(mounted, data)).map(({ outcome }) => outcome)).toEqual(["changed", "ok"]);
    expect(await host.sh(`cat ${point}/file; grep -c ' ${point} ' /etc/fstab`)).toBe("precious\n1\n");
  });

  test("needs no changes if it is mounted at the right place and has its line in fstab", async () => {
    const target = host.disk(64);
    const point = `${host.folder}/mnt/there`;
    run(["mkfs.ext4", "-q", target.path]);
    await host.sh(`mkdir -p ${point}; mount ${target.path} ${point}
echo 'UUID=${uuidOf(target.path)} ${point} ext4 defaults,nofail 0 2' >>/etc/fstab`);
    expect(await host.apply(disk({ device: target.path, mountPoint: point }))).toMatchObject([
      { outcome: "ok", steps: [] },
    ]);
  });
});

test("disks whose order changes at boot are found by their stable names, and mounted at the same places", async () => {
  const pair = [host.disk(64, { serial: "one" }), host.disk(64, { serial: "two" })] as const;
  const points = ["one", "two"].map((word) => `${host.folder}/mnt/${word}`);
  const calls = (order: readonly LoopDisk[]) =>
    order.map((target, at) => disk({ device: stableName(target, `${at + 1}`), mountPoint: points[at] ?? "" }));
  expect((await host.apply(...calls(pair))).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
  for (const point of points) await host.sh(`basename ${point} >${point}/name`);
  const swapped = await bootSwapped(...pair);
  await host.sh("mount --all --types ext4 2>/dev/null || true");
  for (const [at, point] of points.entries()) {
    expect(await host.sh(`cat ${point}/name`)).toBe(`${["one", "two"][at]}\n`);
    expect(await host.sh(`findmnt -no SOURCE ${point}`)).toBe(`${swapped[at]?.path}p1\n`);
  }
  expect((await host.apply(...calls(swapped))).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
});

test("the host's root disk is refused, even if `wipe` lists the disk's serial", async () => {
  const target = host.disk(64);
  const root = `${host.folder}/mnt/root`;
  run(["mkfs.ext4", "-q", target.path]);
  await host.sh(`set -e
mkdir -p ${root}; mount ${target.path} ${root}; cd ${root}
for folder in bin sbin lib lib64 usr etc dev proc sys run; do mkdir $folder; mount --rbind /$folder $folder; done
mkdir tmp var mnt`);
  const inside = taskHost([...host.enter, "chroot", root, "sh"]);
  for (const wipe of [undefined, { serial: target.serial }]) {
    const call = disk({ device: target.path, mountPoint: "/mnt/data", ...(wipe !== undefined && { wipe }) });
    const ends = [...(await inside.check(call)), ...(await inside.apply(call))];
    expect(ends.map((end) => refusal(end))).toEqual(["disk-is-root", "disk-is-root"]);
  }
});

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type LoopDisk, type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { refused, tried } from "../../test/disk/tried.ts";
import { disk } from "./disk.ts";

/** Tests disks that are in use under a name other than the one in the playbook. */
let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

function wipeOf(target: LoopDisk, point = "data"): ReturnType<typeof disk> {
  const mountPoint = `${host.folder}/mnt/${point}`;
  return disk({ device: target.path, mountPoint, wipe: { serial: target.serial } });
}

/**
 * A second loop device for the same bytes, like the second device node of a disk that has two paths but no multipathd.
 */
function secondPath(target: LoopDisk): string {
  const path = run(["losetup", "--find", "--show", target.file]).trim();
  onTestFinished(() => void run(["losetup", "--detach", path]));
  const record = `/run/udev/data/b7:${path.slice("/dev/loop".length)}`;
  run([...host.enter, "sh", "-c", `echo "E:ID_SERIAL_SHORT=$1" > "$2"`, "sh", target.serial, record]);
  return path;
}

test("a wipe spares a disk that is mounted through a second path", async () => {
  const target = host.disk(200);
  run(["sfdisk", "-q", "--no-reread", target.path], "label: gpt\n,80M\n");
  run(["partx", "-u", target.path]);
  run(["mkfs.ext4", "-q", `${target.path}p1`]);
  const second = secondPath(target);
  run(["partx", "-u", second]);
  await host.sh(`mkdir -p /mnt/other-path && mount -o ro,noload ${second}p1 /mnt/other-path`);
  onTestFinished(async () => {
    await host.sh("umount /mnt/other-path; rmdir /mnt/other-path");
    run(["partx", "-d", second]);
  });
  expect(await tried(host, target, wipeOf(target))).toEqual(
    refused("disk-mounted-elsewhere", new RegExp(`mounted at /mnt/other-path as ${second}p1 \\(the same disk`)),
  );
});

test("a disk is refused if a second path to it is open for writing", async () => {
  const target = host.disk(200);
  const second = secondPath(target);
  await host.sh(`sleep 120 7<> ${second} > /dev/null 2>&1 & echo $! > ${host.folder}/pid`);
  onTestFinished(async () => void (await host.sh(`kill $(cat ${host.folder}/pid)`)));
  expect(await tried(host, target, wipeOf(target))).toEqual(
    refused("disk-in-use", new RegExp(`open for writing by process \\d+ \\(.*\\) as ${second}`)),
  );
});

test("a wipe writes nothing if a second path to the disk is mounted between the guard and the step", async () => {
  const target = host.disk(200);
  run(["mkfs.ext4", "-q", "-F", target.path]);
  const second = secondPath(target);
  const late = `${host.folder}/late`;
  await host.sh(`mkdir -p ${late} ${host.folder}/mnt/late
printf '#!/bin/sh\\nmountpoint -q %s || mount %s %s\\nexec /usr/bin/flock "$@"\\n' ${host.folder}/mnt/late ${second} ${host.folder}/mnt/late > ${late}/flock
chmod +x ${late}/flock`);
  onTestFinished(async () => void (await host.sh(`umount ${host.folder}/mnt/late`)));
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${late}:${path}`;
  const [applied] = await host.apply(wipeOf(target)).finally(() => (process.env["PATH"] = path));
  expect(applied?.error?.failure.details?.join("\n")).toContain(
    `is in use: path:${second.slice("/dev/".length)}:mount:${host.folder}/mnt/late`,
  );
});

test("a disk is refused if a process in a container has it open under another name", async () => {
  const target = host.disk(200);
  const script = `mount -t tmpfs container /mnt && cp -a "$1" /mnt/rootdisk && exec sleep 120 7<> /mnt/rootdisk`;
  await host.sh(`unshare --mount sh -c '${script}' sh ${target.path} > /dev/null 2>&1 & echo $! > ${host.folder}/pid
sleep 1`);
  onTestFinished(async () => void (await host.sh(`kill $(cat ${host.folder}/pid)`)));
  expect(await tried(host, target, wipeOf(target))).toEqual(
    refused("disk-in-use", /open for writing by process \d+ \(sleep\)/),
  );
});

test("a disk is refused if a loop device uses it through a node outside of /dev, as kubelet's does", async () => {
  const target = host.disk(200);
  const node = "/mnt/volume of a pod";
  await host.sh(`mount -t tmpfs pods /mnt && touch '${node}' && mount --bind ${target.path} '${node}'`);
  const loop = (await host.sh(`losetup --find --show '${node}'`)).trim();
  onTestFinished(async () => void (await host.sh(`losetup --detach ${loop}; umount '${node}'; umount /mnt`)));
  expect(await tried(host, target, wipeOf(target))).toEqual(
    refused("disk-in-use", new RegExp(`in use through the loop device ${loop}`)),
  );
});

test("check refuses a wipe of a disk that is mounted at the mount point with another file system, as the run does", async () => {
  const target = host.disk(200);
  const point = `${host.folder}/mnt/here`;
  run(["mkfs.btrfs", "-q", target.path]);
  await host.sh(`mkdir ${point} && mount -o ro ${target.path} ${point}`);
  onTestFinished(async () => void (await host.sh(`umount ${point}`)));
  expect(await tried(host, target, wipeOf(target, "here"))).toEqual(
    refused("disk-mounted", new RegExp(`mounted at ${point}.* contains a btrfs file system`)),
  );
});

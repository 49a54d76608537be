import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashOf, type LoopDisk, type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { refused, tried } from "../../test/disk/tried.ts";
import { disk } from "./disk.ts";
import { marksOf } from "./marks.ts";

let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

let points = 0;
/** Returns a mount point that no other test uses. */
function newPoint(): string {
  points += 1;
  return `${host.folder}/mnt/point ${points}`;
}

describe("a disk that furrow has begun to format", () => {
  async function unfinished(target: LoopDisk): Promise<void> {
    const call = disk({ device: target.path, mountPoint: newPoint() });
    const programs = `${host.folder}/broken`;
    run([
      "sh",
      "-c",
      `mkdir -p ${programs}; printf '#!/bin/sh\\nexit 9\\n' > ${programs}/mkfs.ext4; chmod +x ${programs}/mkfs.ext4`,
    ]);
    const path = process.env["PATH"] ?? "";
    process.env["PATH"] = `${programs}:${path}`;
    try {
      expect(await host.apply(call)).toMatchObject([{ outcome: "failed" }]);
    } finally {
      process.env["PATH"] = path;
    }
    expect(run(["partx", "-g", "-o", "NAME", target.path]).trim()).toBe("furrow-unfinished");
  }

  test("is not formatted again if someone else put a file system on it", async () => {
    const target = host.disk(64);
    await unfinished(target);
    run(["mkfs.ext2", "-q", `${target.path}p1`]);
    expect(await tried(host, target, disk({ device: target.path, mountPoint: newPoint() }))).toEqual(
      refused("disk-not-empty", /an ext2 file system/),
    );
  });

  test("is not formatted again if its file system holds files", async () => {
    const target = host.disk(64);
    await unfinished(target);
    const call = disk({ device: target.path, mountPoint: newPoint() });
    const machine = (await host.sh("cat /etc/machine-id")).trim();
    const marks = marksOf(machine, {
      type: "disk",
      path: target.path,
      sizeBytes: 64 << 20,
      sectorBytes: 512,
      serial: target.serial,
      readOnly: false,
    });
    run(["mkfs.ext4", "-q", "-U", marks.fileSystem.ext4, `${target.path}p1`]);
    await host.sh(
      `mkdir -p /mnt/look-b; mount ${target.path}p1 /mnt/look-b; echo precious > /mnt/look-b/file; umount /mnt/look-b; rmdir /mnt/look-b`,
    );
    const before = await hashOf(target);
    const [end] = await host.apply(call);
    expect(end?.error?.failure.details?.join("\n")).toMatch(/holds files, although it is marked as unfinished/);
    expect(await hashOf(target)).toBe(before);
  });

  test("is refused if another machine began to format it", async () => {
    const target = host.disk(64, { serial: "moved" });
    await unfinished(target);
    await host.sh("echo 0123456789abcdef0123456789abcdef > /etc/machine-id");
    expect(await tried(host, target, disk({ device: target.path, mountPoint: newPoint() }))).toEqual(
      refused("disk-not-empty", /a GPT partition table with 1 partition/),
    );
  });
});

describe("wipe", () => {
  test("is refused if the disk has a different serial", async () => {
    const target = host.disk(64);
    run(["mkfs.ext4", "-q", target.path]);
    const call = disk({ device: target.path, mountPoint: newPoint(), wipe: { serial: "another" } });
    expect(await tried(host, target, call)).toEqual(refused("wrong-serial", /must not be wiped/));
  });

  test("erases everything if the disk has the given serial, but only once", async () => {
    const target = host.disk(400);
    run(["sfdisk", "-q", "--no-reread", target.path], "label: gpt\n,100M\n,100M\n");
    run(["partx", "-u", target.path]);
    run(["mkfs.ext4", "-q", `${target.path}p1`]);
    run(["mkswap", `${target.path}p2`]);
    const point = newPoint();
    const call = disk({ device: target.path, mountPoint: point, wipe: { serial: target.serial } });
    const [applied] = await host.apply(call);
    expect(applied?.error?.failure).toBeUndefined();
    expect(applied?.steps.slice(0, 2)).toEqual([`wipe ${target.path}`, `partition ${target.path}`]);
    await host.sh(`echo kept > '${point}/file'`);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok", steps: [] }]);
    expect(await host.sh(`cat '${point}/file'`)).toBe("kept\n");
  });
});

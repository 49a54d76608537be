import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashOf, type LoopDisk, type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import type { TaskEnd } from "../../test/tasks/on-host.ts";
import { disk } from "./disk.ts";

let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

let points = 0;
/** A path to mount at that no other test uses. */
function newPoint(): string {
  points += 1;
  return `${host.folder}/mnt/point ${points}`;
}

function refusal(end: TaskEnd | undefined): string | undefined {
  return end?.error?.failure.details?.find((line) => line.startsWith("refused: "))?.slice("refused: ".length);
}

async function mustRefuse(target: LoopDisk, call: ReturnType<typeof disk>, code: string, says: RegExp): Promise<void> {
  const before = await hashOf(target);
  const [checked] = await host.check(call);
  const [applied] = await host.apply(call);
  expect([refusal(checked), refusal(applied)]).toEqual([code, code]);
  expect(applied?.error?.failure.what).toMatch(says);
  expect(await hashOf(target)).toBe(before);
}

describe("a blank disk", () => {
  test.each([
    { fileSystem: "ext4", mebibytes: 200, sectorBytes: 512 },
    { fileSystem: "ext4", mebibytes: 200, sectorBytes: 4096 },
    { fileSystem: "xfs", mebibytes: 330, sectorBytes: 4096 },
    { fileSystem: "btrfs", mebibytes: 200, sectorBytes: 512 },
  ] as const)(
    "becomes $fileSystem with sectors of $sectorBytes bytes",
    async ({ fileSystem, mebibytes, sectorBytes }) => {
      const target = host.disk(mebibytes, { sectorBytes });
      const point = newPoint();
      const call = disk({
        device: target.path,
        mountPoint: point,
        fileSystem,
        label: "data",
        mode: "0711",
        owner: "daemon",
      });
      const [checked] = await host.check(call);
      const [applied] = await host.apply(call);
      expect(applied?.error?.failure).toBeUndefined();
      expect(checked).toMatchObject({ outcome: "changed", facts: applied?.facts });
      expect(await host.check(call)).toMatchObject([{ outcome: "ok" }]);
      expect(await host.apply(call)).toMatchObject([{ outcome: "ok", steps: [] }]);
      run(["sfdisk", "--verify", target.path]);
      if (sectorBytes === 512) expect(run(["sgdisk", "--verify", target.path])).toContain("No problems found");
      const uuid = run(["blkid", "-p", "-s", "UUID", "-o", "value", `${target.path}p1`]).trim();
      const field = point.replaceAll(" ", String.raw`\040`);
      expect(await host.sh("cat /etc/fstab")).toContain(
        `UUID=${uuid} ${field} ${fileSystem} defaults,nofail 0 ${fileSystem === "ext4" ? 2 : 0}\n`,
      );
      expect(await host.sh(`stat -c '%a %U' '${point}'`)).toBe("711 daemon\n");

      await host.sh(`echo kept > '${point}/file'`);
      await host.reboot();
      expect(await host.apply(call)).toMatchObject([
        { outcome: "changed", facts: expect.arrayContaining([`mount:${point}`]) as unknown },
      ]);
      expect(await host.sh(`cat '${point}/file'`)).toBe("kept\n");
    },
  );

  test("is refused where it is too small", async () => {
    const target = host.disk(64);
    const call = disk({ device: target.path, mountPoint: newPoint(), minimumSizeBytes: 100_000_000 });
    await mustRefuse(target, call, "disk-too-small", /64 MiB.* is too small/);
  });

  test("is refused where files lie below the mount point", async () => {
    const target = host.disk(64);
    const point = newPoint();
    await host.sh(`mkdir -p '${point}'; echo > '${point}/file'`);
    await mustRefuse(target, disk({ device: target.path, mountPoint: point }), "mount-point-not-empty", /holds files/);
  });

  test("is refused where fstab mounts something else there", async () => {
    const target = host.disk(64);
    await host.sh("echo 'UUID=1234-ABCD /mnt/other vfat defaults 0 0' >> /etc/fstab");
    await mustRefuse(
      target,
      disk({ device: target.path, mountPoint: "/mnt/other" }),
      "mount-point-taken",
      /UUID=1234-ABCD/,
    );
  });

  test("is refused where another disk says it is the same one", async () => {
    const [first, second] = [host.disk(64, { serial: "twin" }), host.disk(64, { serial: "twin" })];
    expect(await host.apply(disk({ device: first.path, mountPoint: newPoint() }))).toMatchObject([
      { outcome: "changed" },
    ]);
    await mustRefuse(second, disk({ device: second.path, mountPoint: newPoint() }), "uuid-taken", /two disks/);
  });

  test("is left alone where someone writes to it between the look and the act", async () => {
    const target = host.disk(64);
    const point = newPoint();
    const call = disk({ device: target.path, mountPoint: point });
    const end = host.apply(call);
    // The script of the first step waits here, holding nothing yet: a lock of ours stands in for slow hands.
    run(["flock", target.path, "sh", "-c", `sleep 2; mkfs.ext4 -q -L foreign ${target.path}`]);
    const [applied] = await end;
    const label = run(["blkid", "-p", "-s", "LABEL", "-o", "value", target.path]).trim();
    expect([applied?.outcome, label]).toEqual(["failed", "foreign"]);
    expect(applied?.steps).toContain(`partition ${target.path}`);
    expect(applied?.error?.code).toBe("E_STEP");
  });
});

describe("a disk in use", () => {
  test("is refused where its file system is mounted elsewhere", async () => {
    const target = host.disk(64);
    run(["mkfs.ext4", "-q", target.path]);
    await host.sh(`mkdir -p /mnt/elsewhere-a; mount ${target.path} /mnt/elsewhere-a`);
    const [end] = await host.apply(disk({ device: target.path, mountPoint: newPoint() }));
    expect(refusal(end)).toBe("disk-mounted-elsewhere");
    expect(end?.error?.failure.what).toMatch(/mounted at \/mnt\/elsewhere-a.* an ext4 file system/);
    await host.sh("umount /mnt/elsewhere-a; rmdir /mnt/elsewhere-a");
  });

  test("is refused where it is swap", async () => {
    const target = host.disk(64);
    run(["mkswap", target.path]);
    run(["swapon", target.path]);
    const [end] = await host.apply(
      disk({ device: target.path, mountPoint: newPoint(), wipe: { serial: target.serial } }),
    );
    run(["swapoff", target.path]);
    expect(refusal(end)).toBe("disk-in-use");
    expect(end?.error?.failure.what).toMatch(/in use as swap/);
  });

  test("is refused where it is one of several disks of a mounted btrfs", async () => {
    const [first, second] = [host.disk(140), host.disk(140)];
    run(["mkfs.btrfs", "-q", first.path, second.path]);
    await host.sh(`mkdir -p /mnt/several; mount ${first.path} /mnt/several`);
    const [end] = await host.apply(
      disk({ device: second.path, mountPoint: newPoint(), wipe: { serial: second.serial } }),
    );
    await host.sh("umount /mnt/several; rmdir /mnt/several");
    expect(refusal(end)).toBe("disk-in-use");
  });

  test("is refused where it carries the root file system", async () => {
    const root = run(["findmnt", "-no", "SOURCE", "/"]).trim();
    const [end] = await host.check(
      disk({
        device: root,
        mountPoint: newPoint(),
        wipe: { serial: run(["lsblk", "-dno", "SERIAL", root]).trim() || "overlayblk" },
      }),
    );
    expect(["disk-is-root", "not-a-disk", "wrong-serial"]).toContain(refusal(end));
  });
});

describe("a disk that is right already", () => {
  test("is adopted where fstab names it by its path, whose line then names the UUID", async () => {
    const target = host.disk(64);
    const point = newPoint().replaceAll(" ", "-");
    run(["sfdisk", "-q", "--no-reread", target.path], "label: gpt\n,\n");
    run(["partx", "-u", target.path]);
    run(["mkfs.ext4", "-q", "-U", "11111111-2222-4333-8444-555555555555", `${target.path}p1`]);
    await host.sh(`mkdir -p ${point}; mount ${target.path}p1 ${point}; echo precious > ${point}/file; umount ${point}`);
    await host.sh(`for i in 1 2 3; do echo '${target.path}p1 ${point} ext4 defaults 0 0' >> /etc/fstab; done`);
    const call = disk({ device: target.path, mountPoint: point, label: "adopted" });
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok", steps: [] }]);
    expect(await host.sh(`cat ${point}/file; grep ' ${point} ' /etc/fstab`)).toBe(
      `precious\nUUID=11111111-2222-4333-8444-555555555555 ${point} ext4 defaults,nofail 0 2\n`,
    );
  });

  test("is adopted where it is mounted there without any line or partition", async () => {
    const target = host.disk(64);
    const point = newPoint();
    run(["mkfs.ext4", "-q", target.path]);
    await host.sh(`mkdir -p '${point}'; mount ${target.path} '${point}'`);
    expect(await host.apply(disk({ device: target.path, mountPoint: point }))).toMatchObject([
      { outcome: "changed", facts: ["file:/etc/fstab"] },
    ]);
  });
});

describe("furrow's own unfinished work", () => {
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

  test("is not formatted again where someone else put a file system on it", async () => {
    const target = host.disk(64);
    await unfinished(target);
    run(["mkfs.ext2", "-q", `${target.path}p1`]);
    await mustRefuse(
      target,
      disk({ device: target.path, mountPoint: newPoint() }),
      "disk-not-empty",
      /an ext2 file system/,
    );
  });

  test("is not formatted again where its file system holds files", async () => {
    const target = host.disk(64);
    await unfinished(target);
    const call = disk({ device: target.path, mountPoint: newPoint() });
    const { marksOf } = await import("./marks.ts");
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

  test("of another machine is refused", async () => {
    const target = host.disk(64, { serial: "moved" });
    await unfinished(target);
    await host.sh("echo 0123456789abcdef0123456789abcdef > /etc/machine-id");
    await mustRefuse(
      target,
      disk({ device: target.path, mountPoint: newPoint() }),
      "disk-not-empty",
      /a GPT partition table with 1 partition/,
    );
  });
});

describe("wipe", () => {
  test("is refused with another serial", async () => {
    const target = host.disk(64);
    run(["mkfs.ext4", "-q", target.path]);
    const call = disk({ device: target.path, mountPoint: newPoint(), wipe: { serial: "another" } });
    await mustRefuse(target, call, "wrong-serial", /may not be wiped/);
  });

  test("with the disk's serial takes all away, once", async () => {
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

test("a missing disk is refused with a list of those that are there", async () => {
  const there = host.disk(64);
  const [end] = await host.check(disk({ device: "/dev/disk/by-id/nope", mountPoint: newPoint() }));
  expect(refusal(end)).toBe("disk-missing");
  expect(end?.error?.failure.current).toContain(`${there.path} (64 MiB, serial ${there.serial})`);
});

import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { refusal, refused, tried } from "../../test/disk/tried.ts";
import { file } from "../file/file.ts";
import { disk } from "./disk.ts";

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

describe("a blank disk", () => {
  test.each([
    { fileSystem: "ext4", mebibytes: 200, sectorBytes: 512 },
    { fileSystem: "ext4", mebibytes: 200, sectorBytes: 4096 },
    { fileSystem: "xfs", mebibytes: 330, sectorBytes: 4096 },
    { fileSystem: "btrfs", mebibytes: 200, sectorBytes: 512 },
  ] as const)(
    "gets a $fileSystem file system if it has $sectorBytes-byte sectors",
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
      expect(run(["sgdisk", "--verify", target.path])).toContain("No problems found");
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

  test("is refused if it is too small", async () => {
    const target = host.disk(64);
    const call = disk({ device: target.path, mountPoint: newPoint(), minimumSizeBytes: 100_000_000 });
    expect(await tried(host, target, call)).toEqual(refused("disk-too-small", /64 MiB.* is too small/));
  });

  test("is refused if the mount point's directory contains files", async () => {
    const target = host.disk(64);
    const point = newPoint();
    await host.sh(`mkdir -p '${point}'; echo > '${point}/file'`);
    expect(await tried(host, target, disk({ device: target.path, mountPoint: point }))).toEqual(
      refused("mount-point-not-empty", /holds files/),
    );
  });

  test("is refused if fstab mounts something else at the mount point", async () => {
    const target = host.disk(64);
    await host.sh("echo 'UUID=1234-ABCD /mnt/other vfat defaults 0 0' >> /etc/fstab");
    expect(await tried(host, target, disk({ device: target.path, mountPoint: "/mnt/other" }))).toEqual(
      refused("mount-point-taken", /UUID=1234-ABCD/),
    );
  });

  test("is refused if another disk claims to be the same disk", async () => {
    const [first, second] = [host.disk(64, { serial: "twin" }), host.disk(64, { serial: "twin" })];
    expect(await host.apply(disk({ device: first.path, mountPoint: newPoint() }))).toMatchObject([
      { outcome: "changed" },
    ]);
    expect(await tried(host, second, disk({ device: second.path, mountPoint: newPoint() }))).toEqual(
      refused(
        "disk-mounted-elsewhere",
        /as .*p1 \(the same disk by a second path, or another disk with the same serial\)/,
      ),
    );
  });

  test("is left alone if another program writes to it between the guard and the step", async () => {
    const target = host.disk(64);
    const point = newPoint();
    const call = disk({ device: target.path, mountPoint: point });
    // The step begins by taking a lock; just before that, another program creates a file system.
    const programs = `${host.folder}/meddling`;
    const meddle = `[ -e ${programs}/done ] || { : > ${programs}/done; mkfs.ext4 -q -L foreign ${target.path}; }`;
    run(["mkdir", programs]);
    writeFileSync(`${programs}/flock`, `#!/bin/sh\n${meddle}\nexec /usr/bin/flock "$@"\n`, { mode: 0o755 });
    const path = process.env["PATH"] ?? "";
    process.env["PATH"] = `${programs}:${path}`;
    const [applied] = await host.apply(call).finally(() => (process.env["PATH"] = path));
    const label = run(["blkid", "-p", "-s", "LABEL", "-o", "value", target.path]).trim();
    expect([applied?.outcome, label]).toEqual(["failed", "foreign"]);
    expect(applied?.steps).toContain(`partition ${target.path}`);
    expect(applied?.error?.code).toBe("E_STEP");
  });
});

describe("a disk in use", () => {
  test("is refused if its file system is mounted elsewhere", async () => {
    const target = host.disk(64);
    run(["mkfs.ext4", "-q", target.path]);
    await host.sh(`mkdir -p /mnt/elsewhere-a; mount ${target.path} /mnt/elsewhere-a`);
    const [end] = await host.apply(disk({ device: target.path, mountPoint: newPoint() }));
    expect(refusal(end)).toBe("disk-mounted-elsewhere");
    expect(end?.error?.failure.what).toMatch(/mounted at \/mnt\/elsewhere-a.* an ext4 file system/);
    await host.sh("umount /mnt/elsewhere-a; rmdir /mnt/elsewhere-a");
  });

  test("is refused if it is used as swap", async () => {
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

  test("is refused if it is one of several disks of a mounted btrfs", async () => {
    const [first, second] = [host.disk(140), host.disk(140)];
    run(["mkfs.btrfs", "-q", first.path, second.path]);
    await host.sh(`mkdir -p /mnt/several; mount ${first.path} /mnt/several`);
    const [end] = await host.apply(
      disk({ device: second.path, mountPoint: newPoint(), wipe: { serial: second.serial } }),
    );
    await host.sh("umount /mnt/several; rmdir /mnt/several");
    expect(refusal(end)).toBe("disk-in-use");
  });

  test("is refused if it holds the root file system", async () => {
    const root = run(["findmnt", "-nvo", "SOURCE", "/"]).trim();
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

describe("a disk that already has the wanted file system", () => {
  test("is adopted if fstab lists it by path, which the task replaces with the UUID", async () => {
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

  test.each([
    { where: "at its mount point", below: "point of its own", link: undefined },
    { where: "behind a link", below: "linked/point", link: "behind" },
  ])("is mounted again if only the mount $where is missing", async ({ below, link }) => {
    const target = host.disk(64);
    const point = `${host.folder}/mnt/${below}`;
    if (link !== undefined) await host.sh(`cd '${host.folder}/mnt' && mkdir ${link} && ln -s ${link} linked`);
    const call = disk({ device: target.path, mountPoint: point });
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed", error: undefined }]);
    await host.sh(`echo kept > '${point}/file'; umount '${point}'`);
    const again = [call, file({ path: `${point}/other`, content: "x" })] as const;
    expect((await host.check(call)).map(({ facts }) => facts)).toEqual([[expect.stringMatching(/^mount:/) as string]]);
    const [mounted, written] = await host.apply(...again);
    expect([mounted?.error?.failure, mounted?.outcome, written?.outcome]).toEqual([undefined, "changed", "changed"]);
    expect(await host.sh(`cat '${point}/file' '${point}/other'; umount '${point}'`)).toBe("kept\nx");
    expect((await host.apply(...again)).map(({ outcome }) => outcome)).toEqual(["changed", "ok"]);
    expect((await host.apply(...again)).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
  });

  test("is adopted if it is unpartitioned and already mounted at the mount point, but has no fstab line", async () => {
    const target = host.disk(64);
    const point = newPoint();
    run(["mkfs.ext4", "-q", target.path]);
    await host.sh(`mkdir -p '${point}'; mount ${target.path} '${point}'`);
    expect(await host.apply(disk({ device: target.path, mountPoint: point }))).toMatchObject([
      { outcome: "changed", facts: ["file:/etc/fstab"] },
    ]);
  });
});

test("disk refuses a missing disk and lists the existing ones", async () => {
  const there = host.disk(64);
  const [end] = await host.check(disk({ device: "/dev/disk/by-id/nope", mountPoint: newPoint() }));
  expect(refusal(end)).toBe("disk-missing");
  expect(end?.error?.failure.current).toContain(`${there.path} (64 MiB, serial ${there.serial})`);
});

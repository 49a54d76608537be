import { execFileSync } from "node:child_process";
import { closeSync, copyFileSync, openSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { refused, tried } from "../../test/disk/tried.ts";
import { disk } from "./disk.ts";

/** Tests uses of a disk that the kernel's lists of mounts and holders do not show. Takes about 8 s. */
let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

describe("a disk that is in use", () => {
  test("is refused if a loop device uses it, even if wiping is allowed", async () => {
    const target = host.disk(200);
    const loop = execFileSync("losetup", ["--find", "--show", target.path], { encoding: "utf8" }).trim();
    onTestFinished(() => void run(["losetup", "--detach", loop]));
    const call = disk({ device: target.path, mountPoint: `${host.folder}/mnt/loop`, wipe: { serial: target.serial } });
    expect(await tried(host, target, call)).toEqual(
      refused("disk-in-use", new RegExp(`in use through the loop device ${loop}`)),
    );
  });

  test("is refused if a process has it open for writing, and the refusal names the process", async () => {
    const target = host.disk(200);
    const open = openSync(target.path, "r+");
    onTestFinished(() => closeSync(open));
    const call = disk({ device: target.path, mountPoint: `${host.folder}/mnt/open` });
    expect(await tried(host, target, call)).toEqual(
      refused("disk-in-use", new RegExp(`open for writing by process ${process.pid} \\(`)),
    );
  });

  test("is not refused if a process only reads it", async () => {
    const target = host.disk(200);
    const open = openSync(target.path, "r");
    onTestFinished(() => closeSync(open));
    const [checked] = await host.check(disk({ device: target.path, mountPoint: `${host.folder}/mnt/read` }));
    expect(checked).toMatchObject({ outcome: "changed" });
  });
});

test("disk does not adopt a file system that has a copy on another disk, because the host could mount the copy", async () => {
  const target = host.disk(200);
  const point = `${host.folder}/mnt/twice`;
  const call = disk({ device: target.path, mountPoint: point });
  const [made] = await host.apply(call);
  expect(made?.error?.failure).toBeUndefined();
  await host.sh(`umount ${point}`);
  const copy = host.disk(200);
  copyFileSync(target.file, copy.file);
  run(["partx", "--update", copy.path]);
  expect(await tried(host, target, call)).toEqual(
    refused("uuid-twice", new RegExp(`has the same file system UUID .* as ${copy.path}p1`)),
  );
});

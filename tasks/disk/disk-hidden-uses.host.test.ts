import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hashOf, type LoopDisk, type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { refused, tried } from "../../test/disk/tried.ts";
import { disk } from "./disk.ts";

/** Tests uses of the second partition that appear neither in the host's mounts nor in the kernel's list of holders. */
let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

/**
 * Makes mkfs write the complete file system. Otherwise, the kernel would write the rest after the mount, during the
 * test.
 */
const complete = ["-E", "lazy_itable_init=0,lazy_journal_init=0"];

/** A disk whose first partition contains data, and whose second contains nothing yet. */
function twoPartitions(): LoopDisk {
  const target = host.disk(200);
  run(["sfdisk", "-q", "--no-reread", target.path], "label: gpt\n,80M\n,80M\n");
  run(["partx", "-u", target.path]);
  run(["mkfs.ext4", "-q", "-L", "precious", `${target.path}p1`]);
  return target;
}

function wipeOf(target: LoopDisk): ReturnType<typeof disk> {
  return disk({ device: target.path, mountPoint: `${host.folder}/mnt/data`, wipe: { serial: target.serial } });
}

/** Mounts a file system in a new mount namespace until the test has finished. */
async function mountHidden(source: string, point: string): Promise<ChildProcess> {
  const script = `mkdir -p "$2" && mount "$1" "$2" && sync && echo ready && exec cat`;
  const child = spawn("unshare", ["--mount", "--propagation=private", "sh", "-c", script, "sh", source, point], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    child.stdout?.once("data", resolve);
    child.once("exit", reject);
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return child;
}

test("a wipe spares the first partition if the second is the journal of a mounted file system", async () => {
  const [target, user] = [twoPartitions(), host.disk(100)];
  run(["mke2fs", "-q", "-b", "4096", "-O", "journal_dev", `${target.path}p2`]);
  run(["mkfs.ext4", "-q", "-b", "4096", ...complete, "-J", `device=${target.path}p2`, user.path]);
  await host.sh(`mkdir -p /mnt/journaled; mount ${user.path} /mnt/journaled; sync`);
  onTestFinished(() => void host.sh("umount /mnt/journaled; rmdir /mnt/journaled"));
  expect(await tried(host, target, wipeOf(target))).toEqual(
    refused("disk-in-use", new RegExp(`in use as the journal of the file system on ${user.path} `)),
  );
});

test("a wipe spares the first partition if the second is mounted in another mount namespace", async () => {
  const target = twoPartitions();
  run(["mkfs.ext4", "-q", ...complete, `${target.path}p2`]);
  const { pid } = await mountHidden(`${target.path}p2`, `${host.folder}/mnt/hidden`);
  expect(await tried(host, target, wipeOf(target))).toEqual(
    refused(
      "disk-mounted-elsewhere",
      new RegExp(`mounted at ${host.folder}/mnt/hidden in the mount namespace of process ${pid} \\(`),
    ),
  );
});

test.each([
  { what: "the disk", part: "" },
  { what: "its second partition", part: "p2" },
])("a wipe spares the disk if something that the host does not list has exclusive use of $what", async ({ part }) => {
  const target = twoPartitions();
  const open = openSync(`${target.path}${part}`, constants.O_RDONLY | constants.O_EXCL);
  onTestFinished(() => closeSync(open));
  expect(await tried(host, target, wipeOf(target))).toEqual(refused("disk-in-use", /in exclusive use by something/));
});

test("a wipe writes nothing if something takes exclusive use of a partition between the guard and the step", async () => {
  const target = twoPartitions();
  const programs = `${host.folder}/claiming`;
  // The step begins by taking a lock; just before that, another program opens the partition exclusively.
  const claim = `require("fs").openSync("${target.path}p2", ${constants.O_EXCL}); setTimeout(() => {}, 15000)`;
  run(["mkdir", programs]);
  writeFileSync(
    `${programs}/flock`,
    `#!/bin/sh\n[ -e ${programs}/done ] || { : > ${programs}/done; '${process.execPath}' -e '${claim}' > /dev/null 2>&1 8>&- & sleep 1; }\nexec /usr/bin/flock "$@"\n`,
    { mode: 0o755 },
  );
  const before = await hashOf(target);
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${programs}:${path}`;
  const [applied] = await host.apply(wipeOf(target)).finally(() => (process.env["PATH"] = path));
  expect(applied?.error?.failure.details?.join("\n")).toMatch(/something has exclusive use of/);
  expect(await hashOf(target)).toBe(before);
});

test("a file system that is mounted in another mount namespace can still be mounted again on the host", async () => {
  const target = host.disk(100);
  const point = `${host.folder}/mnt/again`;
  const call = disk({ device: target.path, mountPoint: point });
  const [made] = await host.apply(call);
  expect(made?.error?.failure).toBeUndefined();
  await mountHidden(`${target.path}p1`, `${host.folder}/mnt/kept`);
  await host.sh(`umount '${point}'`);
  expect((await host.check(call)).map(({ outcome }) => outcome)).toEqual(["changed"]);
  expect((await host.apply(call)).map(({ outcome }) => outcome)).toEqual(["changed"]);
  expect((await host.apply(call)).map(({ outcome }) => outcome)).toEqual(["ok"]);
});

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { mount } from "./mount.ts";

/** Tests uses of a mount that the kernel sees, although no process with the same mounts has a file open on it. */
let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

/**
 * Mounts a file system in a folder whose mounts propagate, as mounts below the root do under systemd. Returns the path
 * of the file system.
 */
async function spread(name: string): Promise<string> {
  const folder = `${host.folder}/mnt/${name}`;
  await host.sh(`mkdir ${folder} && mount -t tmpfs tmpfs ${folder} && mount --make-shared ${folder}
mkdir '${folder}/the disk' && mount -t tmpfs tmpfs '${folder}/the disk' && echo text > '${folder}/the disk/file'`);
  return `${folder}/the disk`;
}

/** Runs a script in a new mount namespace until the test has finished. */
async function inNamespace(propagation: string, script: string): Promise<void> {
  const pid = await host.sh(`unshare --mount --propagation=${propagation} sh -c '${script}' > /dev/null 2>&1 &
echo $!; sleep 1`);
  onTestFinished(async () => void (await host.sh(`kill ${pid.trim()}; sleep 0.3`)));
}

/** Returns the errors of an unmount in check mode and in a run, and the output of umount. */
async function tried(path: string): Promise<object> {
  const gone = mount({ path, state: "absent" });
  const ends = [...(await host.check(gone)), ...(await host.apply(gone))];
  const said = ends.map(({ error }) => [error?.failure.details?.[0], error?.failure.current]);
  return { said, kernel: await host.sh(`umount '${path}' 2>&1 || :`) };
}

function refusedAs(why: RegExp): object {
  const said = ["refused: mount-busy", expect.stringMatching(why) as string];
  return { said: [said, said], kernel: expect.stringMatching(/busy/) as string };
}

test("refuses to unmount a path where a service with PrivateTmp has a file open", async () => {
  const path = await spread("service");
  await inNamespace("slave", `mount --make-rshared /; exec sleep 60 7< "${path}/file"`);
  expect(await tried(path)).toEqual(refusedAs(/^sleep \(\d+\) has a file open there$/));
});

test("refuses to unmount a path that a container sees under another name, and in which it has a file open", async () => {
  const path = await spread("container");
  const folder = path.slice(0, path.lastIndexOf("/"));
  await inNamespace(
    "slave",
    `mount -t tmpfs c /mnt; mkdir /mnt/h; mount --rbind ${folder} /mnt/h; exec sleep 60 7< "/mnt/h/the disk/file"`,
  );
  expect(await tried(path)).toEqual(refusedAs(/^sleep \(\d+\) has a file open there$/));
});

test("unmounts a path that a process has open only in a private copy of the mounts, as the kernel does", async () => {
  const path = await spread("private");
  await inNamespace("private", `exec sleep 60 7< "${path}/file"`);
  const gone = mount({ path, state: "absent" });
  expect(await host.check(gone)).toMatchObject([{ outcome: "changed" }]);
  expect(await host.apply(gone)).toMatchObject([{ outcome: "changed" }]);
});

test("refuses to unmount a path with a socket in it that a process listens on", async () => {
  const path = await spread("socket");
  const listen = `require("net").createServer().listen("${path}/a.sock"); setTimeout(() => {}, 60000)`;
  await host.sh(`'${process.execPath}' -e '${listen}' > /dev/null 2>&1 & echo $! > ${host.folder}/pid; sleep 2`);
  onTestFinished(async () => void (await host.sh(`kill $(cat ${host.folder}/pid)`)));
  expect(await tried(path)).toEqual(refusedAs(/^the socket .*\/socket\/the disk\/a\.sock is in use$/));
});

test("refuses to unmount a path that the NFS server exports", async () => {
  const path = await spread("exported");
  await host.sh(`mount -t tmpfs proc /proc/fs && mkdir /proc/fs/nfsd
printf '# Version 1.1\\n%s\\t*(rw)\\n' '${path.replace(" ", String.raw`\040`)}' > /proc/fs/nfsd/exports`);
  onTestFinished(async () => void (await host.sh("umount /proc/fs")));
  const [end] = await host.check(mount({ path, state: "absent" }));
  expect(end?.error?.failure.current).toBe(`${path} is exported by the NFS server`);
});

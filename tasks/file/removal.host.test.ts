import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { fileFunctions } from "../../src/transport/frame/compile/prelude.ts";
import { directoryTree } from "../directory-tree/directory-tree.ts";
import { mount } from "../mount/mount.ts";
import { file } from "./file.ts";
import { mkdirSync, writeFileSync } from "node:fs";

let host: LoopHost;
let at: string;
beforeAll(async () => {
  host = await loopHost();
  at = `${host.folder}/mnt`;
});
afterAll(() => host.close());

const gone = (path: string, more: object = {}) => file({ path, state: "absent", recursive: true, ...more });

/** Returns the errors in check mode and then in a run, for tasks that must be refused in both. */
async function refusals(...nodes: ReturnType<typeof file>[]): Promise<unknown[]> {
  const ends = [...(await host.check(...nodes)), ...(await host.apply(...nodes))];
  return ends.map(({ outcome, error }) => error?.failure.details?.[0] ?? outcome);
}

describe("the removal of something mounted or otherwise in use", () => {
  test("is refused for a mount point, and its data is kept", async () => {
    await host.sh(`mkdir -p ${at}/a; mount -t tmpfs a ${at}/a; echo data >${at}/a/file`);
    expect(await refusals(gone(`${at}/a`))).toEqual(["refused: in-use", "refused: in-use"]);
    expect(await host.sh(`cat ${at}/a/file`)).toBe("data\n");
  });

  test("is refused for a mount below the path; the mount's data and siblings are kept", async () => {
    await host.sh(`mkdir -p '${at}/b/x/deep er'; echo s >${at}/b/sibling; mount -t tmpfs b '${at}/b/x/deep er'`);
    const [end] = await host.check(gone(`${at}/b`));
    expect(end?.error?.failure.what).toContain(`a file system is mounted at ${at}/b/x/deep er`);
    expect(await refusals(gone(`${at}/b`))).toEqual(["refused: in-use", "refused: in-use"]);
    expect(await host.sh(`cat ${at}/b/sibling`)).toBe("s\n");
  });

  test("is refused for a tree that is bind-mounted elsewhere", async () => {
    await host.sh(
      `mkdir -p ${at}/c/data ${at}/shown; echo d >${at}/c/data/file; mount --bind ${at}/c/data ${at}/shown`,
    );
    expect(await refusals(gone(`${at}/c`))).toEqual(["refused: in-use", "refused: in-use"]);
    expect(await host.sh(`cat ${at}/shown/file; umount ${at}/shown`)).toBe("d\n");
    expect(await host.apply(gone(`${at}/c`))).toMatchObject([{ outcome: "changed" }]);
  });

  test("is refused for the image file of a loop device", async () => {
    await host.sh(`mkdir ${at}/images; truncate -s 1M ${at}/images/disk`);
    const device = (await host.sh(`losetup --find --show ${at}/images/disk`)).trim();
    try {
      expect(await refusals(gone(`${at}/images`))).toEqual(["refused: in-use", "refused: in-use"]);
      const [end] = await host.apply(file({ path: `${at}/images/disk`, state: "absent" }));
      expect(end?.error?.failure.hint).toBe(`Detach it first: losetup --detach ${device}`);
    } finally {
      await host.sh(`losetup --detach ${device}`);
    }
    expect(await host.apply(gone(`${at}/images`))).toMatchObject([{ outcome: "changed" }]);
  });

  test("is refused for a btrfs subvolume below the path, and nothing is deleted", async () => {
    const [root, sub] = [`${at}/btrfs`, `${at}/btrfs/data/a, b`];
    await host.sh(`truncate -s 200M ${host.folder}/btrfs.img; mkfs.btrfs -q ${host.folder}/btrfs.img; mkdir ${root}
mount -o loop ${host.folder}/btrfs.img ${root}; mkdir ${root}/data; echo s >${root}/data/sibling
btrfs subvolume create '${sub}'; echo d >'${sub}/file'`);
    const [end] = await host.check(gone(`${root}/data`));
    expect(end?.error?.failure.what).toContain(`${sub} is a btrfs subvolume`);
    expect(await refusals(gone(`${root}/data`))).toEqual(["refused: in-use", "refused: in-use"]);
    for (const shell of [["sh"], ["busybox", "sh"]]) {
      const words = [...host.enter, ...shell, "-c", `${fileFunctions}\n_fr "$1" 1`, "sh", `${root}/data`];
      expect(() => run(words)).toThrow(/a, b is a btrfs subvolume/);
    }
    expect(await host.sh(`cat ${root}/data/sibling '${sub}/file'`)).toBe("s\nd\n");
    await host.sh(`btrfs subvolume delete '${sub}'`);
    expect(await host.apply(gone(`${root}/data`))).toMatchObject([{ outcome: "changed" }]);
    await host.sh(`umount ${root}`);
  });

  test("is refused for a layer of an overlay that is mounted elsewhere", async () => {
    await host.sh(`cd ${at}; mkdir -p layers/low 'layers/up per' layers/work app; echo l >layers/low/file
mount -t tmpfs layers layers; mkdir layers/low 'layers/up per' layers/work; echo l >layers/low/file
mount -t overlay o -o 'lowerdir=${at}/layers/low,upperdir=${at}/layers/up per,workdir=${at}/layers/work' app`);
    for (const layer of ["low", "up per", "work"]) {
      expect(await refusals(gone(`${at}/layers/${layer}`))).toEqual(["refused: in-use", "refused: in-use"]);
    }
    const [end] = await host.check(gone(`${at}/layers/low`));
    expect(end?.error?.failure.what).toContain(`it contains a layer of the overlay that is mounted at ${at}/app`);
    await host.sh(`umount ${at}/app`);
    expect(await host.apply(gone(`${at}/layers/low`))).toMatchObject([{ outcome: "changed" }]);
    await host.sh(`umount ${at}/layers`);
  });

  test("is undecided in check mode if an earlier task unmounts it, and allowed in the run", async () => {
    const path = `${at}/b/x/deep er`;
    const nodes = [mount({ path, state: "absent" }), gone(`${at}/b`)];
    // Something else may use the directory too, so check mode cannot promise that the directory will be removed.
    expect((await host.check(...nodes)).map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
    expect((await host.apply(...nodes)).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
  });

  test("is refused for a mounted subdirectory that directoryTree would purge", async () => {
    const [source, path] = [`${host.folder}/source`, `${at}/tree`];
    mkdirSync(source);
    writeFileSync(`${source}/index`, "x");
    await host.sh(`mkdir -p ${path}/data; mount -t tmpfs d ${path}/data; echo data >${path}/data/file`);
    expect(await refusals(directoryTree({ source, path, purge: true }))).toEqual([
      "refused: in-use",
      "refused: in-use",
    ]);
    expect(await host.sh(`cat ${path}/data/file; umount ${path}/data`)).toBe("data\n");
    const [end] = await host.apply(directoryTree({ source, path, purge: true }));
    expect(end?.facts).toEqual([`tree:${path}`, `removal:${path}/data`]);
  });

  test("is refused by the step itself if the mount appears after the guard", async () => {
    await host.sh(`mkdir -p '${at}/late/a b'; echo s >${at}/late/sibling; mount -t tmpfs l '${at}/late/a b'`);
    for (const shell of [["sh"], ["busybox", "sh"]]) {
      const words = [...host.enter, ...shell, "-c", `${fileFunctions}\n_fr "$1" 1`, "sh", `${at}/late`];
      expect(() => run(words)).toThrow(/is mounted/);
    }
    expect(await host.sh(`cat ${at}/late/sibling`)).toBe("s\n");
  });
});

describe("a removal", () => {
  test("shows the type, count and bytes of what it deletes", async () => {
    await host.sh(
      `mkdir -p ${at}/n/sub; cd ${at}/n; echo 12345 >one; echo 12345 >'sub/t wo'; ln -s one link; mkfifo pipe`,
    );
    const [end] = await host.check(gone(`${at}/n`));
    expect(end?.changes.at(-1)?.differences).toMatchObject([
      { from: { type: "directory", files: 4, directories: 1, devices: 0, uses: [], bytes: 15 } },
    ]);
    const [one] = await host.check(file({ path: `${at}/n/one`, state: "absent" }));
    expect(one?.changes.at(-1)?.differences).toMatchObject([{ from: { type: "file", bytes: 6 } }]);
  });

  test("is refused without `recursive` if the directory has content, and undecided in check mode if an earlier task may empty it", async () => {
    const path = `${at}/e`;
    await host.sh(`mkdir ${path}; touch ${path}/x`);
    const directory = file({ path, state: "absent" });
    expect(await refusals(directory)).toEqual(["refused: not-empty", "refused: not-empty"]);
    const nodes = [file({ path: `${path}/x`, state: "absent" }), directory];
    // Check mode knows that x will be removed, but not whether anything else will remain.
    expect((await host.check(...nodes)).map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
    expect((await host.apply(...nodes)).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
  });

  test("deletes device nodes only if requested", async () => {
    const path = `${at}/root/dev`;
    await host.sh(`mkdir -p ${path}; mknod ${path}/null c 1 3; mknod ${path}/sda b 8 0`);
    expect(await refusals(gone(`${at}/root`))).toEqual(["refused: device-node", "refused: device-node"]);
    expect(await refusals(file({ path: `${path}/sda`, state: "absent" }))).toContain("refused: device-node");
    expect(await host.apply(gone(`${at}/root`, { devices: true }))).toMatchObject([{ outcome: "changed" }]);
  });

  // These tests use only check mode, which changes nothing: in a run, a broken guard would erase the machine that runs
  // the test.
  test("is refused for /usr behind a link to /", async () => {
    await host.sh(`ln -s / ${at}/everything`);
    const [end] = await host.check(file({ path: `${at}/everything/usr`, state: "absent" }));
    expect(end?.error?.failure.details).toEqual(["refused: protected"]);
  });
});

describe("an obstacle in place of a file or link", () => {
  test("(a FIFO, a device node or a regular file) stays unless `replace` allows replacing it", async () => {
    await host.sh(`cd ${at}; mkfifo fifo; mknod node c 1 3; echo keep >plain`);
    const nodes = [
      file({ path: `${at}/fifo`, content: "x" }),
      file({ path: `${at}/node`, content: "x" }),
      file({ path: `${at}/node`, state: "link", target: "x", replace: "file" }),
      file({ path: `${at}/plain`, state: "link", target: "x" }),
    ];
    for (const node of nodes)
      expect(await refusals(node)).toEqual(["refused: would-replace", "refused: would-replace"]);
    expect(await host.sh(`cd ${at}; stat -c %F fifo node; cat plain`)).toBe("fifo\ncharacter special file\nkeep\n");
    const named = [
      file({ path: `${at}/fifo`, content: "x", replace: "special" }),
      file({ path: `${at}/plain`, state: "link", target: "x", replace: "file" }),
    ];
    expect((await host.apply(...named)).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
  });
});

import { describe, expect, test } from "vitest";
import { absent, type BlockDevice, type MountState } from "../../src/authoring.ts";
import { type BlockLayout, gptAreas, type Partition } from "../../src/facts/catalogue.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { explain } from "../../src/testing/explain.ts";
import { disk } from "./disk.ts";
import { finishedName, marksOf, unfinishedName } from "./marks.ts";

const blankDisk: BlockDevice & BlockLayout = {
  type: "disk",
  path: "/dev/sdb",
  sizeBytes: 50 * 1024 ** 3,
  sectorBytes: 512,
  serial: "vol-1",
  readOnly: false,
  fileSystem: "",
  uuid: "",
  label: "",
  uses: [],
  carriesRoot: false,
  table: "",
  signatures: [],
  partitions: {},
};
const marks = marksOf("cafe", blankDisk);
const own: Partition = {
  fileSystem: "ext4",
  uuid: marks.fileSystem.ext4,
  label: "",
  uses: [],
  start: marks.start,
  sizeBytes: marks.size,
  id: marks.partition,
  name: finishedName,
  type: "0fc63daf-8483-4772-8e79-3d69d8477de4",
  inKernel: true,
};
const gpt = { table: "gpt", signatures: ["gpt@512", "gpt@53687090688", "PMBR@510"] };
const flags = { noatime: false, nodev: false, nodiratime: false, noexec: false, nosuid: false, ro: false, sync: false };
const unmounted: MountState = {
  mounted: false,
  source: "",
  fileSystem: "",
  flags,
  automount: false,
  entries: "absent",
};
const mounted: MountState = { ...unmounted, mounted: true, source: "/dev/sdb1", fileSystem: "ext4", entries: "some" };
const directory = { type: "directory", mode: "0755", owner: "root", group: "root" } as const;
const file = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });
const line = `UUID=${marks.fileSystem.ext4} /mnt/data ext4 defaults,nofail 0 2\n`;
const areas = (layout?: Parameters<typeof gptAreas>[0]): object => {
  const { head, tail } = gptAreas(layout ?? marks.finished);
  const [first, last] = layout === undefined ? [Buffer.alloc(head.length), Buffer.alloc(tail.length)] : [head, tail];
  return { data: "none", head: Buffer.from(first).toString("base64"), tail: Buffer.from(last).toString("base64") };
};

const call = disk({ device: "/dev/disk/by-id/data", mountPoint: "/mnt/data" });
const blank = {
  device: blankDisk,
  machine: file("cafe\n"),
  fstab: file("# fstab\n"),
  mount: unmounted,
  directory: absent,
  content: areas(),
  sameUuid: absent,
  mkfs: { path: "/sbin/mkfs.ext4" },
  disks: [],
};
const right = {
  ...blank,
  device: { ...blankDisk, ...gpt, partitions: { 1: own } },
  fstab: file(line),
  mount: mounted,
  directory,
};

describe("disk", () => {
  test("partitions and formats a blank disk, adds it to fstab and mounts it", () => {
    const { described, change, steps } = explain(call, blank);
    expect(described).toEqual([
      "partition /dev/disk/by-id/data",
      "make an ext4 file system on /dev/sdb1",
      "make directory /mnt/data",
      "write /etc/fstab",
      "mount /dev/sdb1 at /mnt/data",
    ]);
    expect(Object.keys(change)).toEqual([
      "block-device:/dev/disk/by-id/data",
      "file:/etc/fstab",
      "mount:/mnt/data",
      "file:/mnt/data",
    ]);
    expect(steps).toContainEqual({
      step: "writeFile",
      path: "/etc/fstab",
      text: `# fstab\n${line}`,
      replaces: "# fstab\n",
    });
  });

  test("leaves a correct disk alone", () => {
    expect(explain(call, right)).toMatchObject({ steps: [], change: {} });
  });

  test.each([
    { differing: "mount", now: { mount: unmounted }, steps: ["mount /dev/sdb1 at /mnt/data"] },
    { differing: "line", now: { fstab: file("") }, steps: ["write /etc/fstab", "make systemd read fstab"] },
    {
      differing: "flag",
      now: { mount: { ...mounted, flags: { ...flags, ro: true } } },
      steps: ["mount -o remount,defaults,nofail /mnt/data"],
    },
    {
      differing: "kernel's view",
      now: { mount: unmounted, device: { ...right.device, partitions: { 1: { ...own, inKernel: false } } } },
      steps: ["mount /dev/sdb1 at /mnt/data"],
    },
  ])("corrects a wrong $differing and nothing else", ({ now, steps }) => {
    expect(explain(call, { ...right, ...now }).described).toEqual(steps);
  });

  test("sets the mode and owner of the new file system's root, even if the empty mount point already had them", () => {
    const owned = disk({ device: "/dev/disk/by-id/data", mountPoint: "/mnt/data", mode: "0755", owner: "root" });
    expect(explain(owned, { ...right, mount: { ...unmounted, entries: "none" } }).described.at(-1)).toBe(
      "set 0755 root on /mnt/data",
    );
    expect(explain(owned, right).steps).toEqual([]);
  });

  const cut = (name: string, partition: Partial<Partition>, layout = marks.unfinished): object => ({
    device: { ...blankDisk, ...gpt, partitions: { 1: { ...own, name, ...partition } } },
    content: { ...areas(layout), data: "start" },
  });

  test.each([
    { found: "no file system", partition: { fileSystem: "", uuid: "" } },
    { found: "its own file system", partition: {} },
    { found: "its own file system of another type", partition: { fileSystem: "xfs", uuid: marks.fileSystem.xfs } },
  ])("formats its unfinished partition again if the partition holds $found", ({ partition }) => {
    expect(explain(call, { ...blank, ...cut(unfinishedName, partition) }).described[0]).toBe(
      "make an ext4 file system on /dev/sdb1",
    );
  });

  test("finishes an interrupted rename of the partition", () => {
    const { head } = gptAreas(marks.unfinished);
    const { tail } = gptAreas(marks.finished);
    const content = {
      data: "start",
      head: Buffer.from(head).toString("base64"),
      tail: Buffer.from(tail).toString("base64"),
    };
    expect(explain(call, { ...blank, ...cut(unfinishedName, {}), content }).described[0]).toBe(
      "give /dev/sdb1 its final name",
    );
  });

  test("refuses a disk with furrow's unfinished partition if there is a second partition", () => {
    const now = cut(unfinishedName, { fileSystem: "", uuid: "" });
    const two = {
      ...now,
      device: { ...blankDisk, ...gpt, partitions: { 1: { ...own, name: unfinishedName }, 2: own } },
    };
    expect(explain(call, { ...blank, ...two }).refusal?.code).toBe("disk-not-empty");
  });

  const foreign = { ...own, id: "00000000-0000-0000-0000-000000000001", uuid: "u-1", name: "" };
  test.each([
    {
      code: "disk-missing",
      now: { device: absent, disks: [{ path: "/dev/sda", sizeBytes: 1024, serial: "x", ids: ["a"] }] },
      says: /does not exist on the host/,
    },
    { code: "not-a-disk", now: { device: { ...blankDisk, type: "partition" } }, says: /is a partition/ },
    { code: "not-a-disk", now: { device: { ...blankDisk, type: "mapped" } }, says: /device-mapper/ },
    { code: "disk-is-root", now: { device: { ...blankDisk, carriesRoot: true } }, says: /root file system/ },
    { code: "disk-unfit", now: { device: { ...blankDisk, readOnly: true } }, says: /read-only/ },
    { code: "disk-too-small", now: { device: { ...blankDisk, sizeBytes: 8 << 20 } }, says: /too small/ },
    {
      code: "disk-not-empty",
      now: { device: { ...blankDisk, fileSystem: "xfs", uuid: "u", signatures: ["xfs@0"] } },
      says: /an xfs file system/,
    },
    {
      code: "disk-not-empty",
      now: { device: { ...blankDisk, ...gpt, partitions: { 1: foreign } } },
      says: /1 partition \(1: an ext4/,
    },
    {
      code: "disk-not-empty",
      now: cut(unfinishedName, { fileSystem: "ext2", uuid: "u" }),
      says: /an ext2 file system/,
    },
    { code: "disk-not-empty", now: { content: { ...areas(), data: "end" } }, says: /last 64 MiB/ },
    { code: "disk-not-empty", now: { device: { ...blankDisk, fileSystem: "unreadable" } }, says: /cannot be probed/ },
    {
      code: "disk-mounted-elsewhere",
      now: { device: { ...blankDisk, uses: ["mount:/srv"] } },
      says: /mounted at \/srv/,
    },
    { code: "disk-in-use", now: { device: { ...blankDisk, uses: ["holder:vg-data"] } }, says: /in use by vg-data/ },
    { code: "mount-point-taken", now: { mount: { ...mounted, source: "/dev/sdc1" } }, says: /\/dev\/sdc1/ },
    { code: "mount-point-taken", now: { fstab: file("UUID=other /mnt/data ext4") }, says: /UUID=other/ },
    {
      code: "mount-point-not-empty",
      now: { mount: { ...unmounted, entries: "some" }, directory },
      says: /holds files/,
    },
    { code: "in-the-way", now: { directory: { ...directory, type: "file" } }, says: /is a file/ },
    { code: "tool-missing", now: { mkfs: absent }, says: /mkfs.ext4 is not installed on the host/ },
    { code: "uuid-taken", now: { sameUuid: { ...blankDisk, path: "/dev/sdz1" } }, says: /\/dev\/sdz1/ },
  ])("refuses with $code: $says", ({ code, now, says }) => {
    const { refusal, steps } = explain(call, { ...blank, ...now });
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(says) as string });
    // A hint to add another task would be wrong: that task would conflict with this one in the same playbook.
    expect(refusal?.hint).not.toMatch(/state: "absent"|first with the mount task/);
    expect(steps).toEqual([]);
  });

  test("says how to free a disk that is mounted in another mount namespace", () => {
    const { refusal } = explain(call, { ...blank, device: { ...blankDisk, uses: ["namespace:812-nginx:/srv"] } });
    expect(refusal?.hint).toMatch(
      /^Stop process 812, or unmount it there \(nsenter --target 812 --mount umount PATH\)/,
    );
  });

  test("wipes a disk only if the serial matches, and never wipes a disk in use", () => {
    const wiping = (serial: string): ReturnType<typeof disk> =>
      disk({ device: "/dev/disk/by-id/data", mountPoint: "/mnt/data", wipe: { serial } });
    const full = { ...blank, device: { ...blankDisk, ...gpt, partitions: { 1: foreign } } };
    expect(explain(wiping("vol-1"), full).described.slice(0, 2)).toEqual([
      "wipe /dev/disk/by-id/data",
      "partition /dev/disk/by-id/data",
    ]);
    expect(explain(wiping("vol-2"), full).refusal?.code).toBe("wrong-serial");
    expect(explain(wiping("vol-1"), { ...full, device: { ...full.device, uses: ["swap"] } }).refusal?.code).toBe(
      "disk-in-use",
    );
    expect(explain(wiping("vol-1"), right).steps).toEqual([]);
  });
});

describe("disk's params", () => {
  const good = { device: "/dev/sdb", mountPoint: "/mnt/data" };
  test.each([
    { input: { ...good, device: "sdb" }, param: "device", expected: /an absolute path/ },
    { input: { ...good, device: "/srv/x" }, param: "device", expected: /by-id/ },
    { input: { ...good, mountPoint: "/" }, param: "mountPoint", expected: /other than the root directory/ },
    { input: { ...good, fileSystem: "xfs", label: "much-too-long-a-label" }, param: "label", expected: /12 for xfs/ },
    { input: { ...good, mountOptions: "a b" }, param: "mountOptions", expected: /commas/ },
    { input: { ...good, wipe: true }, param: "wipe", expected: /./ },
    { input: { ...good, mode: "755" }, param: "mode", expected: /four digits/ },
  ])("refuses a bad $param and names the expected form", ({ input, param, expected }) => {
    expect(() => parseInput(disk.card.params, input, {})).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({
          where: expect.objectContaining({ param }) as unknown,
          expected: expect.stringMatching(expected) as string,
        }) as unknown,
      }) as Error,
    );
  });
});

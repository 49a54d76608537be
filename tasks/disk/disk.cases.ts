import { absent, type BlockDevice } from "../../src/authoring.ts";
import { type BlockLayout, gptAreas, type Partition } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
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
const gpt = { ...blankDisk, table: "gpt", signatures: ["gpt@512", "gpt@53687090688", "PMBR@510"] };
const flags = { noatime: false, nodev: false, nodiratime: false, noexec: false, nosuid: false, ro: false, sync: false };
const unmounted = { mounted: false, source: "", fileSystem: "", flags, automount: false, entries: "absent" };
const mounted = { ...unmounted, mounted: true, source: "/dev/sdb1", fileSystem: "ext4", entries: "some" };
const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const file = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const unfinished = gptAreas(marks.unfinished);
const content = {
  data: "none",
  head: base64(new Uint8Array(unfinished.head.length)),
  tail: base64(new Uint8Array(unfinished.tail.length)),
};
const device = "/dev/disk/by-id/data";
const call = disk({ device, mountPoint: "/mnt/data" });
const found = { machine: file("cafe\n"), fstab: file("# fstab\n"), mount: unmounted, directory: absent };
const tools = { content, sameUuid: absent, mkfs: { path: "/sbin/mkfs.ext4" } };
const blank = { ...found, ...tools, device: blankDisk };
const right = {
  ...found,
  device: { ...gpt, partitions: { 1: own } },
  fstab: file(`UUID=${marks.fileSystem.ext4} /mnt/data ext4 defaults,nofail 0 2\n`),
  mount: mounted,
  directory,
};
const format = "make an ext4 file system on /dev/sdb1";
const last = ["make directory /mnt/data", "write /etc/fstab", "mount /dev/sdb1 at /mnt/data"];

/** Test cases for `disk`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: right, steps: [] },
  { title: "a blank disk", call, now: blank, steps: [`partition ${device}`, format, ...last] },
  {
    title: "an interrupted format",
    call,
    now: {
      ...blank,
      device: { ...gpt, partitions: { 1: { ...own, name: unfinishedName, fileSystem: "", uuid: "" } } },
      content: { data: "start", head: base64(unfinished.head), tail: base64(unfinished.tail) },
    },
    steps: [format, ...last],
  },
  { title: "not mounted", call, now: { ...right, mount: unmounted }, steps: ["mount /dev/sdb1 at /mnt/data"] },
  {
    title: "not in fstab",
    call,
    now: { ...right, fstab: file("") },
    steps: ["write /etc/fstab", "make systemd read fstab"],
  },
  { title: "no fstab", call, now: { ...right, fstab: absent }, steps: ["write /etc/fstab", "make systemd read fstab"] },
  {
    title: "a disk that contains data",
    call,
    now: { ...found, device: { ...blankDisk, fileSystem: "xfs", uuid: "u", signatures: ["xfs@0"] } },
    steps: [],
    refusal: "disk-not-empty",
  },
  {
    title: "a disk with data in its middle",
    call,
    now: { ...blank, content: { ...content, data: "middle" } },
    steps: [],
    refusal: "disk-not-empty",
  },
  {
    title: "a disk in use through a loop device",
    call: disk({ device, mountPoint: "/mnt/data", wipe: { serial: "vol-1" } }),
    now: { ...blank, device: { ...blankDisk, uses: ["loop:loop3"] } },
    steps: [],
    refusal: "disk-in-use",
  },
  {
    title: "a disk whose second partition is mounted in another mount namespace",
    call: disk({ device, mountPoint: "/mnt/data", wipe: { serial: "vol-1" } }),
    now: {
      ...blank,
      device: {
        ...gpt,
        partitions: { 1: { ...own, name: "" }, 2: { ...own, uuid: "u", uses: ["namespace:812-nginx:/srv"] } },
      },
    },
    steps: [],
    refusal: "disk-mounted-elsewhere",
  },
  {
    title: "a disk that is mounted through a second path",
    call: disk({ device, mountPoint: "/mnt/data", wipe: { serial: "vol-1" } }),
    now: { ...blank, device: { ...blankDisk, uses: ["path:sdc1:mount:/mnt/data"] } },
    steps: [],
    refusal: "disk-mounted-elsewhere",
  },
  {
    title: "a disk on a host whose open files cannot be read",
    call,
    now: { ...blank, device: { ...blankDisk, uses: ["unknown"] } },
    steps: [],
    refusal: "disk-in-use",
  },
  {
    title: "mounted at the mount point, but with a file system of another type",
    call: disk({ device, mountPoint: "/mnt/data", wipe: { serial: "vol-1" } }),
    now: {
      ...blank,
      mount: { ...mounted, fileSystem: "xfs" },
      device: { ...gpt, partitions: { 1: { ...own, fileSystem: "xfs", name: "", uses: ["mount:/mnt/data"] } } },
    },
    steps: [],
    refusal: "disk-mounted",
  },
  {
    title: "a disk that something has opened exclusively",
    call: disk({ device, mountPoint: "/mnt/data", wipe: { serial: "vol-1" } }),
    now: { ...blank, device: { ...blankDisk, uses: ["claimed"] } },
    steps: [],
    refusal: "disk-in-use",
  },
  {
    title: "not mounted, except in another mount namespace",
    call,
    now: {
      ...right,
      mount: unmounted,
      device: { ...gpt, partitions: { 1: { ...own, uses: ["namespace:812-nginx:/srv"] } } },
    },
    steps: ["mount /dev/sdb1 at /mnt/data"],
  },
  {
    title: "a disk with a copy of its file system on another disk",
    call,
    now: { ...right, mount: unmounted, device: { ...gpt, partitions: { 1: { ...own, uses: ["copy:/dev/sdc1"] } } } },
    steps: [],
    refusal: "uuid-twice",
  },
  {
    title: "mounted correctly, but another disk has a copy of the file system",
    call,
    now: { ...right, device: { ...gpt, partitions: { 1: { ...own, uses: ["copy:/dev/sdc1", "mount:/mnt/data"] } } } },
    steps: [],
  },
  {
    title: "no such disk",
    call,
    now: { ...found, device: absent, disks: [{ path: "/dev/sda", sizeBytes: 1024, serial: "x", ids: ["a"] }] },
    steps: [],
    refusal: "disk-missing",
  },
];

import { expect, test } from "vitest";
import type { MountState } from "../../src/authoring.ts";
import type { Partition } from "../../src/facts/catalogue.ts";
import { refuseUse } from "./refusals.ts";
import type { Disk } from "./request.ts";

const nothing = { fileSystem: "", uuid: "", label: "", uses: [] };
const xfs: Partition = {
  ...nothing,
  fileSystem: "xfs",
  start: 1 << 20,
  sizeBytes: 1 << 30,
  id: "",
  name: "",
  type: "",
  inKernel: true,
};
const disk: Disk = {
  ...nothing,
  type: "disk",
  path: "/dev/sdb",
  sizeBytes: 4 << 30,
  sectorBytes: 512,
  serial: "vol-1",
  readOnly: false,
  carriesRoot: false,
  table: "gpt",
  signatures: [],
  partitions: {},
};
const request = { device: "/dev/sdb", mountPoint: "/mnt/data", fileSystem: "ext4", wipe: { serial: "vol-1" } } as const;
const mount: MountState = {
  mounted: true,
  source: "/dev/sdb1",
  fileSystem: "xfs",
  flags: { noatime: false, nodev: false, nodiratime: false, noexec: false, nosuid: false, ro: false, sync: false },
  automount: false,
};

test("a disk that is mounted at the mount point with another file system is refused, and all its uses are named", () => {
  const partitions = { 1: { ...xfs, uses: ["mount:/mnt/data"] }, 2: { ...xfs, uses: ["swap"] } };
  expect(refuseUse("/dev/sdb", request, { ...disk, partitions }, undefined, mount)?.reason).toMatchObject({
    code: "disk-mounted",
    message: expect.stringMatching(/mounted at \/mnt\/data, in use as swap/) as string,
    hint: "Unmount /mnt/data on the host (umount /mnt/data) and stop all other uses, or choose another disk",
  });
});

test("a disk that is in use through a second path is refused, and the refusal names that path", () => {
  const uses = ["path:sdc1:mount:/mnt/data"];
  expect(refuseUse("/dev/sdb", request, { ...disk, uses }, undefined, mount)?.reason).toMatchObject({
    code: "disk-mounted-elsewhere",
    message: expect.stringMatching(/mounted at \/mnt\/data as \/dev\/sdc1 \(the same disk by a second path/) as string,
    hint: expect.stringMatching(/^Stop using it under its other name/) as string,
  });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { type LabDisk, labDown, labUp } from "../../src/lab/index.ts";
import { labTaskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { outcomes } from "../../test/tasks/one-lab-host.ts";
import { file } from "../file/file.ts";
import { disk } from "./disk.ts";

const name = "disk-task";
let host: TaskHost;
let plugged: LabDisk;
beforeAll(async () => {
  const [labHost] = (await labUp({ hosts: 1, name, replace: true, disks: 1 })).hosts;
  const [first] = labHost?.disks ?? [];
  if (labHost === undefined || first === undefined) throw new Error("the lab has no host with a disk");
  host = await labTaskHost(labHost);
  plugged = first;
});
afterAll(() => labDown({ name }));

test("formats a disk with a stable name while udev and systemd run, and check mode predicts a file on the disk", async () => {
  const data = disk({
    device: plugged.path,
    mountPoint: "/mnt/datadisk1",
    mode: "0755",
    wipe: { serial: plugged.serial },
  });
  const conf = file({ path: "/mnt/datadisk1/note", content: "hello\n" });
  expect(outcomes(await host.check(data, conf))).toEqual(["changed", "changed"]);
  expect(outcomes(await host.apply(data, conf))).toEqual(["changed", "changed"]);
  expect(outcomes(await host.apply(data, conf))).toEqual(["ok", "ok"]);
  expect(await host.sh("systemctl show -p SourcePath --value mnt-datadisk1.mount")).toBe("/etc/fstab\n");
  expect(await host.sh("ls /dev/disk/by-partlabel /dev/disk/by-uuid; findmnt -no FSTYPE /mnt/datadisk1")).toMatch(
    /ext4\n$/,
  );
});

test("refuses a missing disk and lists the stable names of the existing ones", async () => {
  const [end] = await host.check(disk({ device: "/dev/disk/by-id/virtio-nope", mountPoint: "/mnt/nope" }));
  expect(end?.error?.failure.current).toContain(plugged.path);
});

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { shells } from "../../test/contract/shells.fixture.ts";
import { moduleStateKind, stateScript } from "./module-state.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-module-users-"));
afterAll(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const link = (path: string, to: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  mkdirSync(join(root, to), { recursive: true });
  symlinkSync(relative(dirname(join(root, path)), join(root, to)), join(root, path));
};
/** Creates a device whose driver belongs to this module. */
const driven = (device: string, module: string): void => {
  link(`${device}/driver`, `/sys/bus/all/drivers/${module}-driver`);
  link(`/sys/bus/all/drivers/${module}-driver/module`, `/sys/module/${module}`);
  write(`/sys/module/${module}/initstate`, "live\n");
  write(`/sys/module/${module}/refcnt`, "0\n");
};
const net = (name: string, device: string, flags: string, uevent = `INTERFACE=${name}\n`): void => {
  write(`${device}/net/${name}/flags`, `${flags}\n`);
  write(`${device}/net/${name}/uevent`, uevent);
  link(`/sys/class/net/${name}`, `${device}/net/${name}`);
};
const disk = (name: string, path: string, number: string): void => {
  write(`${path}/dev`, `${number}\n`);
  link(`/sys/class/block/${name}`, path);
};
const [pci, virtual] = ["/sys/devices/pci0000:00", "/sys/devices/virtual"];

driven(`${pci}/1`, "xhci_pci");
driven(`${pci}/1/usb1/1-1`, "cdc_ether");
net("usb0", `${pci}/1/usb1/1-1`, "0x1003");
driven(`${pci}/2`, "e1000e");
net("eno2", `${pci}/2`, "0x1002");
driven(`${pci}/3`, "igb");
net("eno3", `${pci}/3`, "0x1002");
net("bond0", virtual, "0x1003", "DEVTYPE=bond\nINTERFACE=bond0\n");
net("eno3.7", virtual, "0x1003", "DEVTYPE=vlan\nINTERFACE=eno3.7\n");
write("/sys/module/bonding/initstate", "live\n");
write("/sys/module/8021q/initstate", "live\n");
driven(`${pci}/4`, "virtio_pci");
driven(`${pci}/4/virtio1`, "virtio_blk");
disk("vda", `${pci}/4/virtio1/block/vda`, "254:0");
disk("vda1", `${pci}/4/virtio1/block/vda/vda1`, "254:1");
driven(`${pci}/5`, "ahci");
disk("sda", `${pci}/5/block/sda`, "8:0");
driven(`${pci}/6`, "megaraid_sas");
disk("sdb", `${pci}/6/block/sdb`, "8:16");
link(`${pci}/6/block/sdb/holders/dm-0`, `${virtual}/block/dm-0`);
driven(`${pci}/7`, "nvme");
disk("nvme0n1", `${virtual}/nvme-subsystem/nvme-subsys0/nvme0n1`, "259:0");
link(`${virtual}/nvme-subsystem/nvme-subsys0/nvme0`, `${pci}/7/nvme/nvme0`);
driven(`${pci}/8`, "mmc");
disk("mmcblk0", `${pci}/8/block/mmcblk0`, "179:0");
driven(`${pci}/9`, "pmem");
disk("pmem0", `${pci}/9/block/pmem0`, "251:0");
write(
  "/proc/self/mountinfo",
  "22 1 254:1 / / rw - ext4 /dev/root rw\n23 22 259:0 / /data rw shared:1 - xfs /dev/nvme0n1 rw\n24 22 0:40 / /b rw - btrfs /dev/pmem0 rw\n",
);
write("/proc/swaps", "Filename Type Size Used Priority\n/dev/mmcblk0 partition 1 0 -2\n");

describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  const usersOf = (keys: readonly string[], facets: readonly string[] = ["users"]) => {
    const [program = "", ...words] = shell;
    const questions = keys.map((key, number) => ({ kind: "kernelModule", key, facets, number }));
    const addresses = "ip() { echo '3: eno3    inet 10.0.0.1/24 scope global eno3'; }";
    const output = execFileSync(program, [...words, "-c", `${addresses}\n${stateScript(questions, root)}`], {
      encoding: "utf8",
    });
    return questions.map((question) => {
      const lines = output.split("\n").flatMap((line) => {
        const [, number, name = "", value = ""] = /^(\d+) ([^=]+)=(.*)$/.exec(line) ?? [];
        return number === String(question.number) ? [[name, value] as const] : [];
      });
      const { interfaces, disks } = moduleStateKind.parse(Object.fromEntries<string>(lines), question);
      return [...interfaces, ...disks].join(" ");
    });
  };

  test.each([
    { module: "cdc_ether", what: "an interface that is up", uses: "usb0" },
    { module: "xhci_pci", what: "the bus of an interface that is up", uses: "usb0" },
    { module: "e1000e", what: "an interface that is down", uses: "" },
    { module: "igb", what: "an interface that is down but has an address", uses: "eno3" },
    { module: "bonding", what: "a bond", uses: "bond0" },
    { module: "8021q", what: "a VLAN", uses: "eno3.7" },
    { module: "virtio_blk", what: "a mounted partition", uses: "vda1" },
    { module: "virtio_pci", what: "the bus of a mounted partition", uses: "vda1" },
    { module: "ahci", what: "a disk that nothing uses", uses: "" },
    { module: "megaraid_sas", what: "a disk below device mapper", uses: "sdb" },
    { module: "nvme", what: "a mounted disk that is reached through several controllers", uses: "nvme0n1" },
    { module: "mmc", what: "a disk with swap", uses: "mmcblk0" },
    { module: "pmem", what: "a disk with btrfs, whose mounts have numbers of their own", uses: "pmem0" },
  ])("the module $module drives $what: $uses", ({ module, uses }) => {
    expect(usersOf([module])).toEqual([uses]);
  });

  test("users of several modules are told apart, and are not searched for unless the facet is requested", () => {
    expect(usersOf(["xhci_pci", "virtio_pci", "none"])).toEqual(["usb0", "vda1", ""]);
    expect(usersOf(["xhci_pci"], [])).toEqual([""]);
  });
});

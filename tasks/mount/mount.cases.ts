import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { mount } from "./mount.ts";

const flags = { noatime: false, nodev: false, nodiratime: false, noexec: false, nosuid: false, ro: false, sync: false };
const unmounted = { mounted: false, source: "", fileSystem: "", flags, automount: false };
const mounted = { ...unmounted, mounted: true, source: "/dev/sdb1", fileSystem: "ext4" };
const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const file = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });
const device = { type: "partition", path: "/dev/sdb1", sizeBytes: 1, sectorBytes: 512, serial: "", readOnly: false };
const line = "UUID=1 /srv ext4 defaults,nofail 0 2\n";
const call = mount({ path: "/srv", source: "UUID=1", fileSystem: "ext4", check: 2 });
const kept = mount({ path: "/srv", state: "unmounted", source: "UUID=1", fileSystem: "ext4", check: 2 });
const removal = mount({ path: "/srv", state: "absent" });
const right = { mount: mounted, fstab: file(line), device };
const write = ["write /etc/fstab", "make systemd read fstab"];

const bindMount = { ...unmounted, mounted: true, source: "/dev/sda1", fileSystem: "ext4", origin: "8:1 /data" };
const readOnly = {
  call: mount({ path: "/srv", source: "/data", fileSystem: "none", options: "bind,ro" }),
  now: {
    mount: bindMount,
    bound: { ...unmounted, origin: "8:1 /data" },
    fstab: file("/data /srv none bind,ro 0 0\n"),
  },
};

/** Test cases for `mount`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: right, steps: [] },
  {
    title: "nothing there",
    call,
    now: { ...right, mount: unmounted, fstab: absent, directory: absent },
    steps: ["make directory /srv", "write /etc/fstab", "mount UUID=1 at /srv"],
  },
  { title: "not mounted", call, now: { ...right, mount: unmounted, directory }, steps: ["mount UUID=1 at /srv"] },
  { title: "not in fstab", call, now: { ...right, fstab: file("") }, steps: write },
  {
    title: "mounted read-only",
    call,
    now: { ...right, mount: { ...mounted, flags: { ...flags, ro: true } } },
    steps: ["timeout -k 5 60 mount -o remount,defaults,nofail /srv"],
  },
  {
    title: "an automount point, which mounts at first use",
    call,
    now: { ...right, mount: { ...unmounted, automount: true } },
    steps: [],
  },
  {
    title: "no such device",
    call,
    now: { ...right, device: absent, disks: [] },
    steps: [],
    refusal: "device-missing",
  },
  {
    title: "something else is mounted there",
    call,
    now: { ...right, mount: { ...mounted, source: "/dev/sdc1" } },
    steps: [],
    refusal: "mount-point-taken",
  },
  {
    title: "a file instead of the directory",
    call,
    now: { ...right, mount: unmounted, directory: { ...directory, type: "file" } },
    steps: [],
    refusal: "in-the-way",
  },
  {
    title: "bind-mounted, but must be read-only",
    ...readOnly,
    steps: ["timeout -k 5 60 mount -o remount,bind,ro /srv"],
  },
  {
    title: "bind mount of a missing directory",
    ...readOnly,
    now: { ...readOnly.now, mount: { ...unmounted, origin: "" }, directory, bindSource: absent },
    steps: [],
    refusal: "source-missing",
  },
  {
    title: "bind mount of something that is not a directory",
    ...readOnly,
    now: {
      ...readOnly.now,
      mount: { ...unmounted, origin: "" },
      directory,
      bindSource: { ...directory, type: "file" },
    },
    steps: [],
    refusal: "source-not-directory",
  },
  {
    title: "bind mount of a directory other than the source",
    ...readOnly,
    now: { ...readOnly.now, mount: { ...bindMount, origin: "8:1 /old" } },
    steps: [],
    refusal: "mount-point-taken",
  },
  {
    title: "mounted, but must be unmounted",
    call: kept,
    now: { mount: mounted, use: { uses: [] }, fstab: file(line) },
    steps: ["unmount /srv"],
  },
  {
    title: "a mount to remove",
    call: removal,
    now: { mount: mounted, use: { uses: [] }, fstab: file(line) },
    steps: ["unmount /srv", ...write],
  },
  {
    title: "an idle automount point to remove",
    call: removal,
    now: { mount: { ...unmounted, automount: true }, use: { uses: [] }, fstab: file(line) },
    steps: ["remove the automount point /srv", ...write],
  },
  {
    title: "an idle automount point, but must be unmounted",
    call: kept,
    now: { mount: { ...unmounted, automount: true }, use: { uses: [] }, fstab: file(line) },
    steps: ["remove the automount point /srv"],
  },
  { title: "gone", call: removal, now: { mount: unmounted, fstab: absent }, steps: [] },
  {
    title: "a mount to remove, in use by a process",
    call: removal,
    now: { mount: mounted, fstab: file(line), use: { uses: ["process:812:bash:cwd"] } },
    steps: [],
    refusal: "mount-busy",
  },
  {
    title: "a mount to remove, in use by a socket and the NFS server",
    call: removal,
    now: { mount: mounted, fstab: file(line), use: { uses: ["socket:/srv/a.sock", "export:/srv"] } },
    steps: [],
    refusal: "mount-busy",
  },
];

import { absent, type FileState } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { file } from "./file.ts";

const path = "/etc/motd";
const parent: FileState = { type: "directory", mode: "0755", owner: "root", group: "root" };
/** SHA-256 of `Welcome` and a newline. */
const sha256 = "0e90e1aa36481e399939d32680dab2005c299f2bb9c3ba6b151ac0cc821fec7a";
const motd = { ...parent, type: "file", mode: "0644", sha256 };
const written = file({ path, content: "Welcome\n", mode: "0644", owner: "root", group: "root" });
const checked = file({ path, content: "Welcome\n", validate: "sshd -t -f %s" });
const copied = file({ path, source: "motd.txt", mode: "0600" });
const source = { sha256, size: 8, path: "/home/me/motd.txt", mode: "0644" };
const directory = file({ path: "/srv/www", state: "directory", mode: "0755" });
const link = file({ path: "/etc/localtime", state: "link", target: "/usr/share/zoneinfo/UTC" });
const there = { ...parent, type: "link", mode: "0777", target: "/usr/share/zoneinfo/UTC" };
const gone = file({ path, state: "absent" });

const old = file({ path: "/srv/old", state: "absent", recursive: true });
const mounted = { type: "directory", real: "/srv/old" };
const tree = { ...mounted, uses: [], empty: false, files: 1204, directories: 7, bytes: 3_100_000_000, devices: 0 };
const plain = { ...parent, type: "file", mode: "0644" };
const special = { ...parent, type: "other", mode: "0644" };

/** Test cases for `file`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "no file", call: written, now: { path: absent, parent }, steps: ["write /etc/motd"] },
  { title: "already up to date", call: written, now: { path: motd, parent }, steps: [] },
  {
    title: "different content",
    call: written,
    now: { path: { ...motd, sha256: "00" }, parent },
    steps: ["write /etc/motd"],
  },
  {
    title: "a different mode",
    call: written,
    now: { path: { ...motd, mode: "0600" }, parent },
    steps: ["set 0644 root root on /etc/motd"],
  },
  {
    title: "a different owner",
    call: written,
    now: { path: { ...motd, owner: "www" }, parent },
    steps: ["set 0644 root root on /etc/motd"],
  },
  { title: "no folder", call: written, now: { path: absent, parent: absent }, steps: [], refusal: "no-parent" },
  {
    title: "a directory instead of the file",
    call: written,
    now: { path: parent, parent },
    steps: [],
    refusal: "in-the-way",
  },
  {
    title: "a file that differs from the controller's",
    call: copied,
    now: { path: { ...motd, sha256: "00" }, parent, source },
    steps: ["upload motd.txt to /etc/motd"],
  },
  {
    title: "the controller's file, with a different mode",
    call: copied,
    now: { path: motd, parent, source },
    steps: ["set 0600 on /etc/motd"],
  },
  {
    title: "no such file on the controller",
    call: copied,
    now: { path: motd, parent, source: absent },
    steps: [],
    refusal: "no-source",
  },
  { title: "no directory", call: directory, now: { path: absent, parent }, steps: ["make directory /srv/www"] },
  { title: "a correct directory", call: directory, now: { path: parent, parent }, steps: [] },
  {
    title: "a directory with a different mode",
    call: directory,
    now: { path: { ...parent, mode: "0700" }, parent },
    steps: ["set 0755 on /srv/www"],
  },
  {
    title: "a file where the directory's parent should be",
    call: directory,
    now: { path: absent, parent: plain },
    steps: [],
    refusal: "parent-not-directory",
  },
  {
    title: "a file where an ancestor directory should be",
    call: file({ path: "/srv/www/a/b", state: "directory" }),
    now: { path: absent, parent: absent, above: [parent, plain] },
    steps: [],
    refusal: "parent-not-directory",
  },
  {
    title: "a directory with missing parents",
    call: file({ path: "/srv/www/a/b", state: "directory" }),
    now: { path: absent, parent: absent, above: [parent, absent] },
    steps: ["make directory /srv/www/a/b"],
  },
  {
    title: "a file where the directory should be",
    call: written,
    now: { path: absent, parent: plain },
    steps: [],
    refusal: "parent-not-directory",
  },
  {
    title: "no link",
    call: link,
    now: { path: absent, parent },
    steps: ["link /etc/localtime to /usr/share/zoneinfo/UTC"],
  },
  { title: "a correct link", call: link, now: { path: there, parent }, steps: [] },
  {
    title: "a link with a different target",
    call: link,
    now: { path: { ...there, target: "/usr/share/zoneinfo/CET" }, parent },
    steps: ["link /etc/localtime to /usr/share/zoneinfo/UTC"],
  },
  {
    title: "a file to remove",
    call: gone,
    now: { path: { ...parent, type: "file", mode: "0644" }, goes: { type: "file", real: path, uses: [], bytes: 18 } },
    steps: ["remove /etc/motd"],
  },
  {
    title: "a user that the host does not have",
    call: file({ path, content: "Welcome\n", owner: "www" }),
    now: { path: motd, parent, ownerIs: absent },
    steps: [],
    refusal: "no-user",
  },
  {
    title: "a group that the host does not have",
    call: file({ path: "/srv/www", state: "directory", group: "www" }),
    now: { path: absent, parent, groupIs: absent },
    steps: [],
    refusal: "no-group",
  },
  {
    title: "the UID of an existing user",
    call: file({ path, content: "Welcome\n", owner: "1" }),
    now: { path: { ...motd, owner: "daemon" }, parent, ownerIs: { name: "daemon" } },
    steps: [],
  },
  {
    title: "a UID that no user has",
    call: file({ path, content: "Welcome\n", owner: "1234" }),
    now: { path: motd, parent, ownerIs: absent },
    steps: ["set 1234 on /etc/motd"],
  },
  {
    title: "content that the validator on the host rejects",
    call: checked,
    now: {
      path: { ...motd, sha256: "00" },
      parent,
      accepted: { accepted: false, said: "line 1: no such option" },
      validator: { path: "/usr/sbin/sshd" },
    },
    steps: [],
    refusal: "not-accepted",
  },
  {
    title: "content whose validator is not installed on the host",
    call: checked,
    now: { path: { ...motd, sha256: "00" }, parent, accepted: absent, validator: absent },
    steps: [],
    refusal: "no-program",
  },
  ...[{ accepted: true, said: "" }, absent].map((accepted) => ({
    title: `content that the validator on the host ${accepted === absent ? "cannot check here" : "accepts"}`,
    call: checked,
    now: { path: { ...motd, sha256: "00" }, parent, accepted, validator: { path: "/usr/sbin/sshd" } },
    steps: ["write /etc/motd"],
  })),
  { title: "gone", call: gone, now: { path: absent, goes: absent }, steps: [] },
  {
    title: "a tree to remove",
    call: old,
    now: { path: parent, goes: tree },
    steps: ["remove /srv/old and its contents"],
  },
  ...[
    { title: "a tree with a mounted disk in it", goes: { ...mounted, uses: ["mount:/srv/old/data"] } },
    { title: "a tree that is bind-mounted elsewhere", goes: { ...mounted, uses: ["bind:/mnt"] } },
    { title: "a tree with a btrfs subvolume in it", goes: { ...mounted, uses: ["subvolume:/srv/a\\040b"] } },
    { title: "a tree with a layer of a mounted overlay", goes: { ...mounted, uses: ["overlay:/opt/app"] } },
    { title: "a tree with the image file of a loop device in it", goes: { ...mounted, uses: ["loop:/dev/loop0"] } },
  ].map(({ title, goes }) => ({ title, call: old, now: { path: parent, goes }, steps: [], refusal: "in-use" })),
  {
    title: "a tree with device nodes in it",
    call: old,
    now: { path: parent, goes: { ...tree, devices: 2 } },
    steps: [],
    refusal: "device-node",
  },
  {
    title: "a device node",
    call: gone,
    now: { path: special, goes: { type: "block-device", real: path, uses: [] } },
    steps: [],
    refusal: "device-node",
  },
  {
    title: "a device node that may be removed",
    call: file({ path, state: "absent", devices: true }),
    now: { path: special, goes: { type: "block-device", real: path, uses: [] } },
    steps: ["remove /etc/motd"],
  },
  {
    title: "a vital directory behind a link",
    call: old,
    now: { path: parent, goes: { ...tree, real: "/usr" } },
    steps: [],
    refusal: "protected",
  },
  {
    title: "a directory that is not empty",
    call: file({ path: "/srv/old", state: "absent" }),
    now: { path: parent, goes: tree },
    steps: [],
    refusal: "not-empty",
  },
  {
    title: "a FIFO instead of the file",
    call: written,
    now: { path: special, parent },
    steps: [],
    refusal: "would-replace",
  },
  {
    title: "a FIFO that may be replaced, instead of the file",
    call: file({ path, content: "Welcome\n", replace: "special" }),
    now: { path: special, parent },
    steps: ["write /etc/motd"],
  },
  {
    title: "a regular file instead of the link",
    call: link,
    now: { path: plain, parent },
    steps: [],
    refusal: "would-replace",
  },
  {
    title: "a regular file that may be replaced, instead of the link",
    call: file({ path: "/etc/localtime", state: "link", target: "/usr/share/zoneinfo/UTC", replace: "file" }),
    now: { path: plain, parent },
    steps: ["link /etc/localtime to /usr/share/zoneinfo/UTC"],
  },
];

import { absent } from "../../src/authoring.ts";
import { seal } from "../../src/core/secrets/secret.ts";
import type { Case } from "../../src/testing/index.ts";
import { user } from "./user.ts";

const hash = "$6$salt$hash";
const passwordSeal = seal(Buffer.from(hash));
const group = { gid: 990, primaryOf: [] };
const there = {
  uid: 1000,
  group: "ana",
  groups: ["docker", "wheel"],
  member: { ana: true, docker: true, wheel: true },
  home: "/home/ana",
  shell: "/bin/sh",
  comment: "Ana",
};
const call = user({ name: "ana", groups: ["docker"], shell: "/bin/sh" });
const withPassword = user({ name: "ana", passwordHash: hash });
const removal = user({ name: "ana", state: "absent", removeHome: true });

const home = {
  type: "directory",
  real: "/home/ana",
  uses: [],
  empty: true,
  files: 0,
  directories: 0,
  bytes: 0,
  devices: 0,
};

const noLogins = { logins: absent, moreLogins: absent };
const aboveHome = [{ type: "directory", mode: "0755", owner: "root", group: "root" }];
const idle = { processes: [], guests: [] };
const leaving = {
  user: there,
  goes: home,
  use: idle,
  own: { type: "directory", mode: "0755", owner: "ana", group: "ana" },
  mail: absent,
};

/** Test cases for `user`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "no such user",
    call,
    now: { user: absent, groups: [group], home: absent, aboveHome, ownGroup: absent, ...noLogins },
    steps: ["useradd -m -s /bin/sh -d /home/ana -G docker -- ana"],
  },
  {
    title: "no such user, but a group with that name",
    call,
    now: { user: absent, groups: [group], home: absent, aboveHome, ownGroup: group, ...noLogins },
    steps: ["useradd -m -g ana -s /bin/sh -d /home/ana -G docker -- ana"],
  },
  {
    title: "no such user, and a regular file where the directory above the home should be",
    call,
    now: {
      user: absent,
      groups: [group],
      home: absent,
      aboveHome: [{ ...aboveHome[0], type: "file" }],
      ownGroup: absent,
      ...noLogins,
    },
    steps: [],
    refusal: "parent-not-directory",
  },
  {
    title: "no such user, and a dangling link above the home",
    call,
    now: {
      user: absent,
      groups: [group],
      home: absent,
      aboveHome: [{ ...aboveHome[0], type: "link", target: "/srv/homes" }],
      behind: [absent],
      ownGroup: absent,
      ...noLogins,
    },
    steps: [],
    refusal: "no-parent",
  },
  {
    title: "a UID that another user has",
    call: user({ name: "ana", uid: 1600 }),
    now: { user: there, groups: [], holder: { name: "bob" }, use: idle },
    steps: [],
    refusal: "number-taken",
  },
  { title: "already up to date", call, now: { user: there, groups: [group] }, steps: [] },
  {
    title: "a different shell",
    call,
    now: { user: { ...there, shell: "/bin/bash" }, groups: [group] },
    steps: ["usermod -s /bin/sh -a -G docker -- ana"],
  },
  {
    title: "not in a group",
    call: user({ name: "ana", groups: ["lxd"] }),
    now: { user: there, groups: [group] },
    steps: ["usermod -a -G lxd -- ana"],
  },
  {
    title: "in an extra group",
    call: user({ name: "ana", groups: ["wheel"], exactGroups: true }),
    now: { user: there, groups: [group] },
    steps: ["usermod -G wheel -- ana"],
  },
  {
    title: "its primary group in the list of groups",
    call: user({ name: "ana", groups: ["ana", "docker", "wheel"], exactGroups: true }),
    now: { user: there, groups: [group, group, group] },
    steps: [],
  },
  {
    title: "a user of a directory service with the right properties, who joins a local group",
    call: user({ name: "ana", shell: "/bin/sh", groups: ["lxd"] }),
    now: { user: { ...there, local: false, elsewhere: [] }, groups: [{ ...group, local: true }] },
    steps: ["usermod -s /bin/sh -a -G lxd -- ana"],
  },
  {
    title: "a different shell for a user of a directory service",
    call: user({ name: "ana", shell: "/bin/bash" }),
    now: { user: { ...there, local: false, elsewhere: [] }, groups: [] },
    steps: [],
    refusal: "account-not-local",
  },
  {
    title: "a password for a user of a directory service",
    call: withPassword,
    now: { user: { ...there, local: false, elsewhere: [], passwordSeal: "sealed:00" }, groups: [] },
    steps: [],
    refusal: "account-not-local",
  },
  {
    title: "not in a group of a directory service",
    call: user({ name: "ana", groups: ["admins"] }),
    now: { user: there, groups: [{ ...group, local: false }] },
    steps: [],
    refusal: "account-not-local",
  },
  {
    title: "an extra group that comes from a directory service",
    call: user({ name: "ana", groups: ["wheel"], exactGroups: true }),
    now: { user: { ...there, local: true, elsewhere: ["docker"] }, groups: [group] },
    steps: [],
    refusal: "account-not-local",
  },
  {
    title: "a user of a directory service to remove",
    call: user({ name: "ana", state: "absent" }),
    now: { user: { ...there, local: false, elsewhere: [] }, use: idle },
    steps: [],
    refusal: "account-not-local",
  },
  {
    title: "a different password",
    call: withPassword,
    now: { user: { ...there, passwordSeal: "sealed:00" }, groups: [] },
    steps: ["set the password of ana"],
  },
  {
    title: "the right password",
    call: withPassword,
    now: { user: { ...there, passwordSeal }, groups: [] },
    steps: [],
  },
  { title: "a user to remove", call: removal, now: leaving, steps: ["userdel -r -- ana"] },
  {
    title: "a user to remove, whose home no longer exists",
    call: removal,
    now: { ...leaving, goes: absent, own: absent },
    steps: ["userdel -r -- ana"],
  },
  {
    title: "a user to remove, with mail",
    call: removal,
    now: { ...leaving, mail: { type: "file", mode: "0600", owner: "ana", group: "mail" } },
    steps: ["userdel -r -- ana"],
  },
  {
    title: "a user to remove, whose home is a mounted disk",
    call: removal,
    now: { ...leaving, goes: { type: "directory", real: "/home/ana", uses: ["mount:/home/ana"] } },
    steps: [],
    refusal: "in-use",
  },
  { title: "gone", call: removal, now: { user: absent }, steps: [] },
  { title: "no such group", call, now: { user: there, groups: [absent] }, steps: [], refusal: "group-not-found" },
  {
    title: "a home that contains other homes",
    call: removal,
    now: { ...leaving, user: { ...there, home: "/home" }, goes: { ...home, real: "/home" } },
    steps: [],
    refusal: "home-is-shared",
  },
  {
    title: "a home that is also another user's home",
    call: removal,
    now: { ...leaving, use: { ...idle, guests: ["bob"] } },
    steps: [],
    refusal: "home-is-shared",
  },
  {
    title: "a home that another user owns",
    call: removal,
    now: { ...leaving, own: { ...leaving.own, owner: "root" } },
    steps: [],
    refusal: "home-not-own",
  },
  {
    title: "a home that is a link",
    call: removal,
    now: { ...leaving, own: { type: "link", target: "/srv/ana", mode: "0777", owner: "ana", group: "ana" } },
    steps: [],
    refusal: "home-not-own",
  },
  {
    title: "mail that another user owns",
    call: removal,
    now: { ...leaving, mail: { type: "file", mode: "0600", owner: "root", group: "mail" } },
    steps: [],
    refusal: "home-not-own",
  },
  {
    title: "a user to remove who has processes",
    call: user({ name: "ana", state: "absent" }),
    now: { user: there, use: { ...idle, processes: ["sleep (812)"] } },
    steps: [],
    refusal: "user-busy",
  },
  {
    title: "a different UID for a user who has processes",
    call: user({ name: "ana", uid: 1700 }),
    now: { user: there, groups: [], holder: absent, use: { ...idle, processes: ["sleep (812)"] } },
    steps: [],
    refusal: "user-busy",
  },
];

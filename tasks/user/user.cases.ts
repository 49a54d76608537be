import { absent } from "../../src/authoring.ts";
import { seal } from "../../src/core/secret.ts";
import type { Case } from "../../src/testing/index.ts";
import { user } from "./user.ts";

const hash = "$6$salt$hash";
const passwordSeal = seal(Buffer.from(hash));
const group = { gid: 990, primaryOf: [] };
const there = {
  uid: 1000,
  group: "ana",
  groups: ["docker", "wheel"],
  member: { docker: true, wheel: true },
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

/** What `user` does on which host. */
export const cases: readonly Case[] = [
  {
    title: "no such user",
    call,
    now: { user: absent, groups: [group], home: absent, ownGroup: absent },
    steps: ["useradd -m -s /bin/sh -d /home/ana -G docker -- ana"],
  },
  {
    title: "no such user, and a group of its name",
    call,
    now: { user: absent, groups: [group], home: absent, ownGroup: group },
    steps: ["useradd -m -g ana -s /bin/sh -d /home/ana -G docker -- ana"],
  },
  {
    title: "a number that another user has",
    call: user({ name: "ana", uid: 1600 }),
    now: { user: there, groups: [], holder: { name: "bob" } },
    steps: [],
    refusal: "number-taken",
  },
  { title: "right", call, now: { user: there, groups: [group] }, steps: [] },
  {
    title: "another shell",
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
    title: "in a group too many",
    call: user({ name: "ana", groups: ["wheel"], exactGroups: true }),
    now: { user: there, groups: [group] },
    steps: ["usermod -G wheel -- ana"],
  },
  {
    title: "another password",
    call: withPassword,
    now: { user: { ...there, passwordSeal: "sealed:00" }, groups: [] },
    steps: ["set the password of ana"],
  },
  { title: "the password", call: withPassword, now: { user: { ...there, passwordSeal }, groups: [] }, steps: [] },
  { title: "one too many", call: removal, now: { user: there, goes: home }, steps: ["userdel -r -- ana"] },
  {
    title: "one too many, whose home is gone already",
    call: removal,
    now: { user: there, goes: absent },
    steps: ["userdel -r -- ana"],
  },
  {
    title: "one too many, whose home is a mounted disk",
    call: removal,
    now: { user: there, goes: { type: "directory", real: "/home/ana", uses: ["mount:/home/ana"] } },
    steps: [],
    refusal: "in-use",
  },
  { title: "gone", call: removal, now: { user: absent }, steps: [] },
  { title: "no such group", call, now: { user: there, groups: [absent] }, steps: [], refusal: "group-not-found" },
  {
    title: "a home that others live in",
    call: removal,
    now: { user: { ...there, home: "/home" }, goes: { ...home, real: "/home" } },
    steps: [],
    refusal: "home-is-shared",
  },
];

import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { authorizedKey } from "./authorized-key.ts";
import { defaultKeyFiles } from "./key-files.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux ana@laptop";
const other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP bob@desk";
const user = {
  uid: 1000,
  group: "staff",
  groups: [],
  member: { staff: true },
  home: "/home/ana",
  shell: "/bin/sh",
  comment: "",
};
const folder = { type: "directory", mode: "0700", owner: "ana", group: "staff" };
const keys = { type: "file", mode: "0600", owner: "ana", group: "staff", text: `${key}\n` };
const sshd = defaultKeyFiles;
const right = { user, sshd, home: folder, folder, keys };
const alone = { ...right, others: [absent] };
const call = authorizedKey({ user: "ana", key });
const removal = authorizedKey({ user: "ana", key, state: "absent" });
const path = "/home/ana/.ssh/authorized_keys";

/** Test cases for `authorizedKey`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: right, steps: [] },
  {
    title: "neither directory nor file",
    call,
    now: { ...right, folder: absent, keys: absent },
    steps: ["make directory /home/ana/.ssh", `write ${path}`],
  },
  {
    title: "only a different key",
    call,
    now: { ...right, keys: { ...keys, text: `${other}\n` } },
    steps: [`write ${path}`],
  },
  {
    title: "a file that is writable by others",
    call,
    now: { ...right, keys: { ...keys, mode: "0666" } },
    steps: [`write ${path}`],
  },
  {
    title: "a directory that is writable by others",
    call,
    now: { ...right, folder: { ...folder, mode: "0777" } },
    steps: ["set 0700 ana staff on /home/ana/.ssh"],
  },
  {
    title: "an extra key, with exclusive: true",
    call: authorizedKey({ user: "ana", key, exclusive: true }),
    now: { ...alone, keys: { ...keys, text: `${other}\n${key}\n` } },
    steps: [`write ${path}`],
  },
  { title: "a key to remove", call: removal, now: alone, steps: [`write ${path}`] },
  {
    title: "a key that was already removed",
    call: removal,
    now: { ...alone, folder: absent, keys: absent },
    steps: [],
  },
  { title: "a removal for a user who does not exist", call: removal, now: { user: absent, sshd }, steps: [] },
  { title: "no such user", call, now: { user: absent, sshd }, steps: [], refusal: "no-user" },
  { title: "no home directory", call, now: { ...right, home: absent }, steps: [], refusal: "no-home" },
  {
    title: "a link that the user controls",
    call,
    now: { ...right, folder: { ...folder, type: "link", target: "/etc" } },
    steps: [],
    refusal: "keys-are-a-link",
  },
  {
    title: "a removed key that still works through authorized_keys2",
    call: removal,
    now: { ...alone, keys: absent, others: [keys] },
    steps: [],
    refusal: "key-in-other-file",
  },
  {
    title: "another key that still works through authorized_keys2, with exclusive: true",
    call: authorizedKey({ user: "ana", key, exclusive: true }),
    now: { ...alone, others: [{ ...keys, text: `${other}\n` }] },
    steps: [],
    refusal: "key-in-other-file",
  },
  {
    title: "a key that sshd would not find",
    call,
    now: { ...right, sshd: { files: ["/etc/ssh/keys/%u"], from: "sshd" } },
    steps: [],
    refusal: "keys-not-read",
  },
  {
    title: "a removal where a link may lead to the key",
    call: removal,
    now: { ...alone, others: [{ ...keys, type: "link", target: "/srv/keys" }] },
    steps: [],
    refusal: "key-file-is-a-link",
  },
  {
    title: "a removal where sshd's configuration cannot be read",
    call: removal,
    now: { ...alone, sshd: { ...sshd, from: "unreadable" } },
    steps: [],
    refusal: "sshd-unreadable",
  },
];

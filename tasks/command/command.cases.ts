import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { command } from "./command.ts";

const program = { path: "/usr/bin/make" };
const there = { type: "file", mode: "0644", owner: "root", group: "root" };
const app = {
  uid: 900,
  group: "app",
  groups: [],
  member: { app: true },
  home: "/srv/app",
  shell: "/bin/sh",
  comment: "",
};
const base = { command: ["make", "install"] };
const creates = command({ ...base, creates: "/opt/app", stdin: "yes\n", env: { PREFIX: "/opt" } });
const removes = command({ ...base, removes: "/opt/app" });
const unless = command({ ...base, unless: ["test", "-e", "/opt/app"] });
const asUser = command({ ...base, creates: "/opt/app", user: "app" });
const guardedAsUser = command({ ...base, unless: ["test", "-e", "/opt/app"], user: "app" });
const reading = command({ ...base, readOnly: true });
const always = command({ command: "make | tee log", always: true });

const inFolder = command({ command: "make | tee log", always: true, cwd: "/srv/app" });

/** Test cases for `command`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "nothing at `creates`", call: creates, now: { program, creates: absent }, steps: ["make install"] },
  { title: "something at `creates`", call: creates, now: { program, creates: there }, steps: [] },
  { title: "something at `removes`", call: removes, now: { program, removes: there }, steps: ["make install"] },
  { title: "nothing at `removes`", call: removes, now: { program, removes: absent }, steps: [] },
  { title: "`unless` fails", call: unless, now: { program, unless: { exitCode: 1 } }, steps: ["make install"] },
  { title: "`unless` succeeds", call: unless, now: { program, unless: { exitCode: 0 } }, steps: [] },
  { title: "a shell command that always runs", call: always, now: { ran: false }, steps: ["sh -c 'make | tee log'"] },
  { title: "a read-only command", call: reading, now: { program, ran: false }, steps: ["make install"] },
  {
    title: "a read-only command whose program does not exist",
    call: reading,
    now: { program: absent, ran: false },
    steps: [],
    refusal: "no-program",
  },
  {
    title: "nothing at `creates`, and a user is given",
    call: asUser,
    now: { program, creates: absent, user: app },
    steps: ["make install"],
  },
  {
    title: "something at `creates`, and the user does not exist",
    call: asUser,
    now: { program, creates: there, user: absent },
    steps: [],
  },
  {
    title: "no such user",
    call: asUser,
    now: { program, creates: absent, user: absent },
    steps: [],
    refusal: "no-user",
  },
  {
    title: "no such user, and `unless` would run as that user",
    call: guardedAsUser,
    now: { program, unless: { exitCode: 1 }, user: absent },
    steps: [],
    refusal: "no-user",
  },
  {
    title: "no user with this UID",
    call: command({ ...base, always: true, user: "61234" }),
    now: { program, ran: false, user: absent },
    steps: [],
    refusal: "no-user",
  },
  {
    title: "a working directory",
    call: inFolder,
    now: { ran: false, cwd: { ...there, type: "directory" } },
    steps: ["sh -c 'make | tee log'"],
  },
  { title: "no working directory", call: inFolder, now: { ran: false, cwd: absent }, steps: [], refusal: "no-cwd" },
  {
    title: "a file as the working directory",
    call: inFolder,
    now: { ran: false, cwd: there },
    steps: [],
    refusal: "no-cwd",
  },
  {
    title: "a dangling link as the working directory",
    call: inFolder,
    now: { ran: false, cwd: { ...there, type: "link", target: "app-7" }, behind: [absent] },
    steps: [],
    refusal: "no-cwd",
  },
  {
    title: "no such program",
    call: creates,
    now: { program: absent, creates: absent },
    steps: [],
    refusal: "no-program",
  },
];

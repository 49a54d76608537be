import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { fileLine } from "./file-line.ts";

const path = "/etc/hosts";
const parent = { type: "directory", mode: "0755", owner: "root", group: "root" };
const hosts = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });
const call = fileLine({ path, line: "10.0.0.1 boot" });
const made = fileLine({ path, line: "10.0.0.1 boot", create: true, mode: "0600" });
const removal = fileLine({ path, state: "absent", match: "boot" });
const write = ["write /etc/hosts"];

/** Test cases for `fileLine`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "the line is missing", call, now: { path: hosts("127.0.0.1 localhost\n") }, steps: write },
  { title: "already up to date", call, now: { path: hosts("127.0.0.1 localhost\n10.0.0.1 boot\n") }, steps: [] },
  { title: "no file, but it may be created", call: made, now: { path: absent, parent }, steps: write },
  {
    title: "a different mode",
    call: made,
    now: { path: hosts("10.0.0.1 boot\n"), parent },
    steps: ["set 0600 on /etc/hosts"],
  },
  { title: "no file", call, now: { path: absent }, steps: [], refusal: "no-file" },
  { title: "no folder", call: made, now: { path: absent, parent: absent }, steps: [], refusal: "no-parent" },
  {
    title: "a dangling link where the directory should be",
    call: made,
    now: { path: absent, parent: { ...parent, type: "link", target: "/srv/etc" }, behind: [absent] },
    steps: [],
    refusal: "no-parent",
  },
  { title: "a directory", call, now: { path: parent }, steps: [], refusal: "no-regular-file" },
  { title: "a line to remove", call: removal, now: { path: hosts("10.0.0.1 boot\n") }, steps: write },
  { title: "the line was already removed", call: removal, now: { path: hosts("127.0.0.1 localhost\n") }, steps: [] },
  { title: "no file to remove the line from", call: removal, now: { path: absent }, steps: [] },
];

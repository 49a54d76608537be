import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { fileBlock } from "./file-block.ts";

const path = "/etc/hosts";
const parent = { type: "directory", mode: "0755", owner: "root", group: "root" };
const hosts = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });
const block = "# BEGIN managed by furrow\n10.0.0.1 boot\n# END managed by furrow\n";
const call = fileBlock({ path, block: "10.0.0.1 boot\n" });
const made = fileBlock({ path, block: "10.0.0.1 boot\n", create: true, mode: "0600" });
const removal = fileBlock({ path, state: "absent" });
const write = ["write /etc/hosts"];

/** Test cases for `fileBlock`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "the block is missing", call, now: { path: hosts("127.0.0.1 localhost\n") }, steps: write },
  { title: "already up to date", call, now: { path: hosts(`127.0.0.1 localhost\n${block}`) }, steps: [] },
  { title: "a different block", call, now: { path: hosts(block.replace("10.0.0.1", "10.0.0.9")) }, steps: write },
  { title: "no file, but it may be created", call: made, now: { path: absent, parent }, steps: write },
  { title: "a different mode", call: made, now: { path: hosts(block), parent }, steps: ["set 0600 on /etc/hosts"] },
  { title: "no file", call, now: { path: absent }, steps: [], refusal: "no-file" },
  { title: "a block to remove", call: removal, now: { path: hosts(block) }, steps: write },
  { title: "the block was already removed", call: removal, now: { path: hosts("127.0.0.1 localhost\n") }, steps: [] },
];

import { absent } from "../../../src/authoring.ts";
import type { Case } from "../../../src/testing/index.ts";
import { exampleTask } from "./example-task.ts";

const there = { type: "file", mode: "0644", owner: "root", group: "root" };
const call = exampleTask({ path: "/etc/example" });
const removal = exampleTask({ path: "/etc/example", present: false });

/** The actions of `exampleTask` in each state of the host. */
export const cases: readonly Case[] = [
  { title: "no file", call, now: { marker: absent }, steps: ["write /etc/example"] },
  { title: "already up to date", call, now: { marker: there }, steps: [] },
  { title: "a file to remove", call: removal, now: { marker: there }, steps: ["remove /etc/example"] },
  { title: "already removed", call: removal, now: { marker: absent }, steps: [] },
];

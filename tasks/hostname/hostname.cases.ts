import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { hostname } from "./hostname.ts";

const call = hostname({ name: "web" });
const saved = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });

/** Test cases for `hostname`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: { running: "web", saved: saved("web\n") }, steps: [] },
  {
    title: "up to date, in a file with a comment",
    call,
    now: { running: "web", saved: saved("# by hand\n\nweb\n") },
    steps: [],
  },
  {
    title: "written to the file, but not set",
    call,
    now: { running: "old", saved: saved("web\n") },
    steps: ["set the running host name to web"],
  },
  {
    title: "set, but not written for the next boot",
    call,
    now: { running: "web", saved: saved("old\n") },
    steps: ["write /etc/hostname"],
  },
  {
    title: "a host without the file",
    call,
    now: { running: "old", saved: absent },
    steps: ["write /etc/hostname", "set the running host name to web"],
  },
];

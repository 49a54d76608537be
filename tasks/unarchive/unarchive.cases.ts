import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { unarchive } from "./unarchive.ts";

const sha256 = "a".repeat(64);
const there = { type: "file", mode: "0644", owner: "root", group: "root" };
const to = { ...there, type: "directory", mode: "0755" };
const unpacked = { archive: `sha256:${sha256}` };
const tools = { tool: { path: "/usr/bin/tar" }, filter: { path: "/usr/bin/gzip" } };
const host = { to, archive: there, content: { sha256 }, unpacked, ...tools };
const call = unarchive({ archive: "/srv/app.tar.gz", path: "/opt/app" });
const marked = unarchive({ archive: "/srv/app.tar.gz", path: "/opt/app", creates: "/opt/app/run" });
const { content: _, unpacked: __, ...bare } = host;
const local = unarchive({ source: "app.zip", path: "/opt/app" });
const source = { sha256, size: 10, path: "/home/me/app.zip", mode: "0644" };
const unpack = "unpack /srv/app.tar.gz into /opt/app";
const staged = "/opt/app/.furrow-aaaaaaaaaaaaaaaa.part";

/** Test cases for `unarchive`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "nothing there",
    call,
    now: { ...host, to: absent, above: [to], unpacked: absent },
    steps: ["make directory /opt/app", unpack],
  },
  {
    title: "a dangling link above the directory",
    call,
    now: { ...host, to: absent, above: [{ ...to, type: "link", target: "data" }], behind: [absent], unpacked: absent },
    steps: [],
    refusal: "no-parent",
  },
  { title: "already up to date", call, now: host, steps: [] },
  { title: "different content", call, now: { ...host, unpacked: { archive: "sha256:00" } }, steps: [unpack] },
  {
    title: "nothing at `creates`",
    call: marked,
    now: { ...bare, creates: absent, unfinished: absent },
    steps: [unpack],
  },
  { title: "something there", call: marked, now: { ...bare, creates: there, unfinished: absent }, steps: [] },
  {
    title: "something at `creates`, from a run that did not unpack everything",
    call: marked,
    now: { ...bare, creates: there, unfinished: to },
    steps: [unpack],
  },
  {
    title: "an archive on the controller",
    call: local,
    now: { to, source, unpacked: absent, tool: { path: "/usr/bin/unzip" } },
    steps: [`upload app.zip to ${staged}`, "unpack app.zip into /opt/app", `remove ${staged}`],
  },
  { title: "no archive", call, now: { ...host, archive: absent, content: absent }, steps: [], refusal: "no-archive" },
  {
    title: "a file instead of the directory",
    call,
    now: { ...host, to: there, unpacked: absent },
    steps: [],
    refusal: "in-the-way",
  },
  { title: "no tar", call, now: { ...host, unpacked: absent, tool: absent }, steps: [], refusal: "no-program" },
];

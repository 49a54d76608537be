import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { download } from "./download.ts";

const hex = "a".repeat(64);
const url = "https://example.org/image.iso";
const path = "/srv/image.iso";
const there = { type: "file", mode: "0644", owner: "root", group: "root" };
const parent = { ...there, type: "directory", mode: "0755" };
const host = { parent, curl: { path: "/usr/bin/curl" }, wget: absent };
const byValue = download({ url, path, checksum: `sha256:${hex}`, mode: "0644" });
const byList = download({ url, path, checksum: { url: "https://example.org/SHA256SUMS" } });
const withHeader = download({ url, path, checksum: "none", headers: { Authorization: "Bearer abc" } });
const list = { status: 200, headers: {}, body: `${hex}  image.iso\n` };
const downloads = [`download ${url} to ${path}`];
const digest = { sha256: hex, stamped: true };
const other = { sha256: "b".repeat(64), stamped: false };

/** Test cases for `download`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "nothing there", call: byValue, now: { ...host, path: absent, digest: absent }, steps: downloads },
  { title: "already up to date", call: byValue, now: { ...host, path: there, digest }, steps: [] },
  { title: "different content", call: byValue, now: { ...host, path: there, digest: other }, steps: downloads },
  {
    title: "a different mode",
    call: byValue,
    now: { ...host, path: { ...there, mode: "0600" }, digest },
    steps: [`set 0644 on ${path}`],
  },
  {
    title: "no file, and a checksum list is given",
    call: byList,
    now: { ...host, list, path: absent, listed: absent },
    steps: downloads,
  },
  {
    title: "up to date, with a checksum list",
    call: byList,
    now: { ...host, list, path: there, listed: digest },
    steps: [],
  },
  { title: "no file, and a header is given", call: withHeader, now: { ...host, path: absent }, steps: downloads },
  { title: "any existing file, with a header", call: withHeader, now: { ...host, path: there }, steps: [] },
  {
    title: "no folder",
    call: byValue,
    now: { ...host, parent: absent, path: absent, digest: absent },
    steps: [],
    refusal: "no-parent",
  },
  {
    title: "a directory instead of the file",
    call: byValue,
    now: { ...host, path: parent, digest: absent },
    steps: [],
    refusal: "in-the-way",
  },
  {
    title: "no download program",
    call: byValue,
    now: { ...host, curl: absent, path: absent, digest: absent },
    steps: [],
    refusal: "no-program",
  },
  {
    title: "no checksum list",
    call: byList,
    now: { ...host, list: { ...list, status: 404 }, path: there },
    steps: [],
    refusal: "no-checksum",
  },
];

import { absent } from "../../src/authoring.ts";
import { nftSourceHash } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { nftables } from "./nftables.ts";
import { sourceOf } from "./rules.ts";

const rules = "chain a { }";
const hash = nftSourceHash(sourceOf("inet", "furrow", rules));
const path = "/etc/nftables.d/furrow-inet-furrow.nft";
const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
const main = { ...folder, type: "file", text: 'flush ruleset\ninclude "/etc/nftables.d/furrow-*.nft"\n' };
const file = { ...folder, type: "file", mode: "0644", sha256: hash };
const right = { table: { loaded: hash }, program: { path: "/usr/sbin/nft" }, file, folder, main };
const { folder: _, main: __, ...bare } = right;
const call = nftables({ table: "furrow", rules });
const removal = nftables({ table: "furrow", state: "absent" });
const accepted = { accepted: true, said: "" };
const load = "load table inet furrow";

/** Test cases for `nftables`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: right, steps: [] },
  {
    title: "nothing there",
    call,
    now: { ...right, accepted, table: absent, file: absent, folder: absent, main: absent },
    steps: ["check the rules", "make directory /etc/nftables.d", `write ${path}`, "write /etc/nftables.conf", load],
  },
  {
    title: "a table that someone else changed",
    call,
    now: { ...right, accepted, table: { loaded: "" } },
    steps: ["check the rules", load],
  },
  {
    title: "a rules file with different content",
    call,
    now: { ...right, file: { ...file, sha256: "00" } },
    steps: ["check the rules", `write ${path}`],
  },
  {
    title: "a main file that does not include furrow's file",
    call,
    now: { ...right, main: { ...main, text: "flush ruleset\n" } },
    steps: ["check the rules", "write /etc/nftables.conf"],
  },
  {
    title: "not persistent",
    call: nftables({ table: "furrow", rules, persist: false }),
    now: { ...bare, accepted, table: absent, file: absent },
    steps: ["check the rules", load],
  },
  {
    title: "rules that nft does not accept",
    call,
    now: { ...right, table: absent, accepted: { accepted: false, said: "syntax error, unexpected newline" } },
    steps: [],
    refusal: "not-accepted",
  },
  { title: "no nft", call, now: { ...right, program: absent }, steps: [], refusal: "no-nft" },
  { title: "a table to remove", call: removal, now: bare, steps: [`remove ${path}`, "delete table inet furrow"] },
  { title: "the table was already removed", call: removal, now: { ...bare, table: absent, file: absent }, steps: [] },
];

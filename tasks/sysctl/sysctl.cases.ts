import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { sysctl } from "./sysctl.ts";

const path = "/etc/sysctl.d/99-zz-furrow-vm-swappiness.conf";
const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
/** SHA-256 of `vm/swappiness = 10` and a newline. */
const sha256 = "45b403db9f607317414076322b73d93e705bdee4e39e37dea99149728125042b";
const saved = { ...folder, type: "file", mode: "0644", sha256 };
const later = absent;
const call = sysctl({ key: "vm.swappiness", value: 10 });
const removal = sysctl({ key: "vm.swappiness", state: "absent" });

/** Test cases for `sysctl`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: { running: "10", saved, folder, later }, steps: [] },
  {
    title: "neither set nor saved, and no directory for the file",
    call,
    now: { running: "60", saved: absent, folder: absent, later },
    steps: ["set vm.swappiness to 10", "make directory /etc/sysctl.d", `write ${path}`],
  },
  {
    title: "set but not saved",
    call,
    now: { running: "10", saved: { ...saved, sha256: "00" }, folder, later },
    steps: [`write ${path}`],
  },
  {
    title: "saved but not set",
    call,
    now: { running: "60", saved, folder, later },
    steps: ["set vm.swappiness to 10"],
  },
  {
    title: "not persistent",
    call: sysctl({ key: "vm.swappiness", value: 10, persist: false }),
    now: { running: "60", saved: absent, folder },
    steps: ["set vm.swappiness to 10"],
  },
  {
    title: "a value in octal, which the kernel shows in decimal",
    call: sysctl({ key: "vm.swappiness", value: "012" }),
    now: { running: "60", saved: absent, folder, later },
    steps: [],
    refusal: "not-decimal",
  },
  {
    title: "no such parameter",
    call,
    now: { running: absent, saved: absent, folder, later },
    steps: [],
    refusal: "no-parameter",
  },
  {
    title: "a file that is read later sets a different value",
    call,
    now: { running: "10", saved, folder, later: { file: "/etc/sysctl.d/zz-local.conf", value: "60" } },
    steps: [],
    refusal: "later-file-wins",
  },
  {
    title: "a file that is read later sets the same value",
    call,
    now: { running: "10", saved, folder, later: { file: "/etc/sysctl.d/zz-local.conf", value: "10" } },
    steps: [],
  },
  {
    title: "saved, but must be removed",
    call: removal,
    now: { running: "10", saved, folder },
    steps: [`remove ${path}`],
  },
  { title: "already removed", call: removal, now: { running: "10", saved: absent, folder }, steps: [] },
];

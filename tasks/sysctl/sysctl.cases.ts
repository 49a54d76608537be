import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { sysctl } from "./sysctl.ts";

const path = "/etc/sysctl.d/99-zz-furrow-vm-swappiness.conf";
const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
/** SHA-256 of `vm/swappiness = 10` and a newline. */
const sha256 = "45b403db9f607317414076322b73d93e705bdee4e39e37dea99149728125042b";
const saved = { ...folder, type: "file", mode: "0644", sha256 };
const call = sysctl({ key: "vm.swappiness", value: 10 });
const removal = sysctl({ key: "vm.swappiness", state: "absent" });

/** What `sysctl` does on which host. */
export const cases: readonly Case[] = [
  { title: "right", call, now: { running: "10", saved, folder }, steps: [] },
  {
    title: "neither set nor kept, and no folder for it",
    call,
    now: { running: "60", saved: absent, folder: absent },
    steps: ["make directory /etc/sysctl.d", `write ${path}`, "set vm.swappiness to 10"],
  },
  {
    title: "set and not kept",
    call,
    now: { running: "10", saved: { ...saved, sha256: "00" }, folder },
    steps: [`write ${path}`],
  },
  { title: "kept and not set", call, now: { running: "60", saved, folder }, steps: ["set vm.swappiness to 10"] },
  {
    title: "not to be kept",
    call: sysctl({ key: "vm.swappiness", value: 10, persist: false }),
    now: { running: "60", saved: absent, folder },
    steps: ["set vm.swappiness to 10"],
  },
  {
    title: "no such parameter",
    call,
    now: { running: absent, saved: absent, folder },
    steps: [],
    refusal: "no-parameter",
  },
  { title: "kept, and not to be", call: removal, now: { running: "10", saved, folder }, steps: [`remove ${path}`] },
  { title: "not kept any more", call: removal, now: { running: "10", saved: absent, folder }, steps: [] },
];

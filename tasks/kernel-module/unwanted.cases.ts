import type { Case } from "../../src/testing/index.ts";
import { bare, builtin, list, loaded, module, right, rule } from "./facts.cases.ts";
import { kernelModule } from "./kernel-module.ts";

const bootPath = "/etc/modules-load.d/furrow-br_netfilter.conf";
const unload = kernelModule({ name: "br_netfilter", state: "unloaded" });
const blacklist = kernelModule({ name: "floppy", state: "blacklisted" });
const blacklistPath = "/etc/modprobe.d/furrow-floppy.conf";

/** Test cases in which the module must be unloaded or blacklisted. */
export const unwantedCases: readonly Case[] = [
  { title: "loaded, but unwanted", call: unload, now: right, steps: [`remove ${bootPath}`, "rmmod br_netfilter"] },
  { title: "already unloaded", call: unload, now: bare, steps: [] },
  {
    title: "unwanted, and not in this kernel",
    call: unload,
    now: { ...bare, module: { ...module, state: "missing" } },
    steps: [],
  },
  {
    title: "unwanted, but another module uses it",
    call: unload,
    now: { ...right, module: { ...loaded, holders: ["xt_physdev"], references: 3 } },
    steps: [],
    refusal: "module-in-use",
  },
  {
    title: "unwanted, but a mount uses it",
    call: unload,
    now: { ...right, module: { ...loaded, references: 1 } },
    steps: [],
    refusal: "module-in-use",
  },
  {
    title: "unwanted, but another file loads it at boot",
    call: unload,
    now: { ...right, rules: rule("/etc/modules-load.d/k8s.conf", "load br_netfilter") },
    steps: [],
    refusal: "loaded-at-boot",
  },
  { title: "unwanted, but built in", call: unload, now: { ...bare, module: builtin }, steps: [], refusal: "built-in" },
  {
    title: "unwanted in a kernel that no longer unloads modules",
    call: unload,
    now: { ...right, module: { ...loaded, locked: true } },
    steps: [],
    refusal: "modules-disabled",
  },
  {
    title: "unwanted in a kernel that cannot unload modules",
    call: unload,
    now: { ...right, module: { ...loaded, references: -1 } },
    steps: [],
    refusal: "cannot-unload",
  },
  {
    title: "loaded, but must be blacklisted",
    call: blacklist,
    now: { ...right, rules: rule("/etc/modules-load.d/old.conf", "load floppy") },
    steps: [`write ${blacklistPath}`, "remove /etc/modules-load.d/furrow-floppy.conf", "rmmod floppy"],
  },
  {
    title: "must be blacklisted, but another file's command loads it",
    call: blacklist,
    now: {
      ...bare,
      config: list,
      rules: rule("/etc/modprobe.d/a-vendor.conf", "install floppy /sbin/modprobe --ignore-install floppy"),
    },
    steps: [],
    refusal: "install-command",
  },
  {
    title: "must be blacklisted, but another file's command loads it if the command's first part fails",
    call: blacklist,
    now: { ...bare, rules: rule("/etc/modprobe.d/a.conf", "install floppy /bin/false || insmod /opt/floppy.ko") },
    steps: [],
    refusal: "install-command",
  },
  {
    title: "another file also prevents the module from being loaded",
    call: blacklist,
    now: { ...bare, config: list, rules: rule("/etc/modprobe.d/cis.conf", "install floppy /usr/bin/true") },
    steps: [],
  },
  {
    title: "unwanted, but a network interface that is up needs it",
    call: kernelModule({ name: "e1000e", state: "unloaded" }),
    now: { ...bare, module: { ...loaded, interfaces: ["eno1", "eno2"] } },
    steps: [],
    refusal: "module-in-use",
  },
  {
    title: "must be blacklisted, but drives a mounted disk",
    call: kernelModule({ name: "virtio-pci", state: "blacklisted" }),
    now: { ...bare, module: { ...loaded, disks: ["vda1"] } },
    steps: [],
    refusal: "module-in-use",
  },
  {
    title: "already blacklisted",
    call: blacklist,
    now: { ...bare, config: list },
    steps: [],
  },
];

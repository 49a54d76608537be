import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { kernelModule } from "./kernel-module.ts";

const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
/** SHA-256 of `br_netfilter` and a newline. */
const boot = {
  ...folder,
  type: "file",
  mode: "0644",
  sha256: "3bfff2585066e0a9f96bbde61be25b49a06762530ee2fbb570958556fffe428a",
};
/** SHA-256 of `options kvm_intel nested=Y` and a newline. */
const config = { ...boot, sha256: "433b0c2c1a3e7d24d9860222cd97869fca96dc2a54c3d538b3c122a6705024e5" };
/** SHA-256 of the two lines that blacklist floppy. */
const list = { ...boot, sha256: "a662ceef89c8dd2cc8dc4469b1289783e6d02bf06d53ba93f52e70039470a125" };
const module = {
  state: "unloaded",
  kernel: "6.1.0-28-amd64",
  listed: true,
  locked: false,
  holders: [],
  references: 0,
  parameters: {},
  interfaces: [],
  disks: [],
};
const loaded = { ...module, state: "loaded" };
const builtin = { ...module, state: "builtin" };
const rules = { rules: [] };
const rule = (file: string, line: string): object => ({ rules: [{ file, line }] });
const bare = { module, rules, boot: absent, config: absent, bootFolder: folder, configFolder: folder };
const right = { ...bare, module: loaded, boot };

const call = kernelModule({ name: "br_netfilter" });
const bootPath = "/etc/modules-load.d/furrow-br_netfilter.conf";
const nested = kernelModule({ name: "kvm-intel", options: { nested: true }, persist: false });
const nestedPath = "/etc/modprobe.d/furrow-kvm_intel.conf";
const unload = kernelModule({ name: "br_netfilter", state: "unloaded" });
const blacklist = kernelModule({ name: "floppy", state: "blacklisted" });
const blacklistPath = "/etc/modprobe.d/furrow-floppy.conf";

/** Test cases for `kernelModule`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already as wanted", call, now: right, steps: [] },
  { title: "not loaded", call, now: bare, steps: [`write ${bootPath}`, "modprobe -- br_netfilter"] },
  {
    title: "no folder for modules that are loaded at boot",
    call,
    now: { ...right, boot: absent, bootFolder: absent },
    steps: ["make directory /etc/modules-load.d", `write ${bootPath}`],
  },
  { title: "loaded, but not at boot", call, now: { ...right, boot: absent }, steps: [`write ${bootPath}`] },
  { title: "loaded at boot, but not now", call, now: { ...right, module }, steps: ["modprobe -- br_netfilter"] },
  { title: "built in", call, now: { ...bare, module: builtin }, steps: [] },
  {
    title: "built in now, but not in an earlier kernel",
    call,
    now: { ...right, module: builtin },
    steps: [`remove ${bootPath}`],
  },
  {
    title: "options to set before the module is loaded",
    call: nested,
    now: { ...bare, configFolder: absent },
    steps: ["make directory /etc/modprobe.d", `write ${nestedPath}`, "modprobe -- kvm_intel"],
  },
  {
    title: "options that are set",
    call: nested,
    now: { ...bare, module: { ...loaded, parameters: { nested: "Y" } }, config },
    steps: [],
  },
  {
    title: "options that changed while the module is loaded",
    call: nested,
    now: { ...bare, module: { ...loaded, parameters: { nested: "N" } } },
    steps: [`write ${nestedPath}`],
  },
  {
    title: "options of a module that is built in",
    call: nested,
    now: { ...bare, module: builtin },
    steps: [],
    refusal: "built-in-options",
  },
  {
    title: "another file sets the option to the same value",
    call: nested,
    now: { ...bare, module: loaded, config, rules: rule("/etc/modprobe.d/kvm.conf", "options kvm_intel nested=Y") },
    steps: [],
  },
  {
    title: "another file sets the option to another value",
    call: nested,
    now: { ...bare, rules: rule("/etc/modprobe.d/kvm.conf", "options kvm_intel ept=1 nested=0") },
    steps: [],
    refusal: "other-option",
  },
  {
    title: "furrow blacklisted it before",
    call,
    now: { ...bare, config: list },
    steps: ["remove /etc/modprobe.d/furrow-br_netfilter.conf", `write ${bootPath}`, "modprobe -- br_netfilter"],
  },
  {
    title: "another file blacklists it",
    call,
    now: { ...right, rules: rule("/usr/lib/modprobe.d/50-block.conf", "blacklist br_netfilter") },
    steps: [],
    refusal: "blacklisted",
  },
  {
    title: "another file blacklists it, and it is loaded only now",
    call: kernelModule({ name: "br_netfilter", persist: false }),
    now: { ...bare, rules: rule("/usr/lib/modprobe.d/50-block.conf", "blacklist br_netfilter") },
    steps: ["modprobe -- br_netfilter"],
  },
  {
    title: "the kernel's command line forbids it",
    call: kernelModule({ name: "br_netfilter", persist: false }),
    now: { ...bare, rules: rule("/proc/cmdline", "module_blacklist=br_netfilter") },
    steps: [],
    refusal: "blacklisted",
  },
  {
    title: "another file runs a program in place of loading it",
    call,
    now: { ...bare, rules: rule("/etc/modprobe.d/cis.conf", "install br_netfilter /bin/true") },
    steps: [],
    refusal: "blacklisted",
  },
  {
    title: "another file does more than loading it",
    call,
    now: {
      ...right,
      rules: rule(
        "/usr/lib/modprobe.d/firewalld-sysctls.conf",
        "install br_netfilter /usr/sbin/modprobe --ignore-install br_netfilter $CMDLINE_OPTS && /usr/sbin/sysctl --quiet --system",
      ),
    },
    steps: [],
  },
  {
    title: "another file has a command that may not load it",
    call,
    now: { ...right, rules: rule("/etc/modprobe.d/x.conf", "install br_netfilter /bin/sh -c 'exit 1'") },
    steps: [],
    refusal: "install-command",
  },
  {
    title: "another file loads another module in place of it",
    call: kernelModule({ name: "br-netfilter", persist: false }),
    now: {
      ...bare,
      rules: rule("/etc/modprobe.d/x.conf", "install br_netfilter /sbin/modprobe --ignore-install bridge"),
    },
    steps: [],
    refusal: "install-command",
  },
  {
    title: "the kernel does not have it",
    call,
    now: { ...bare, module: { ...module, state: "missing" } },
    steps: [],
    refusal: "no-module",
  },
  {
    title: "the modules of the running kernel were removed",
    call,
    now: { ...bare, module: { ...module, state: "missing", listed: false } },
    steps: [],
    refusal: "no-modules",
  },
  {
    title: "the kernel loads no modules any more",
    call,
    now: { ...bare, module: { ...module, locked: true } },
    steps: [],
    refusal: "modules-disabled",
  },
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
    title: "unwanted in a kernel that unloads no modules any more",
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
    title: "loaded, but to be blacklisted",
    call: blacklist,
    now: { ...right, rules: rule("/etc/modules-load.d/old.conf", "load floppy") },
    steps: [`write ${blacklistPath}`, "remove /etc/modules-load.d/furrow-floppy.conf", "rmmod floppy"],
  },
  {
    title: "to be blacklisted, but another file's command loads it",
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
    title: "to be blacklisted, but another file's command loads it if a first one fails",
    call: blacklist,
    now: { ...bare, rules: rule("/etc/modprobe.d/a.conf", "install floppy /bin/false || insmod /opt/floppy.ko") },
    steps: [],
    refusal: "install-command",
  },
  {
    title: "another file prevents it from being loaded too",
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
    title: "to be blacklisted, but the driver below a mounted disk",
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

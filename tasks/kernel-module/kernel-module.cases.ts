import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { bare, builtin, config, list, loaded, module, right, rule } from "./facts.cases.ts";
import { kernelModule } from "./kernel-module.ts";
import { unwantedCases } from "./unwanted.cases.ts";

const call = kernelModule({ name: "br_netfilter" });
const bootPath = "/etc/modules-load.d/furrow-br_netfilter.conf";
const nested = kernelModule({ name: "kvm-intel", options: { nested: true }, persist: false });
const nestedPath = "/etc/modprobe.d/furrow-kvm_intel.conf";

/** Test cases for `kernelModule`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: right, steps: [] },
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
    title: "changed options, and the module is already loaded",
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
    title: "another file sets the option to a different value",
    call: nested,
    now: { ...bare, rules: rule("/etc/modprobe.d/kvm.conf", "options kvm_intel ept=1 nested=0") },
    steps: [],
    refusal: "other-option",
  },
  {
    title: "an earlier run blacklisted the module",
    call,
    now: { ...bare, config: list },
    steps: ["remove /etc/modprobe.d/furrow-br_netfilter.conf", `write ${bootPath}`, "modprobe -- br_netfilter"],
  },
  {
    title: "another file blacklists the module",
    call,
    now: { ...right, rules: rule("/usr/lib/modprobe.d/50-block.conf", "blacklist br_netfilter") },
    steps: [],
    refusal: "blacklisted",
  },
  {
    title: "another file blacklists the module, which must be loaded now, but not at boot",
    call: kernelModule({ name: "br_netfilter", persist: false }),
    now: { ...bare, rules: rule("/usr/lib/modprobe.d/50-block.conf", "blacklist br_netfilter") },
    steps: ["modprobe -- br_netfilter"],
  },
  {
    title: "the kernel's command line forbids the module",
    call: kernelModule({ name: "br_netfilter", persist: false }),
    now: { ...bare, rules: rule("/proc/cmdline", "module_blacklist=br_netfilter") },
    steps: [],
    refusal: "blacklisted",
  },
  {
    title: "another file runs a program instead of loading the module",
    call,
    now: { ...bare, rules: rule("/etc/modprobe.d/cis.conf", "install br_netfilter /bin/true") },
    steps: [],
    refusal: "blacklisted",
  },
  {
    title: "another file does more than load the module",
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
    title: "another file has a command that might not load the module",
    call,
    now: { ...right, rules: rule("/etc/modprobe.d/x.conf", "install br_netfilter /bin/sh -c 'exit 1'") },
    steps: [],
    refusal: "install-command",
  },
  {
    title: "another file loads a different module instead",
    call: kernelModule({ name: "br-netfilter", persist: false }),
    now: {
      ...bare,
      rules: rule("/etc/modprobe.d/x.conf", "install br_netfilter /sbin/modprobe --ignore-install bridge"),
    },
    steps: [],
    refusal: "install-command",
  },
  {
    title: "the kernel does not have the module",
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
    title: "the kernel no longer loads modules",
    call,
    now: { ...bare, module: { ...module, locked: true } },
    steps: [],
    refusal: "modules-disabled",
  },
  ...unwantedCases,
];

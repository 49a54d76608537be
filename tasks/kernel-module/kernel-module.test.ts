import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { contractOf, explain, type Explanation } from "../../src/testing/index.ts";
import { cases } from "./kernel-module.cases.ts";
import { kernelModule } from "./kernel-module.ts";

test("kernelModule meets the task contract and does what each case says", () => {
  expect(contractOf(kernelModule, cases, { folder: "kernel-module" })).toEqual([]);
});

const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
const module = {
  state: "loaded",
  kernel: "6.1.0-28-amd64",
  listed: true,
  locked: false,
  holders: [],
  references: 0,
  parameters: {},
  interfaces: [],
  disks: [],
  staleInitramfs: "",
};
const tell = (params: object, over: object = {}, rules: readonly object[] = []): Explanation =>
  explain(kernelModule({ name: "br_netfilter", ...params }), {
    module: { ...module, ...over },
    rules: { rules },
    boot: absent,
    config: absent,
    bootFolder: folder,
    configFolder: folder,
  });

describe("kernelModule", () => {
  test.each([
    { param: "name", params: { name: "net/bridge" } },
    { param: "name", params: { name: "-r" } },
    { param: "name", params: { name: "a".repeat(56) } },
    { param: "options", params: { options: { nested: "a b" } } },
    { param: "options", params: { options: { nested: "1\ninstall x /bin/sh" } } },
    { param: "options", params: { options: { "a b": 1 } } },
    { param: "state", params: { state: "absent" } },
  ])("refuses the param $param: $params", ({ param, params }) => {
    expect(() => tell(params)).toThrow(`param "${param}`);
  });

  test("treats - and _ in names alike, so that two spellings of one module's name do not conflict", () => {
    const { steps } = tell({ name: "br-netfilter" });
    expect(steps).toMatchObject([{ path: "/etc/modules-load.d/furrow-br_netfilter.conf", text: "br_netfilter\n" }]);
  });

  test("blacklists a module so that neither hardware nor other modules nor users can load it", () => {
    const { steps } = tell({ state: "blacklisted" }, { state: "unloaded" });
    expect(steps).toMatchObject([{ text: "blacklist br_netfilter\ninstall br_netfilter /bin/false\n" }]);
  });

  test("names the running kernel if that kernel has no such module", () => {
    const { refusal } = tell({}, { state: "missing" });
    expect(refusal?.current).toBe("neither in /lib/modules/6.1.0-28-amd64 nor built in (uname -r: 6.1.0-28-amd64)");
  });

  test.each([
    {
      over: { holders: ["xt_physdev"], references: 3 },
      current: "used by the modules xt_physdev and referenced 2 times by programs, mounts or devices",
      hint: 'Put kernelModule({ name: "xt_physdev", state: "unloaded" }) before this task',
    },
    {
      over: { holders: [], references: 1 },
      current: "referenced once by programs, mounts or devices",
      hint: "First stop whatever uses it: unmount its file systems, or stop the services that use its devices",
    },
    {
      over: { interfaces: ["eno1"] },
      current: "drives the network interface eno1, which is up or has an address",
      hint: "Take the interface down first, if the host remains reachable without it: ip link set dev eno1 down",
    },
    {
      over: { interfaces: ["eno1", "eno2"], disks: ["sda1", "sdb"] },
      current:
        "drives the network interfaces eno1 and eno2, which are up or have addresses, and the disks sda1 and sdb, which are in use",
      hint: "Leave the task out for this host, or first move the host's network and data to other devices",
    },
  ])("names what uses a module that must be unloaded: $current", ({ over, current, hint }) => {
    expect(tell({ state: "unloaded" }, over).refusal).toMatchObject({ current, hint });
  });

  test("names the file and the line of a command that runs instead of loading the module", () => {
    const line = "install br_netfilter /opt/load";
    const { refusal } = tell({ state: "blacklisted" }, { state: "unloaded" }, [
      { file: "/etc/modprobe.d/a.conf", line },
    ]);
    expect(refusal).toMatchObject({
      code: "install-command",
      message: "modprobe runs a command instead of loading br_netfilter, as configured in /etc/modprobe.d/a.conf",
      current: line,
    });
  });

  test("says that the initramfs may still load a blacklisted module, or load it with the old options", () => {
    const debian = { state: "unloaded", staleInitramfs: "/boot/initrd.img-6.1.0" };
    expect(tell({ state: "blacklisted" }, debian).notes).toEqual([
      "/boot/initrd.img-6.1.0 is older than /etc/modprobe.d/furrow-br_netfilter.conf: if it contains br_netfilter, boots ignore this file until the initramfs is rebuilt, for example with update-initramfs -u",
    ]);
    const suse = { staleInitramfs: "/boot/initrd-6.4.0" };
    expect(tell({ options: { nested: 1 } }, suse).notes).toEqual([
      "/boot/initrd-6.4.0 is older than /etc/modprobe.d/furrow-br_netfilter.conf: if it contains br_netfilter, boots ignore this file until the initramfs is rebuilt, for example with dracut --force",
    ]);
    expect(tell({}, suse).notes).toEqual([]);
  });

  test("says which options a loaded module does not have yet, and accepts a flag in any form", () => {
    const options = { nested: true, ept: 1, name: "x" };
    const { notes } = tell({ options }, { parameters: { nested: "N", ept: "Y", name: "x" } });
    expect(notes).toEqual(["nested is still N; it becomes Y when br_netfilter is loaded again, such as at boot"]);
  });
});

import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { installerRules, refusedConfig, validCreate, validJoin } from "../../roles/harvester-config/installer-rules.ts";
import { standInRoot } from "./stand-in-node.ts";
import { covered } from "../covered.ts";

const gib = 2 ** 30;
/** A machine that the installer accepts, as a node's own programs would detect it. */
const machine = {
  disks: { "/dev/vda": 300 * gib, "/dev/vdb": 60 * gib },
  links: { "/dev/disk/by-id/virtio-a": "/dev/vda" },
  interfaces: {
    lo: { mac: "00:00:00:00:00:00", loopback: true },
    enp1s0: { mac: "52:54:00:68:76:01", loopback: false },
  },
  processors: 16,
  memoryBytes: 63 * gib,
  virtual: "",
  kvm: true,
  efi: true,
  defaultRoute: true,
};
const cmdline = "ip=dhcp harvester.install.automatic=true";
const create = (path: string, value: unknown): object =>
  refusedConfig({ name: "", where: "", says: "", of: "create", change: { [path]: value } });
const join = (path: string, value: unknown): object =>
  refusedConfig({ name: "", where: "", says: "", of: "join", change: { [path]: value } });

let root: string;
beforeAll(async () => {
  root = await standInRoot();
}, 300_000);

/** The output of the stand-in's checks, which run in its own root file system, with its own interpreter. */
function verdict(config: unknown, found: object = {}, kernel = cmdline): string {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  const argv = [
    root,
    "/usr/bin/python3",
    "/usr/lib/stand-in/check.pyc",
    JSON.stringify({ ...machine, ...found }),
    kernel,
  ];
  const { stdout, stderr } = spawnSync("chroot", argv, { input: text, encoding: "utf8" });
  return `${stdout}${stderr}`.trim();
}

describe("the stand-in node's installer", () => {
  test("accepts configurations that the real installer accepts", () => {
    for (const config of [validCreate, validJoin]) expect(verdict(config)).toBe("accepted");
    expect(verdict(create("install.device", "/dev/disk/by-id/virtio-a"))).toBe("accepted");
    expect(verdict(create("install.role", "witness"))).toBe("accepted");
    expect(verdict(create("install.device", "/dev/vdb"), {}, `${cmdline} harvester.install.skipchecks=true`)).toBe(
      "accepted",
    );
  });

  test("reads both spellings of a name, and YAML, and gives the kernel's arguments precedence", () => {
    const camel = JSON.stringify(validJoin)
      .replaceAll("scheme_version", "schemeVersion")
      .replaceAll("server_url", "serverUrl")
      .replaceAll("management_interface", "managementInterface");
    expect(verdict(camel)).toBe("accepted");
    const yaml = `scheme_version: 1
token: t
os: {hostname: one, password: p}
install:
  mode: create
  device: /dev/vda
  iso_url: http://192.168.130.1/a.iso
  management_interface: {interfaces: [{name: enp1s0}], method: DHCP, bond_options: {mode: balance-tlb, miimon: 100}}
  vip: 192.168.130.120
  vip_mode: static
`;
    expect(verdict(yaml)).toBe("accepted");
    expect(verdict(yaml, {}, `${cmdline} harvester.os.hostname=Two`)).toContain("hostname: ");
  });

  test("refuses every configuration that the real installer refuses", () => {
    const taken: string[] = [];
    for (const rule of installerRules) {
      const said = verdict(refusedConfig(rule));
      if (said === "accepted" || said.includes("Traceback")) taken.push(`${rule.name}: ${said}`);
    }
    expect(taken).toEqual([]);
    covered(`${installerRules.length} configurations that Harvester's installer refuses, refused by the stand-in node`);
  });

  test.each([
    ["a token that is a number", create("token", 12_345), {}, "load: token is int"],
    ["a document that is invalid YAML", "{", {}, "load: no YAML"],
    ["a missing disk", create("install.device", "/dev/sda"), {}, "device: there is no disk /dev/sda"],
    ["a small disk", create("install.device", "/dev/vdb"), {}, "disk size: the disk has 60 GiB, and 250 GiB"],
    ["a small disk for a witness", create("install.role", "witness"), { disks: { "/dev/vda": gib } }, "180 GiB"],
    [
      "a missing interface",
      create("install.management_interface.interfaces", [{ name: "ens3" }]),
      {},
      "no interface ens3, only enp1s0 lo",
    ],
    [
      "a missing network card",
      create("install.management_interface.interfaces", [{ hwAddr: "52:54:00:00:00:01" }]),
      {},
      "no network card has the address",
    ],
    ["a server URL with a path", join("server_url", "https://192.168.130.120/v3"), {}, "server_url has a path"],
    [
      "a server URL with another port",
      join("server_url", "https://192.168.130.120:6443"),
      {},
      "server_url has port 6443",
    ],
    ["a server URL without a server", join("server_url", "https://-/"), {}, "does not name a server"],
    ["an unknown role", create("install.role", "master"), {}, "role: there is no such role"],
    ["an MBR on UEFI", create("install.force_mbr", true), {}, "force_mbr: an MBR cannot be forced on a UEFI"],
    ["DHCP without a router", validCreate, { defaultRoute: false }, "DHCP gave no default route"],
    [
      "few processors, if the checks are not skipped",
      validCreate,
      { processors: 8 },
      "preflight: 8 processors are too few",
    ],
    [
      "a virtual machine, if the checks are not skipped",
      validCreate,
      { virtual: "QEMU" },
      "the machine is virtual (QEMU)",
    ],
    ["little memory, if the checks are not skipped", validCreate, { memoryBytes: 32 * gib }, "32 GiB of memory"],
  ])("refuses %s", (_name, config, found, says) => {
    expect(verdict(config, found)).toContain(says);
  });
});

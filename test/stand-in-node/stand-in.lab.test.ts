import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { installerRules, refusedConfig, validCreate, validJoin } from "../../roles/harvester-config/installer-rules.ts";
import type { InstallerKey } from "../../scripts/installer/keys.ts";
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
}, 900_000);

/**
 * The output of the stand-in's checks, which run in the stand-in's root file system, with the Python interpreter of
 * that file system.
 */
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

const sourceFile = path.join(import.meta.dirname, "../../roles/harvester-config/installer-source.json");

/** The output of a script that runs in the stand-in's root file system and can import the stand-in's modules. */
function inRoot(script: string): string {
  const start = `import json, re, sys; sys.path.insert(0, "/usr/lib/stand-in")\nfrom config import *\n`;
  const { stdout, stderr } = spawnSync("chroot", [root, "/usr/bin/python3", "-c", start + script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout;
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

  test("reads both spellings of a key, and YAML; the kernel's arguments take precedence", () => {
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

  test("refuses a machine without UEFI if the version is v1.8 or later, and accepts it in earlier versions", () => {
    const kernel = (version: string): string => `${cmdline} root=live:http://192.168.130.1/harvester-${version}-rootfs`;
    expect(verdict(validCreate, { efi: false }, kernel("v1.7.1"))).toBe("accepted");
    for (const version of ["v1.8.0", "v1.10.0-rc1", "v2.0.0"])
      expect(verdict(validCreate, { efi: false }, kernel(version))).toContain("firmware: ");
    expect(verdict(validCreate, { efi: false }, `${kernel("v1.8.1")} harvester.install.skipchecks=true`)).toContain(
      "firmware: ",
    );
  });

  test("reads the same keys as the installer's source, in the same spellings", () => {
    const { keys } = JSON.parse(readFileSync(sourceFile, "utf8")) as { keys: readonly InstallerKey[] };
    // The installer's mapper does not look below multiPathConfig, and the stand-in accepts anything there.
    const own = keys
      .filter(({ path }) => !/multiPathConfig[.[]/.test(path))
      .map(({ path, snake }): [string, string] => [path, snake]);
    const printed = inRoot(`
def walk(kind, path, snake):
    if isinstance(kind, list):
        walk(kind[0], path + "[]", snake + "[]")
    elif isinstance(kind, dict) and kind is not TEXT_MAP:
        names = spellings(kind) if "*" not in kind else {"*": "*"}
        for name in kind:
            words = [one for one, field in names.items() if field == name]
            word = next((one for one in words if one == re.sub(r"([A-Z])", r"_\\1", name).lower()), name)
            at = [path + "." + name if path else name, snake + "." + word if path else word]
            if name != "*":
                print(json.dumps(at))
            walk(kind[name], *at)
walk(CONFIG, "", "")
`);
    const found = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as [string, string]);
    expect(new Map(found)).toEqual(new Map(own));
  });

  test("gives its disks a journal, without which a power loss damages their file systems", () => {
    const script = `
from install import format_part
with open("/tmp/disk", "wb") as disk: disk.truncate(64 << 20)
format_part("COS_OEM", "/tmp/disk")
block = open("/tmp/disk", "rb").read(2048)[1024:]
print(json.dumps({"journal": bool(block[0x5C] & 4), "label": block[0x78:0x88].rstrip(b"\\0").decode()}))
`;
    // The superblock's s_feature_compat and s_volume_name (Linux, Documentation/filesystems/ext4/super.rst).
    expect(JSON.parse(inRoot(script))).toEqual({ journal: true, label: "COS_OEM" });
  });

  test("ignores a key whose snake_case form differs from the installer's", () => {
    const read = (key: string): string =>
      inRoot(`print(json.dumps(typed({"longhorn": {"default_settings": {"${key}": 6}}}, CHART, "")))`);
    expect(JSON.parse(read("guaranteed_instance_manager_cpu"))).toEqual({ longhorn: { defaultSettings: {} } });
    for (const key of ["guaranteed_instance_manager_c_p_u", "guaranteedInstanceManagerCPU"])
      expect(JSON.parse(read(key))).toEqual({ longhorn: { defaultSettings: { guaranteedInstanceManagerCPU: 6 } } });
  });

  test("answers a client's discovery requests for API groups and kinds", () => {
    const ask = (path: string): unknown =>
      JSON.parse(inRoot(`from discovery import discovered; print(json.dumps(discovered("${path}")))`));
    expect(ask("/api")).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    expect(ask("/api/v1")).toMatchObject({
      groupVersion: "v1",
      resources: [{ name: "nodes", kind: "Node" }, { name: "persistentvolumes" }],
    });
    const { groups } = ask("/apis") as { groups: { preferredVersion: { groupVersion: string } }[] };
    for (const { preferredVersion } of groups)
      expect(ask(`/apis/${preferredVersion.groupVersion}`)).toMatchObject({ kind: "APIResourceList" });
    expect(ask("/apis/apps/v1")).toBeNull();
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
    ["a BIOS since v1.8", validCreate, { efi: false }, "firmware: Legacy BIOS systems are no longer supported"],
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

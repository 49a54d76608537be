import { describe, expect, test } from "vitest";
import { suse, susePackagesSchema, susePackagesText } from "./packages.ts";
import { misfits } from "./compared.ts";
import { hostWith, reliedOn } from "./relied-on.ts";

interface Data {
  readonly sources: Record<string, object>;
  readonly packages: { name: string; files?: string[]; sources: Record<string, string[]> }[];
}
/** Returns the problems that the schema finds in the data after a change. */
function problems(change: (data: Data) => void): string[] {
  const data = JSON.parse(susePackagesText) as Data;
  change(data);
  return susePackagesSchema.safeParse(data).error?.issues.map(({ message }) => message) ?? [];
}
const nginx = ({ packages }: Data): Data["packages"][number] => packages.find(({ name }) => name === "nginx")!;

describe("the data about SUSE's packages", () => {
  test("names the source of every part of every entry", () => {
    expect(problems(() => undefined)).toEqual([]);
    expect(problems((data) => delete nginx(data).sources["files"])).toEqual(["a source"]);
    expect(problems((data) => delete nginx(data).sources["name"])).not.toEqual([]);
    expect(problems((data) => (nginx(data).sources["name"] = []))).not.toEqual([]);
    expect(problems((data) => (nginx(data).sources["name"] = ["hearsay"]))).toEqual([
      "nginx: a source in `sources`, not hearsay",
    ]);
    expect(problems((data) => delete nginx(data).files)).toEqual(["`files`, because sources for it are given"]);
  });

  test("names the source of each statement about systems and configuration", () => {
    const more = JSON.parse(susePackagesText) as {
      systems: { sources: object }[];
      configuration: { sources: string[] }[];
    };
    const broken = (change: (data: typeof more) => void): number => {
      const data = structuredClone(more);
      change(data);
      return susePackagesSchema.safeParse(data).error?.issues.length ?? 0;
    };
    expect(broken(() => undefined)).toBe(0);
    expect(broken(({ systems }) => (systems[0]!.sources = {}))).toBeGreaterThan(0);
    expect(
      broken(({ systems }) => (systems[0]!.sources = { like: ["hearsay"], confinement: ["hearsay"] })),
    ).toBeGreaterThan(0);
    expect(broken(({ configuration }) => (configuration[0]!.sources = []))).toBeGreaterThan(0);
    expect(broken(({ configuration }) => (configuration[0]!.sources = ["hearsay"]))).toBeGreaterThan(0);
  });

  test("cites every source, and has an entry for each requirement", () => {
    const spare = { product: "SLES 15", url: "https://example.com/x", version: "1" };
    expect(problems((data) => (data.sources["spare"] = spare))).toEqual(["a source that is used"]);
    expect(problems((data) => data.packages.splice(data.packages.indexOf(nginx(data)), 1))).not.toEqual([]);
  });
});

test.each([
  ["opensuse-leap", "15.5"],
  ["opensuse-leap", "15.6"],
  ["sles", "15.6"],
  ["sles", "15.7"],
  ["opensuse-leap", "16.0"],
  ["sles", "16.0"],
])("on %s %s the roles need only what SUSE has, and install every package that they need", (id, version) => {
  expect(misfits(reliedOn(hostWith(id, version)), version)).toEqual([]);
});

test("the list contains exactly the requirements that a search of the roles finds", () => {
  expect(reliedOn(hostWith("sles", "15.7"))).toMatchInlineSnapshot(`
    {
      "files": [
        "/etc/chrony.d",
        "/etc/nginx/mime.types",
        "/run/nginx.pid",
        "/usr/bin/socat",
        "/usr/sbin/nft",
        "/usr/share/ipxe/ipxe-x86_64.efi",
      ],
      "lookedFor": [
        "/etc/apparmor.d/usr.lib.libvirt.virt-aa-helper",
        "/etc/apparmor.d/usr.sbin.dnsmasq",
        "guestregister.service",
        "libvirtd-admin.socket",
        "libvirtd-ro.socket",
        "libvirtd.service",
        "libvirtd.socket",
      ],
      "owners": {
        "/etc/nginx/mime.types": "nginx",
        "/usr/bin/socat": "socat",
        "/usr/share/ipxe/ipxe-x86_64.efi": "ipxe-bootimgs",
      },
      "packages": [
        "ca-certificates-mozilla",
        "chrony",
        "cron",
        "curl",
        "ipxe-bootimgs",
        "libvirt",
        "nftables",
        "nginx",
        "parted",
        "qemu-ovmf-x86_64",
        "qemu-tools",
        "qemu-x86",
        "socat",
      ],
      "units": [
        "chronyd.service",
        "cron.service",
        "nginx.service",
        "virtnetworkd.service",
        "virtnetworkd.socket",
        "virtqemud.service",
        "virtqemud.socket",
      ],
      "users": [
        "nginx",
      ],
    }
  `);
});

test("says which of the roles' package names are in a released product, and which are only in Factory", () => {
  const { packages } = reliedOn(hostWith("sles", "15.7"));
  const products = (name: string): string[] =>
    suse.packages
      .filter((one) => one.name === name)
      .flatMap(({ sources }) => sources.name.map((key) => suse.sources[key]?.product ?? ""));
  const only = packages.filter((name) => products(name).every((product) => product === "openSUSE Factory"));
  expect(only).toEqual(["ipxe-bootimgs", "nftables", "qemu-x86"]);
});

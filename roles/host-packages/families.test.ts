import { expect, test } from "vitest";
import { type HostFacts, type Node, playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { vmNetwork } from "../vm-network/role.ts";
import { families, familyOf, knownFamily } from "./families.ts";
import { filterAtBoot } from "./filter-at-boot.ts";

const os = (id: string, version: string, ...like: string[]) => ({ os: { id, version, like: [id, ...like] } });

test.each([
  { host: os("debian", "12"), family: "debian" },
  { host: os("ubuntu", "24.04", "debian"), family: "debian" },
  { host: os("sles", "15.4", "suse"), family: "suseBefore156" },
  { host: os("opensuse-leap", "15.5", "suse", "opensuse"), family: "suseBefore156" },
  { host: os("sles", "15.6", "suse"), family: "suse" },
  { host: os("opensuse-leap", "16.0", "suse", "opensuse"), family: "suse" },
  { host: os("opensuse-tumbleweed", "20261101", "opensuse", "suse"), family: "suse" },
] as const)("assigns $host.os.id $host.os.version to $family", ({ host, family }) => {
  expect(familyOf(host)).toBe(families[family]);
});

test("does not support other distributions", () => {
  expect(knownFamily(os("arch", ""))).toBeUndefined();
});

// These values come from the packages' own files; the data under test names the source of each value.
test.each([
  ["packages", "libvirt"],
  ["packages", "qemu-x86"],
  ["packages", "ca-certificates-mozilla"],
  ["uefi", "qemu-ovmf-x86_64"],
  ["uefi", "ipxe-bootimgs"],
  ["starts", "cron"],
] as const)("SUSE's list `%s` contains %s", (part, name) => {
  for (const family of [families.suse, families.suseBefore156]) expect(family[part]).toContain(name);
});

test.each([
  ["nginxUser", "nginx", "www-data"],
  ["ipxe", "/usr/share/ipxe/ipxe-x86_64.efi", "/boot/ipxe.efi"],
  ["chrony", { folder: "/etc/chrony.d", unit: "chronyd" }, { folder: "/etc/chrony/conf.d", unit: "chrony" }],
] as const)("sets %s to %j on SUSE, and to %j on Debian", (part, suse, debian) => {
  for (const family of [families.suse, families.suseBefore156]) expect(family[part]).toEqual(suse);
  expect(families.debian[part]).toEqual(debian);
});

const cluster = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p" });

const small = { hostname: "metal", architecture: "x86_64", kernel: "6", processors: 8, memoryBytes: 1, kvm: true };

/** Returns the titles of the tasks that a play runs on a host with this operating system. */
async function titles(host: object, tasks: (facts: HostFacts) => Node | readonly Node[]): Promise<string[]> {
  const unit = { load: "loaded", state: "stopped", enabled: false };
  const units = ["libvirtd.service", "nftables.service"].concat(
    ["virtnetworkd", "virtqemud"].flatMap((name) => [`${name}.service`, `${name}.socket`]),
  );
  const state = {
    metal: {
      "host:self": { ...small, addresses: {}, ...host },
      ...Object.fromEntries(units.map((name) => [`unit:${name}`, unit])),
    },
  };
  const book = playbook({
    name: "alone",
    plays: [{ hosts: "all", become: true, tasks: ({ facts: seen }) => [tasks(seen)] }],
  });
  return (await simulate(book, { hosts: ["metal"], state, mode: "check" })).tasks.map(({ title }) => title);
}

test("runs libvirt as one daemon on Debian and older SUSE, and as one daemon per driver since SUSE 15.6", async () => {
  const of = async (host: object): Promise<string[]> =>
    (await titles(host, (facts) => vmNetwork({ cluster, facts }))).filter((title) =>
      /^service |system\/.*d$/.test(title),
    );
  const one = ["file /etc/systemd/system/libvirtd.service.d", "service libvirtd"];
  expect(await of(os("debian", "12"))).toEqual(one);
  expect(await of(os("sles", "15.4", "suse"))).toEqual(one);
  expect(await of(os("sles", "15.6", "suse"))).toEqual([
    "file /etc/systemd/system/virtqemud.service.d",
    "service libvirtd.socket",
    "service libvirtd-ro.socket",
    "service libvirtd-admin.socket",
    "service libvirtd.service",
    "service virtnetworkd.socket",
    "service virtqemud.socket",
    "service virtnetworkd",
    "service virtqemud",
  ]);
});

test("restores the packet filter's tables with Debian's unit, or on SUSE with furrow's own", async () => {
  expect(await titles(os("debian", "12"), filterAtBoot)).toEqual(["service nftables"]);
  expect(await titles(os("sles", "15.7", "suse"), filterAtBoot)).toEqual([
    "file /etc/systemd/system/harvester-nftables.service",
    "service harvester-nftables",
  ]);
});

test("when a host changes from one libvirt daemon to one per driver, stops the old daemon before it starts the new ones", async () => {
  const up = { load: "loaded", state: "started" as const, enabled: true };
  const down = { load: "loaded", state: "stopped" as const, enabled: false };
  const state = {
    metal: {
      ...Object.fromEntries(["libvirtd.service", "libvirtd.socket"].map((name) => [`unit:${name}`, up])),
      ...Object.fromEntries(
        ["virtnetworkd", "virtqemud"]
          .flatMap((name) => [`${name}.service`, `${name}.socket`])
          .map((name) => [`unit:${name}`, down]),
      ),
      "host:self": { ...small, addresses: {}, ...os("opensuse-leap", "15.6", "suse") },
    },
  };
  const book = playbook({
    name: "switch",
    plays: [{ hosts: "all", become: true, tasks: ({ facts }) => [vmNetwork({ cluster, facts })] }],
  });
  const { tasks } = await simulate(book, { hosts: ["metal"], state });
  const steps = tasks.flatMap(({ steps: own }) => own).filter((step) => step.startsWith("systemctl"));
  const at = (word: string): number => steps.findIndex((step) => step.includes(word));
  expect(steps.slice(0, 4)).toEqual([
    "systemctl disable --quiet -- libvirtd.socket",
    "systemctl stop libvirtd.socket",
    "systemctl disable --quiet -- libvirtd.service",
    "systemctl stop libvirtd.service",
  ]);
  expect(at("virtqemud.socket")).toBeGreaterThan(at("stop libvirtd.service"));
});

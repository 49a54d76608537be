import { describe, expect, test } from "vitest";
import { bootFamily } from "./families.ts";
import { rackSchema } from "./rack.ts";
import { plainRack } from "./rack.cases.ts";

const problems = (more: object): string[] =>
  (rackSchema.safeParse({ ...plainRack, ...more }).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );
const [first, second] = plainRack.nodes;
const nodes = (more: object): object => ({ nodes: [{ ...first, ...more }, second] });

test("a rack with the required vars is accepted", () => expect(problems({})).toEqual([]));

describe("a rack is refused before a host is touched", () => {
  test("with BIOS firmware from v1.8 on, and the error says why; earlier versions accept it", () => {
    const bios = nodes({ firmware: "bios" });
    expect(problems({ ...bios, version: "v1.8.0" })).toEqual([
      "nodes.0.firmware: uefi, because the installer of Harvester v1.8.0 stops on any other firmware",
    ]);
    expect(problems({ ...bios, version: "v1.7.1" })).toEqual([]);
  });

  test("with Secure Boot, and the error says why", () => {
    expect(problems(nodes({ secureBoot: true }))).toEqual([
      "nodes.0.secureBoot: false: iPXE is not signed, so switch Secure Boot off in the machine's firmware",
    ]);
  });

  // Cases 77 to 79 from the study of Harvester's original projects.
  test("case 77: with the bond mode balance-oxr, listing the valid modes", () => {
    const bond = { management_interface: { bond_options: { mode: "balance-oxr" } } };
    const modes = "balance-rr, active-backup, balance-xor, broadcast, 802.3ad, balance-tlb, balance-alb";
    expect(problems({ config: { install: bond } })).toEqual([
      `config.install.management_interface.bond_options.mode: one of ${modes}`,
    ]);
    expect(problems(nodes({ management: bond.management_interface }))).toEqual([
      `nodes.0.management.bond_options.mode: one of ${modes}`,
    ]);
  });

  test("case 78: with static addresses and no name servers", () => {
    const without = { ...plainRack, dns: [] };
    expect(problems(without)).toEqual(["dns: name servers, because the management network is static"]);
    expect(problems({ ...without, config: { os: { dns_nameservers: ["192.168.0.2"] } } })).toEqual([]);
    expect(problems({ ...without, config: { install: { management_interface: { method: "dhcp" } } } })).toEqual([]);
  });

  test("case 79: with a pool that contains a node, the virtual address, the server or another static address", () => {
    const pool = (from: string, to: string): string[] =>
      problems({
        statics: { printer: "192.168.10.7" },
        vmNetworks: [{ network: "192.168.10.0/24", interface: "eno1.10", from, to }],
      });
    expect(pool("192.168.10.5", "192.168.10.20")).toEqual([
      "vmNetworks.0: a range without 192.168.10.7, the address of printer, not 192.168.10.5 to 192.168.10.20",
    ]);
    expect(pool("192.168.10.8", "192.168.10.20")).toEqual([]);
    // The pool of the original project lay in the nodes' own subnet, where only reservations are possible.
    const same = { network: "192.168.0.0/24", interface: "eno1", from: "192.168.0.180", to: "192.168.0.220" };
    expect(problems({ vmNetworks: [same] })).toContain(
      "vmNetworks.0.network: a subnet that does not overlap 192.168.0.0/24",
    );
  });

  test.each([
    ["a node outside the subnet", nodes({ address: "192.168.1.11" }), "nodes.0.address: an address in 192.168.0.0/24"],
    ["the virtual address of a node", { vip: "192.168.0.11" }, "nodes.0.address: an address other than that of the cl"],
    ["a node with the router's address", nodes({ address: "192.168.0.1" }), "an address other than that of the router"],
    ["the broadcast address", { vip: "192.168.0.255" }, "vip: an address in 192.168.0.0/24"],
    [
      "the same MAC address twice",
      nodes({ mac: "52:54:00:00:00:02" }),
      "nodes.1.mac: a mac that is unique in the rack",
    ],
    ["a node to reinstall that does not exist", { reinstall: ["node-9"] }, "reinstall.0: the name of a node"],
    ["a name that dnsmasq reads as a keyword", nodes({ name: "ignore" }), "nodes.0.name: a host name that dnsmasq"],
    ["a mirror and artifacts", { mirror: "http://a/b", artifacts: plainArtifacts() }, "mirror: either"],
    ["a server without an address in the subnet", { server: "10.0.0.1" }, "server: an address in 192.168.0.0/24"],
  ])("with %s", (_title, more, says) => {
    expect(problems(more).join("\n")).toContain(says);
  });

  test("case 76: with text that is not valid JSON, for example because of a trailing comma, where Harvester expects JSON", () => {
    const settings = (text: string) => problems({ config: { system_settings: { "containerd-registry": text } } });
    expect(settings('{"Mirrors": {},}')).toEqual(["config.system_settings.containerd-registry: a JSON object as text"]);
    expect(settings('{"Mirrors": {}}')).toEqual([]);
  });
});

function plainArtifacts(): object {
  const one = { url: "http://a/b", checksum: `sha256:${"0".repeat(64)}` };
  return { kernel: one, initrd: one, rootfs: one, iso: one };
}

test.each([
  ["debian", "12", ["debian"], "/usr/lib/ipxe/undionly.kpxe", "ipxe"],
  ["sles", "15.6", ["suse", "sles"], "/usr/share/ipxe/undionly.kpxe", "ipxe-bootimgs"],
  ["rocky", "9.4", ["rhel", "centos", "fedora", "rocky"], "/usr/share/ipxe/undionly.kpxe", "ipxe-bootimgs-x86"],
  ["almalinux", "8.10", ["rhel", "centos", "fedora"], "/usr/share/ipxe/undionly.kpxe", "ipxe-bootimgs"],
  ["fedora", "42", ["fedora"], "/usr/share/ipxe/undionly.kpxe", "ipxe-bootimgs-x86"],
  ["alpine", "3.20", [], undefined, undefined],
])("finds the iPXE file and package for %s %s, if that is supported", (id, version, like, bios, name) => {
  const family = bootFamily({ os: { id, version, like } });
  expect([family?.ipxe.bios, family?.packages.find((one) => one.startsWith("ipxe"))]).toEqual([bios, name]);
});

import { describe, expect, test } from "vitest";
import { params } from "./params.ts";
import { renderConfig } from "./render.ts";

const subnet = { network: "192.168.0.0/24", interface: "eno1" };
const problems = (input: object): string[] =>
  (params.safeParse(input).error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
const rendered = (input: object): string[] => renderConfig(params.parse(input)).trim().split("\n").slice(1);
const node = (more: object = {}) => ({
  name: "node-1",
  mac: "52:54:00:AA:00:01",
  address: "192.168.0.11",
  boot: { firmware: "uefi", script: "http://192.168.0.90/nodes/1.ipxe" },
  ...more,
});
const booting = {
  programs: { bios: "undionly.kpxe", uefi: "ipxe.efi", http: "http://192.168.0.90/ipxe.efi" },
  tftpRoot: "/srv/tftp",
};

describe("the pools of dhcpServer", () => {
  const pool = { from: "192.168.0.180", to: "192.168.0.220" };
  // Case 79 of the study: the pool of rokmc756/Harvester, .180 to .220, contains its nodes and its virtual address.
  test("case 79: refuses a pool that contains a static address or the virtual address", () => {
    const statics = { rk9: "192.168.0.191", vip: "192.168.0.200", gw: "192.168.0.1" };
    expect(problems({ subnets: [{ ...subnet, pools: [pool] }], statics })).toEqual([
      "subnets.0.pools.0: a range without 192.168.0.191, the address of rk9, not 192.168.0.180 to 192.168.0.220",
      "subnets.0.pools.0: a range without 192.168.0.200, the address of vip, not 192.168.0.180 to 192.168.0.220",
    ]);
    expect(problems({ subnets: [{ ...subnet, pools: [pool] }], statics: { gw: "192.168.0.1" } })).toEqual([]);
  });

  test("refuses static addresses at both ends of a pool, and accepts those next to it", () => {
    const at = (address: string) => problems({ subnets: [{ ...subnet, pools: [pool] }], statics: { a: address } });
    expect([at(pool.from).length, at(pool.to).length, at("192.168.0.179").length, at("192.168.0.221").length]).toEqual([
      1, 1, 0, 0,
    ]);
  });

  test.each([
    [
      "a pool outside its subnet",
      { pools: [{ from: "192.168.1.10", to: "192.168.1.20" }] },
      "pools.0.from: a client address in",
    ],
    [
      "a pool that contains the broadcast address",
      { pools: [{ from: "192.168.0.10", to: "192.168.0.255" }] },
      "pools.0.to: a client address in",
    ],
    ["a pool whose ends are swapped", { pools: [{ from: pool.to, to: pool.from }] }, "not lower than 192.168.0.220"],
    ["pools that overlap", { pools: [pool, { from: "192.168.0.220", to: "192.168.0.230" }] }, "does not overlap 192"],
    ["a pool that contains the router", { router: "192.168.0.190", pools: [pool] }, "the address of the router"],
    ["a pool alongside another server", { proxy: true, pools: [pool] }, "another server assigns the addresses"],
  ])("refuses %s", (_title, more, says) => {
    const found = problems({ subnets: [{ ...subnet, ...more }] });
    expect([found.length, found[0]]).toEqual([1, expect.stringContaining(says)]);
  });

  test("refuses subnets that overlap", () => {
    expect(problems({ subnets: [subnet, { ...subnet, network: "192.168.0.128/25" }] })).toEqual([
      "subnets.1.network: a subnet that does not overlap 192.168.0.0/24",
    ]);
  });
});

describe("the reservations of dhcpServer", () => {
  const twice = (more: object) =>
    problems({ subnets: [{ ...subnet, reservations: [node({ boot: undefined }), more] }] });
  test.each([
    ["a MAC address twice", { name: "b", mac: "52:54:00:aa:00:01", address: "192.168.0.12" }],
    ["an address twice", { name: "b", mac: "52:54:00:aa:00:02", address: "192.168.0.11" }],
    ["a name twice", { name: "node-1", mac: "52:54:00:aa:00:02", address: "192.168.0.12" }],
  ])("refuse %s", (_title, more) => {
    expect(twice(more)).toEqual([
      "subnets.0.reservations.1: a name, MAC address and IP address that differ from those of node-1",
    ]);
  });

  test.each(["ignore", "infinite", "12", "45m", "7d", "2w", "3h", "60s"])(
    "refuse the name %s, with which dnsmasq would ignore the client or use a different lease time",
    (name) => {
      const asked = { subnets: [{ ...subnet, reservations: [node({ name, boot: undefined })] }] };
      expect(problems(asked)).toEqual([
        "subnets.0.reservations.0.name: a host name that dnsmasq does not interpret as a keyword (ignore, infinite) or a time, like 12h",
      ]);
    },
  );

  test.each(["ignore-1", "7days", "12x", "d7", "1-2"])("accept the name %s", (name) => {
    expect(problems({ subnets: [{ ...subnet, reservations: [node({ name, boot: undefined })] }] })).toEqual([]);
  });

  test("refuse an address that another host has, but accept their own host's address", () => {
    const reservations = [node({ boot: undefined })];
    const statics = (owner: string) => ({
      subnets: [{ ...subnet, reservations }],
      statics: { [owner]: "192.168.0.11" },
    });
    expect(problems(statics("other"))).toEqual([
      "subnets.0.reservations.0.address: an address other than that of other",
    ]);
    expect(problems(statics("node-1"))).toEqual([]);
  });

  test("need an address unless another server assigns it", () => {
    const reservations = [node({ address: undefined, boot: undefined })];
    expect(problems({ subnets: [{ ...subnet, reservations }] })[0]).toContain("a client address in 192.168.0.0/24");
    expect(problems({ subnets: [{ ...subnet, proxy: true, reservations }] })).toEqual([]);
  });

  test("need a boot program that their firmware can load", () => {
    const subnets = [{ ...subnet, reservations: [node({ boot: { firmware: "bios", script: "http://a/b" } })] }];
    expect(problems({ subnets, programs: { http: "http://192.168.0.90/ipxe.efi" } })[0]).toContain(
      "boot.firmware: firmware for which `programs` has a program that node-1 could load",
    );
    expect(problems({ subnets, programs: { bios: "undionly.kpxe" } })).toEqual([
      "tftpRoot: the directory that contains undionly.kpxe",
    ]);
  });

  test("cannot put a second line or option into the configuration", () => {
    for (const script of ["http://a/\nport=53", "http://a/,b", "http://a/ b"])
      expect(
        problems({
          subnets: [{ ...subnet, reservations: [node({ boot: { firmware: "uefi", script } })] }],
          ...booting,
        }),
      ).toHaveLength(1);
    expect(problems({ subnets: [{ ...subnet, options: { mtu: "9000\nport=53" } }] })).toHaveLength(1);
  });
});

describe("the configuration of dhcpServer", () => {
  test("gives options to the subnet, and addresses only to known clients unless there is a pool", () => {
    const known = {
      ...subnet,
      router: "192.168.0.1",
      dns: ["192.168.0.2", "192.168.0.3"],
      options: { mtu: "9000", 150: "192.168.0.4" },
    };
    expect(rendered({ subnets: [known] })).toEqual([
      "port=0",
      "bind-dynamic",
      "interface=eno1",
      "dhcp-range=set:net0,192.168.0.0,static,255.255.255.0,43200s",
      "dhcp-option=tag:net0,150,192.168.0.4",
      "dhcp-option=tag:net0,option:router,192.168.0.1",
      "dhcp-option=tag:net0,option:dns-server,192.168.0.2,192.168.0.3",
      "dhcp-option=tag:net0,option:mtu,9000",
    ]);
    expect(rendered({ subnets: [{ ...subnet, pools: [{ from: "192.168.0.180", to: "192.168.0.220" }] }] })).toContain(
      "dhcp-range=set:net0,192.168.0.180,192.168.0.220,255.255.255.0,3600s",
    );
  });

  test("gives each reserved client the boot program for its architecture and its own script, and other clients nothing", () => {
    const old = node({
      name: "node-2",
      mac: "52:54:00:aa:00:02",
      address: "192.168.0.12",
      boot: { firmware: "bios", script: "http://192.168.0.90/nodes/2.ipxe" },
    });
    const lines = rendered({
      subnets: [{ ...subnet, reservations: [node(), old] }],
      ...booting,
      log: "/var/log/dnsmasq-pxe.log",
      tftpByClient: true,
    });
    expect(lines.slice(3)).toEqual([
      "log-dhcp",
      "log-facility=/var/log/dnsmasq-pxe.log",
      "enable-tftp",
      "tftp-root=/srv/tftp",
      "tftp-unique-root=mac",
      "dhcp-match=set:bios,option:client-arch,0",
      "dhcp-match=set:uefi,option:client-arch,7",
      "dhcp-match=set:uefi,option:client-arch,9",
      "dhcp-match=set:http,option:client-arch,16",
      "dhcp-match=set:ipxe,175",
      "dhcp-option-force=tag:http,60,HTTPClient",
      "dhcp-range=set:net0,192.168.0.0,static,255.255.255.0,43200s",
      "dhcp-option=tag:net0,option:router",
      "dhcp-host=52:54:00:aa:00:01,set:host-node-1,192.168.0.11,node-1",
      "dhcp-boot=tag:ipxe,tag:host-node-1,tag:uefi,http://192.168.0.90/nodes/1.ipxe",
      "dhcp-boot=tag:!ipxe,tag:host-node-1,tag:uefi,ipxe.efi",
      "dhcp-boot=tag:!ipxe,tag:host-node-1,tag:http,http://192.168.0.90/ipxe.efi",
      "dhcp-host=52:54:00:aa:00:02,set:host-node-2,192.168.0.12,node-2",
      "dhcp-boot=tag:ipxe,tag:host-node-2,tag:bios,http://192.168.0.90/nodes/2.ipxe",
      "dhcp-boot=tag:!ipxe,tag:host-node-2,tag:bios,undionly.kpxe",
    ]);
  });

  test("alongside another server, gives no addresses and answers only known clients", () => {
    const lines = rendered({
      subnets: [{ ...subnet, proxy: true, reservations: [node({ address: undefined })] }],
      ...booting,
    });
    expect(lines.slice(lines.indexOf("dhcp-range=set:net0,192.168.0.0,proxy,255.255.255.0"))).toEqual([
      "dhcp-range=set:net0,192.168.0.0,proxy,255.255.255.0",
      "dhcp-ignore=tag:eno1,tag:!known",
      "dhcp-option=tag:net0,option:router",
      "dhcp-host=52:54:00:aa:00:01,set:host-node-1,node-1",
      "dhcp-boot=tag:ipxe,tag:host-node-1,tag:uefi,http://192.168.0.90/nodes/1.ipxe",
      'pxe-service=tag:!ipxe,tag:host-node-1,X86-64_EFI,"host-node-1",ipxe.efi',
      'pxe-service=tag:!ipxe,tag:host-node-1,BC_EFI,"host-node-1",ipxe.efi',
    ]);
  });
});

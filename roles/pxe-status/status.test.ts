import { describe, expect, test } from "vitest";
import { rackSchema } from "../pxe-server/rack.ts";
import { plainRack } from "../pxe-server/rack.cases.ts";
import { readLog, strangers, usefulLines } from "./dhcp-log.ts";
import { nodeProgress } from "./progress.ts";

const rack = rackSchema.parse({ ...plainRack, version: "v1.7.1" });
const [node] = rack.nodes as [(typeof rack.nodes)[number]];
const { mac } = node;

/** Lines of dnsmasq 2.90's log, as it wrote them for these clients. */
const exchange = (number: number, vendor: string, tags: string, answered = true): string[] =>
  [
    `${number} available DHCP subnet: 192.168.0.0/255.255.255.0`,
    `${number} vendor class: ${vendor}`,
    `${number} DHCPDISCOVER(eno1) ${mac} `,
    `${number} tags: net0, host-node-1, known, ${tags}, eno1`,
    ...(answered ? [`${number} DHCPOFFER(eno1) 192.168.0.11 ${mac} `] : []),
  ].map((line) => `Nov 28 17:54:01 dnsmasq-dhcp[2512]: ${line}`);
const uefi = exchange(1, "PXEClient:Arch:00007:UNDI:003000", "uefi");
const tftp = ["Nov 28 17:54:06 dnsmasq-tftp[2512]: sent /srv/tftpboot/harvester/ipxe.efi to 192.168.0.11"];
const ipxe = exchange(2, "PXEClient:Arch:00007:UNDI:003010", "uefi, ipxe");
const asked = (...paths: string[]): string[] =>
  paths.map((path, at) => `192.168.0.11 200 468 ${path} ${1795888474 + at}.1`);
const own = "/nodes/52-54-00-00-00-01";
const known = (lines: readonly string[], web: readonly string[] = [], more: object = {}) => ({
  dhcp: readLog(lines.join("\n")),
  web: web.join("\n"),
  installed: false,
  joined: false,
  ...more,
});
const told = (...args: Parameters<typeof known>): string => nodeProgress(rack, node, known(...args));

describe("how far a node has got", () => {
  test.each([
    ["nothing", [], [], "node-1 has not asked for an address: is it on, does it boot from the network, and is 52:54"],
    [
      "a DHCP request without an answer",
      exchange(1, "PXEClient:Arch:00007:UNDI:003000", "uefi", false),
      [],
      "no answer",
    ],
    ["an address", uefi, [], "node-1 has an address (UEFI firmware), but has not loaded iPXE yet"],
    [
      "iPXE over TFTP",
      [...uefi, ...tftp],
      [],
      "node-1 has loaded iPXE over TFTP, but iPXE has not sent a request yet; if this lasts a minute, the firmware refuses to start it: switch Secure Boot off",
    ],
    [
      "iPXE over HTTP",
      exchange(1, "HTTPClient:Arch:00016:UNDI:003000", "http"),
      asked("/ipxe.efi"),
      "node-1 has loaded iPXE over HTTP",
    ],
    [
      "iPXE itself",
      [...uefi, ...tftp, ...ipxe],
      [],
      "node-1 has started iPXE, which has an address, but has not fetched",
    ],
    ["its script", [...uefi, ...tftp, ...ipxe], asked(`${own}.ipxe`), "node-1 has fetched its boot script (1 of 6)"],
    [
      "the kernel",
      [...uefi, ...tftp, ...ipxe],
      asked(`${own}.ipxe`, "/harvester-v1.7.1-vmlinuz-amd64"),
      "node-1 has fetched the kernel (2 of 6)",
    ],
  ])("after %s", (_title, lines, web, says) => {
    expect(told(lines, web)).toContain(says);
  });

  test("after the installation, and after the node has joined the cluster", () => {
    expect(told([...uefi], [], { installed: true })).toBe(
      "node-1 is installed, but not yet part of the cluster; a machine that replaces it boots nothing until it is listed in `reinstall`",
    );
    expect(told([], [], { installed: true, joined: true })).toBe("node-1 is part of the cluster");
    expect(told([], [], { joined: true })).toContain("but its installer has not reported completion here");
  });

  test("counts only what happened since the firmware last started", () => {
    const again = exchange(3, "PXEClient:Arch:00007:UNDI:003000", "uefi");
    expect(told([...uefi, ...tftp, ...ipxe, ...again], asked(`${own}.ipxe`))).toContain("has not loaded iPXE yet");
  });

  test("a wrong architecture is named", () => {
    const bios = exchange(1, "PXEClient:Arch:00000:UNDI:002001", "bios");
    expect(told(bios)).toContain("node-1 boots with BIOS firmware, but the vars say uefi: it gets nothing to boot");
    const arm = exchange(1, "PXEClient:Arch:00011:UNDI:003000", "known");
    expect(told(arm)).toContain("boots with firmware of an architecture other than x86-64");
  });

  test("the log of a server that runs alongside another DHCP server is read too", () => {
    const proxied = [
      `1 vendor class: PXEClient:Arch:00007:UNDI:003000`,
      `1 PXE(eno1) ${mac} proxy`,
      "1 tags: known, uefi",
    ];
    expect(told(proxied.map((line) => `Nov 28 17:54:01 dnsmasq-dhcp[1]: ${line}`))).toContain("has an address (UEFI");
  });
});

describe("machines that are not nodes", () => {
  test("are listed with what they asked for and got", () => {
    const lines = [
      "Nov 28 17:54:18 dnsmasq-dhcp[2512]: 7 vendor class: PXEClient:Arch:00000:UNDI:002001",
      "Nov 28 17:54:18 dnsmasq-dhcp[2512]: 7 DHCPDISCOVER(rack0) 52:54:00:09:00:99 no address available",
      "Nov 28 17:54:19 dnsmasq-dhcp[2512]: 8 DHCPDISCOVER(vlan10) 52:54:00:09:00:98 ",
      "Nov 28 17:54:19 dnsmasq-dhcp[2512]: 8 DHCPOFFER(vlan10) 10.0.0.5 52:54:00:09:00:98 ",
      "Nov 28 17:54:20 dnsmasq-dhcp[2512]: 9 vendor class: PXEClient:Arch:00007:UNDI:003000",
      "Nov 28 17:54:20 dnsmasq-dhcp[2512]: 9 PXE(rack0) 52:54:00:09:00:97 proxy-ignored",
    ];
    expect(strangers(readLog([...uefi, ...lines].join("\n")), [mac])).toEqual([
      "52:54:00:09:00:99 is not a node: BIOS firmware asked once, and got nothing",
      "52:54:00:09:00:98 is not a node: a system asked once, and got an address from a pool, and nothing to boot",
      "52:54:00:09:00:97 is not a node: UEFI firmware asked once, and got nothing",
    ]);
  });
});

test("the expression for grep keeps every line that readLog understands", () => {
  const wanted = new RegExp(usefulLines);
  const kept = [...uefi, ...tftp, ...ipxe].filter((line) => wanted.test(line));
  expect(readLog(kept.join("\n")).exchanges.map(({ by, firmware, answered }) => [by, firmware, answered])).toEqual([
    ["firmware", "uefi", true],
    ["ipxe", "uefi", true],
  ]);
  expect(kept).toHaveLength(9);
});

import { describe, expect, test } from "vitest";
import { knownAfterApply } from "../../src/authoring.ts";
import { contractOf, explain, type Explanation } from "../../src/testing/index.ts";
import { busy, cases, netWith, none, params, right } from "./libvirt-net.cases.ts";
import { libvirtNet } from "./libvirt-net.ts";

const mac = "52:54:00:00:00:01";
const other = "52:54:00:00:00:02";
const tell = (change: object, now: object = {}): Explanation =>
  explain(libvirtNet({ ...params, ...change }), { ...right, ...now });
const withHosts = (hosts: readonly object[]): object => ({ dhcp: { ...params.dhcp, hosts } });

test("libvirtNet meets the task contract", () => {
  expect(contractOf(libvirtNet, cases, { folder: "libvirt-net" })).toEqual([]);
});

test.each(["ignore", "infinite", "12h", "100"])(
  "a guest cannot be called %s, which dnsmasq does not read as a name",
  (name) => {
    const { params: schema } = libvirtNet.card;
    const given = { ...params, ...withHosts([{ mac: other, ip: "10.0.0.11", name }]) };
    expect(schema.safeParse(given).error?.issues[0]?.message).toContain("dnsmasq does not interpret as");
  },
);

describe("an existing network", () => {
  test("applies reservations while it is running, and names them in the difference", () => {
    const hosts = [
      { mac: other, ip: "10.0.0.11", name: "node-1" },
      { mac: "52:54:00:00:00:0A", ip: "10.0.0.12" },
    ];
    const { change, described } = tell(withHosts(hosts), { libvirt: busy });
    expect(change["libvirtNet:vlan1"]?.slice(0, 3)).toEqual([
      `dhcp.hosts.${mac}`,
      `dhcp.hosts.${other}`,
      "dhcp.hosts.52:54:00:00:00:0a",
    ]);
    expect(described).toEqual([
      "define network vlan1",
      `virsh net-update vlan1 delete ip-dhcp-host ${mac}`,
      `virsh net-update vlan1 add-last ip-dhcp-host ${other}`,
      "virsh net-update vlan1 add-last ip-dhcp-host 52:54:00:00:00:0a",
    ]);
  });

  test("is based on the current definition: UUID, MAC and unknown elements are kept", () => {
    const [define] = tell({ domain: "lab" }).steps;
    const text = define?.step === "run" ? (define.stdin ?? "") : "";
    expect(text).toContain("<uuid>u-1</uuid>");
    expect(text).toContain("<mac address='52:54:00:aa:aa:aa'/>");
    expect(text).toContain("<bridge name='virbr1' stp='on' delay='0'/>");
    expect(text).toContain("<port start='1024' end='65535'/>");
    expect(text).toContain("<domain name='lab' localOnly='yes'/>");
  });

  test("is predicted if an earlier package task installs virsh and its daemon", () => {
    const libvirt = { ...none.libvirt, daemon: "none" };
    expect(tell({}, { ...none, libvirt, virsh: knownAfterApply }).change).toMatchObject({ "libvirtNet:vlan1": [""] });
    const down = { ...none.libvirt, daemon: "down" };
    expect(tell({}, { ...none, libvirt: down, units: [knownAfterApply, knownAfterApply] }).refusal).toBeUndefined();
  });

  test("is compared only in the params that are given", () => {
    const { dhcp: _dhcp, ...rest } = params;
    const now = { ...right, net: netWith({ domain: "by.hand", dnsmasqOptions: ["port=0"] }) };
    expect(explain(libvirtNet(rest), now).change).toEqual({});
  });

  test("reports what needs a restart, and which guests delay it", () => {
    const now = { net: netWith({ domain: "lab" }, { live: {} }), libvirt: busy };
    expect(tell({ domain: "lab" }, now).notes).toEqual(["needs a restart for domain, once node-1 no longer uses it"]);
    expect(tell({}).notes).toEqual([]);
  });
});

test.each([
  { change: { name: "a b" }, param: "name" },
  { change: { bridge: "a-name-of-16-signs" }, param: "bridge" },
  { change: { address: "10.0.0.0" }, param: "address" },
  { change: { address: "10.0.0.256" }, param: "address" },
  { change: { prefix: 31 }, param: "prefix" },
  { change: { forward: "isolated", forwardInterface: "eth0" }, param: "forwardInterface" },
  { change: { dhcp: { ranges: [{ start: "10.0.1.1", end: "10.0.1.9" }] } }, param: "dhcp.ranges.0.start" },
  { change: { dhcp: { ranges: [{ start: "10.0.0.9", end: "10.0.0.5" }] } }, param: "dhcp.ranges.0.end" },
  { change: { dhcp: { ranges: [{ start: "10.0.0.1", end: "10.0.0.5" }] } }, param: "dhcp.ranges.0" },
  {
    change: {
      dhcp: {
        ranges: [
          { start: "10.0.0.5", end: "10.0.0.9" },
          { start: "10.0.0.9", end: "10.0.0.12" },
        ],
      },
    },
    param: "dhcp.ranges.1",
  },
  {
    change: { dhcp: { ranges: [{ start: "10.0.0.100", end: "10.0.0.254" }], reserved: ["10.0.0.120"] } },
    param: "dhcp.reserved.0",
  },
  { change: { dhcp: { leaseSeconds: 60 } }, param: "dhcp.leaseSeconds" },
  { change: { dhcp: { bootServer: "10.0.0.1" } }, param: "dhcp.bootServer" },
  { change: withHosts([{ mac: "53:54:00:00:00:01", ip: "10.0.0.11" }]), param: "dhcp.hosts.0.mac" },
  { change: withHosts([{ mac, ip: "10.0.1.11" }]), param: "dhcp.hosts.0.ip" },
  { change: withHosts([{ mac, ip: "10.0.0.201" }]), param: "dhcp.hosts.0.ip" },
  { change: withHosts([{ mac, ip: "10.0.0.120" }]), param: "dhcp.hosts.0.ip" },
  { change: withHosts([{ mac, ip: "10.0.0.1" }]), param: "dhcp.hosts.0.ip" },
  {
    change: withHosts([
      { mac, ip: "10.0.0.11" },
      { mac: mac.toUpperCase(), ip: "10.0.0.12" },
    ]),
    param: "dhcp.hosts.1.mac",
  },
  {
    change: withHosts([
      { mac, ip: "10.0.0.11", name: "a" },
      { mac: other, ip: "10.0.0.12", name: "a" },
    ]),
    param: "dhcp.hosts.1.name",
  },
])("refuses the param $param in $change", ({ change, param }) => {
  expect(() => tell(change)).toThrow(`wrong value for param "${param}"`);
});

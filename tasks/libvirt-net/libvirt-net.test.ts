import { describe, expect, test } from "vitest";
import { absent, knownAfterApply, type LibvirtNet, type LibvirtOverview, type NetConfig } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { libvirtNet } from "./libvirt-net.ts";

const mac = "52:54:00:00:00:01";
const other = "52:54:00:00:00:02";
const params = {
  name: "vlan1",
  bridge: "virbr1",
  address: "10.0.0.1",
  dhcp: {
    ranges: [{ start: "10.0.0.200", end: "10.0.0.250" }],
    hosts: [{ mac, ip: "10.0.0.11", name: "node-1" }],
    reserved: ["10.0.0.120"],
    bootFile: "http://10.0.0.1/boot.ipxe",
  },
};
const config: NetConfig = {
  bridge: "virbr1",
  forward: { mode: "nat", interface: "" },
  address: "10.0.0.1/24",
  domain: "",
  tftpRoot: "",
  dhcp: {
    ranges: ["10.0.0.200-10.0.0.250"],
    lease: "",
    hosts: { [mac]: { ip: "10.0.0.11", name: "node-1" } },
    bootFile: "http://10.0.0.1/boot.ipxe",
    bootServer: "",
  },
  dnsmasqOptions: [],
};
const xml =
  "<network><name>vlan1</name><uuid>u-1</uuid><forward mode='nat'/><bridge name='virbr1' stp='on' delay='0'/><mac address='52:54:00:aa:aa:aa'/><ip address='10.0.0.1' netmask='255.255.255.0'><dhcp><range start='10.0.0.200' end='10.0.0.250'/></dhcp></ip></network>";
const net: LibvirtNet = {
  ...config,
  uuid: "u-1",
  mac: "52:54:00:aa:aa:aa",
  active: true,
  autostart: true,
  persistent: true,
  live: config,
  ports: [],
  xml,
};
const claims = { bridge: "virbr1", subnets: ["10.0.0.1/24"], active: true, autostart: true };
const libvirt: LibvirtOverview = {
  daemon: "up",
  problem: "",
  networks: { vlan1: claims },
  domains: {},
  links: { eth0: ["192.0.2.5/24"], virbr1: ["10.0.0.1/24"] },
};
const guest = { active: true, disks: [], networks: ["vlan1"], bridges: [] };
const busy = { ...libvirt, domains: { "node-1": guest } };
const empty = { ...libvirt, networks: {}, links: { eth0: ["192.0.2.5/24"] } };
const tell = (change: object, now: object = {}): Explanation =>
  explain(libvirtNet({ ...params, ...change }), { net, libvirt, virsh: { path: "/usr/bin/virsh" }, units: [], ...now });
const withHosts = (hosts: readonly object[]): object => ({ dhcp: { ...params.dhcp, hosts } });

describe("a network that is not there", () => {
  test("is defined, set to start with the host, and started", () => {
    const { described, change, steps } = tell({}, { net: absent, libvirt: empty });
    expect(change).toEqual({ "libvirtNet:vlan1": [""], "libvirt:system": ["networks.vlan1"] });
    expect(described).toEqual(["define network vlan1", "virsh net-autostart vlan1", "virsh net-start vlan1"]);
    expect(steps[0]).toMatchObject({ argv: ["virsh", "-q", "-c", "qemu:///system", "net-define", "/dev/stdin"] });
  });

  test("is only defined where it shall not run", () => {
    const now = { net: absent, libvirt: empty };
    expect(tell({ state: "inactive", autostart: false }, now).described).toEqual(["define network vlan1"]);
  });

  test("is foreseen where virsh is still to be installed", () => {
    const now = { net: absent, libvirt: { ...empty, daemon: "none" }, virsh: knownAfterApply };
    expect(tell({}, now).refusal).toBeUndefined();
  });

  test("may be absent without libvirt", () => {
    const now = { net: absent, libvirt: { ...empty, daemon: "none" }, virsh: absent, units: [] };
    expect(explain(libvirtNet({ name: "vlan1", state: "absent" }), now).steps).toEqual([]);
  });
});

describe("a network that is there", () => {
  test("is left alone where it is right", () => {
    expect(tell({})).toMatchObject({ change: {}, steps: [], notes: [] });
  });

  test.each([
    { what: "one that does not start", now: { autostart: false }, steps: ["virsh net-autostart vlan1"] },
    { what: "one that is gone once it stops", now: { persistent: false }, steps: ["define network vlan1"] },
    {
      what: "another boot file",
      now: { dhcp: { ...config.dhcp, bootFile: "" }, live: { ...config, dhcp: { ...config.dhcp, bootFile: "" } } },
      steps: ["define network vlan1", "virsh net-destroy vlan1", "virsh net-start vlan1"],
    },
    {
      what: "one that runs with an old boot file",
      now: { live: { ...config, dhcp: { ...config.dhcp, bootFile: "" } } },
      steps: ["virsh net-destroy vlan1", "virsh net-start vlan1"],
    },
  ])("mends $what", ({ now, steps }) => expect(tell({}, { net: { ...net, ...now } }).described).toEqual(steps));

  test("is started where it does not run", () => {
    const stopped = { ...libvirt, networks: { vlan1: { ...claims, active: false } }, links: {} };
    expect(tell({}, { net: { ...net, active: false, live: absent }, libvirt: stopped }).described).toEqual([
      "virsh net-start vlan1",
    ]);
  });

  test("takes reservations over as it runs, and names them in the difference", () => {
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
    expect(described.map((line) => line.replaceAll(/<host mac='|' .*$/g, ""))).toEqual([
      "define network vlan1",
      `virsh net-update vlan1 delete ip-dhcp-host ${mac}`,
      `virsh net-update vlan1 add-last ip-dhcp-host ${other}`,
      "virsh net-update vlan1 add-last ip-dhcp-host 52:54:00:00:00:0a",
    ]);
  });

  test("is defined from what is there: UUID, MAC and netmask stay", () => {
    const [define] = tell({ domain: "lab" }).steps;
    const text = define?.step === "run" ? (define.stdin ?? "") : "";
    expect(text).toContain("<uuid>u-1</uuid>");
    expect(text).toContain("<mac address='52:54:00:aa:aa:aa'/>");
    expect(text).toContain("stp='on' delay='0'");
    expect(text).toContain("<domain name='lab' localOnly='yes'/>");
  });

  test("is not bound in what the params leave out", () => {
    const { dhcp: _dhcp, ...rest } = params;
    const now = { net: { ...net, domain: "by.hand", live: { ...config, domain: "by.hand" } } };
    const call = libvirtNet(rest);
    expect(explain(call, { net: now.net, libvirt, virsh: { path: "v" }, units: [] }).change).toEqual({});
  });

  test("is removed", () => {
    const call = libvirtNet({ name: "vlan1", state: "absent" });
    const now = { net, libvirt, virsh: { path: "v" }, units: [] };
    expect(explain(call, now).described).toEqual(["virsh net-destroy vlan1", "virsh net-undefine vlan1"]);
  });
});

describe("a network that guests run on", () => {
  test("is defined anew, not restarted, and says so until it was", () => {
    expect(tell({ domain: "lab" }, { libvirt: busy }).described).toEqual(["define network vlan1"]);
    const now = { net: { ...net, domain: "lab" }, libvirt: busy };
    expect(tell({ domain: "lab" }, now)).toMatchObject({
      steps: [],
      notes: ["needs a restart for domain, when node-1 no longer runs on it"],
    });
  });

  test.each([
    { what: "stopping it", change: { state: "inactive" } },
    { what: "removing it", change: { state: "absent" } },
  ])("$what is refused", ({ change }) => {
    const call =
      change.state === "absent"
        ? libvirtNet({ name: "vlan1", state: "absent" })
        : libvirtNet({ ...params, state: "inactive" });
    const { refusal } = explain(call, { net, libvirt: busy, virsh: { path: "v" }, units: [] });
    expect(refusal).toMatchObject({ code: "network-in-use", current: "node-1" });
  });

  test("interfaces of others on its bridge count too", () => {
    const now = { net: { ...net, ports: ["veth7"] } };
    expect(tell({ state: "inactive" }, now).refusal).toMatchObject({ current: "veth7" });
  });
});

describe("what stands in the way is refused by its name", () => {
  const alone = { net: absent };
  const beside = (claim: object): object => ({
    ...alone,
    libvirt: { ...empty, networks: { default: { ...claims, bridge: "virbr0", ...claim } } },
  });
  test.each([
    {
      what: "a bridge of another network",
      now: beside({ bridge: "virbr1", subnets: [], active: false }),
      code: "bridge-taken",
    },
    { what: "a subnet of another network", now: beside({ subnets: ["10.0.0.129/25"] }), code: "subnet-taken" },
    {
      what: "a bridge of the host",
      now: { ...alone, libvirt: { ...empty, links: { virbr1: [] } } },
      code: "bridge-taken",
    },
    {
      what: "a subnet of the host",
      now: { ...alone, libvirt: { ...empty, links: { eth0: ["10.0.0.9/8"] } } },
      code: "subnet-taken",
    },
    { what: "a host without virsh", now: { ...alone, libvirt: empty, virsh: absent }, code: "no-libvirt" },
    {
      what: "a daemon that is down",
      now: { ...alone, libvirt: { ...empty, daemon: "down", problem: "no socket" }, units: [absent] },
      code: "libvirt-down",
    },
  ])("$what", ({ now, code }) => expect(tell({}, now).refusal?.code).toBe(code));

  test("a sleeping network of the same subnet does not", () => {
    const now = beside({ subnets: ["10.0.0.1/24"], active: false, autostart: false });
    expect(tell({}, now).refusal).toBeUndefined();
  });

  test("a daemon that an earlier task starts does not", () => {
    const down = { ...empty, daemon: "down", problem: "no socket" };
    expect(tell({}, { ...alone, libvirt: down, units: [absent, { state: "started" }] }).refusal).toBeUndefined();
    expect(tell({}, { ...alone, libvirt: down, units: [knownAfterApply] }).refusal).toBeUndefined();
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
])("the param $param is refused in $change", ({ change, param }) => {
  expect(() => tell(change)).toThrow(`wrong value for param "${param}"`);
});

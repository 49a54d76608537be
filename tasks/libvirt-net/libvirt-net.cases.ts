import { absent } from "../../src/authoring.ts";
import { type LibvirtNet, type LibvirtOverview, netXml, type WantedNetConfig } from "../../src/facts/catalogue.ts";
import { libvirtNetKind } from "../../src/facts/libvirt/net.ts";
import type { Case } from "../../src/testing/index.ts";
import { libvirtNet } from "./libvirt-net.ts";

/** The params used in most cases. */
export const params = {
  name: "vlan1",
  bridge: "virbr1",
  address: "10.0.0.1",
  dhcp: {
    ranges: [{ start: "10.0.0.200", end: "10.0.0.250" }],
    hosts: [{ mac: "52:54:00:00:00:01", ip: "10.0.0.11", name: "node-1" }],
    reserved: ["10.0.0.120"],
    bootFile: "http://10.0.0.1/boot.ipxe",
  },
};

/** The definition as libvirt prints it, with everything that libvirt adds. */
const xml =
  "<network><name>vlan1</name><uuid>u-1</uuid><forward mode='nat'><nat><port start='1024' end='65535'/></nat></forward>" +
  "<bridge name='virbr1' stp='on' delay='0'/><mac address='52:54:00:aa:aa:aa'/><ip address='10.0.0.1' netmask='255.255.255.0'>" +
  "<dhcp><range start='10.0.0.200' end='10.0.0.250'/><host mac='52:54:00:00:00:01' name='node-1' ip='10.0.0.11'/>" +
  "<bootp file='http://10.0.0.1/boot.ipxe'/></dhcp></ip></network>";

interface Flags {
  readonly active?: boolean;
  readonly autostart?: boolean;
  readonly persistent?: boolean;
  readonly ports?: string;
  /** The configuration that the network is running with, if it differs from the definition. */
  readonly live?: WantedNetConfig;
}

/** Returns the network with parts of its definition changed. */
export function netWith(change: WantedNetConfig = {}, flags: Flags = {}): LibvirtNet {
  const { active = true, autostart = true, persistent = true, ports, live } = flags;
  const yes = (flag: boolean): string => (flag ? "yes" : "no");
  const lines = {
    active: yes(active),
    autostart: yes(autostart),
    persistent: yes(persistent),
    ...(ports !== undefined && { ports }),
    inactive: netXml(xml, "vlan1", change),
    ...(active && { live: netXml(xml, "vlan1", live ?? change) }),
  };
  const net = libvirtNetKind.parse(lines, { kind: "libvirtNet", key: "vlan1", facets: [] });
  if (net === absent) throw new Error("parsing the XML of a network never returns absent");
  return net;
}

const claims = { bridge: "virbr1", subnets: ["10.0.0.1/24"], active: true, autostart: true };

/** A host with the network. */
export const libvirt: LibvirtOverview = {
  daemon: "up",
  problem: "",
  networks: { vlan1: claims },
  domains: {},
  links: { eth0: ["192.0.2.5/24"], virbr1: ["10.0.0.1/24"] },
};
const empty: LibvirtOverview = { ...libvirt, networks: {}, links: { eth0: ["192.0.2.5/24"] } };
const stopped: LibvirtOverview = { ...empty, networks: { vlan1: { ...claims, active: false } } };
const down: LibvirtOverview = { ...empty, daemon: "down", problem: "no socket" };

/** The same host with a guest on the network. */
export const busy: LibvirtOverview = {
  ...libvirt,
  domains: { "node-1": { active: true, disks: [], networks: ["vlan1"], bridges: [] } },
};

/** The facts of a host on which everything is already in the desired state. */
export const right = { net: netWith(), libvirt, virsh: { path: "/usr/bin/virsh" }, units: [] };
/** The facts of a host without the network. */
export const none = { ...right, net: absent, libvirt: empty };
const noUnits = [absent, absent, absent, absent, absent, absent];
const call = libvirtNet(params);
const gone = libvirtNet({ name: "vlan1", state: "absent" });
const restart = ["virsh net-destroy vlan1", "virsh net-start vlan1"];
const start = { state: "started", load: "loaded", active: "active", sub: "running", file: "enabled", type: "notify" };
const unit = {
  ...start,
  enabled: true,
  masked: false,
  outdated: false,
  reloadable: false,
  refusesStart: false,
  refusesStop: false,
  lasting: true,
  invocation: "x",
  since: 1,
};
const running = { ...unit, startedWith: {}, reloadedWith: {}, noted: 0, startedBefore: {} };

function beside(claim: object): Case["now"] {
  const networks = { default: { ...claims, bridge: "virbr0", ...claim } };
  return { ...none, libvirt: { ...empty, networks } };
}

/** Test cases for `libvirtNet`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: right, steps: [] },
  {
    title: "missing",
    call,
    now: none,
    steps: ["define network vlan1", "virsh net-autostart vlan1", "virsh net-start vlan1"],
  },
  {
    title: "missing, but must be defined without being started",
    call: libvirtNet({ ...params, state: "inactive", autostart: false }),
    now: none,
    steps: ["define network vlan1"],
  },
  {
    title: "its daemon is started by an earlier task",
    call,
    now: { ...none, libvirt: down, units: [absent, running, absent, absent, absent, absent] },
    steps: ["define network vlan1", "virsh net-autostart vlan1", "virsh net-start vlan1"],
  },
  {
    title: "only one of its two daemons is started by an earlier task",
    call,
    now: { ...none, libvirt: down, units: [absent, absent, absent, running, absent, absent] },
    steps: [],
    refusal: "libvirt-down",
  },
  {
    title: "not started",
    call,
    now: { ...right, net: netWith({}, { active: false }), libvirt: stopped },
    steps: ["virsh net-start vlan1"],
  },
  {
    title: "no autostart",
    call,
    now: { ...right, net: netWith({}, { autostart: false }) },
    steps: ["virsh net-autostart vlan1"],
  },
  {
    title: "transient",
    call,
    now: { ...right, net: netWith({}, { persistent: false }) },
    steps: ["define network vlan1"],
  },
  {
    title: "a different boot file",
    call,
    now: { ...right, net: netWith({ dhcp: { bootFile: "" } }) },
    steps: ["define network vlan1", ...restart],
  },
  {
    title: "running with a boot file that differs from the definition",
    call,
    now: { ...right, net: netWith({}, { live: { dhcp: { bootFile: "" } } }) },
    steps: restart,
  },
  {
    title: "a different boot file, with a guest that must not lose the network",
    call,
    now: { ...right, net: netWith({ dhcp: { bootFile: "" } }), libvirt: busy },
    steps: ["define network vlan1"],
  },
  {
    title: "a restart that waits for a guest",
    call,
    now: { ...right, net: netWith({}, { live: { dhcp: { bootFile: "" } } }), libvirt: busy },
    steps: [],
  },
  {
    title: "a different range",
    call,
    now: { ...right, net: netWith({ dhcp: { ranges: ["10.0.0.20-10.0.0.30"] } }), libvirt: busy },
    steps: [
      "define network vlan1",
      "virsh net-update vlan1 delete ip-dhcp-range 10.0.0.20-10.0.0.30",
      "virsh net-update vlan1 add-last ip-dhcp-range 10.0.0.200-10.0.0.250",
    ],
  },
  {
    title: "a reservation that replaces a range without a gap in service",
    call: libvirtNet({ ...params, dhcp: { ...params.dhcp, ranges: [] } }),
    now: { ...right, net: netWith({ dhcp: { hosts: { "52:54:00:00:00:01": absent } } }), libvirt: busy },
    steps: [
      "define network vlan1",
      "virsh net-update vlan1 add-last ip-dhcp-host 52:54:00:00:00:01",
      "virsh net-update vlan1 delete ip-dhcp-range 10.0.0.200-10.0.0.250",
    ],
  },
  {
    title: "already stopped",
    call: libvirtNet({ ...params, state: "inactive" }),
    now: { ...right, net: netWith({}, { active: false }), libvirt: stopped },
    steps: [],
  },
  {
    title: "running, but must be stopped",
    call: libvirtNet({ ...params, state: "inactive", autostart: false }),
    now: right,
    steps: ["virsh net-autostart vlan1 --disable", "virsh net-destroy vlan1"],
  },
  {
    title: "must be stopped, but a guest uses it",
    call: libvirtNet({ ...params, state: "inactive" }),
    now: { ...right, libvirt: busy },
    steps: [],
    refusal: "network-in-use",
  },
  {
    title: "must move to a different subnet, but a guest uses it",
    call: libvirtNet({ ...params, address: "10.9.0.1", dhcp: {} }),
    now: { ...right, libvirt: busy },
    steps: [],
    refusal: "network-in-use",
  },
  { title: "must be removed", call: gone, now: right, steps: ["virsh net-destroy vlan1", "virsh net-undefine vlan1"] },
  {
    title: "must be removed, but another program's interface uses it",
    call: gone,
    now: { ...right, net: netWith({}, { ports: "veth7" }) },
    steps: [],
    refusal: "network-in-use",
  },
  { title: "already removed", call: gone, now: none, steps: [] },
  {
    title: "a bridge of another network",
    call,
    now: beside({ bridge: "virbr1", subnets: [], active: false, autostart: false }),
    steps: [],
    refusal: "bridge-taken",
  },
  {
    title: "a subnet of another network",
    call,
    now: beside({ subnets: ["10.0.0.129/25"] }),
    steps: [],
    refusal: "subnet-taken",
  },
  {
    title: "the subnet of an inactive network",
    call,
    now: beside({ subnets: ["10.0.0.1/24"], active: false, autostart: false }),
    steps: ["define network vlan1", "virsh net-autostart vlan1", "virsh net-start vlan1"],
  },
  {
    title: "a bridge of the host",
    call,
    now: { ...none, libvirt: { ...empty, links: { virbr1: [] } } },
    steps: [],
    refusal: "bridge-taken",
  },
  {
    title: "a subnet of the host",
    call,
    now: { ...none, libvirt: { ...empty, links: { eth0: ["10.0.0.9/8"] } } },
    steps: [],
    refusal: "subnet-taken",
  },
  { title: "no virsh", call, now: { ...none, virsh: absent }, steps: [], refusal: "no-libvirt" },
  {
    title: "a daemon that is down",
    call,
    now: { ...none, libvirt: down, units: noUnits },
    steps: [],
    refusal: "libvirt-down",
  },
];

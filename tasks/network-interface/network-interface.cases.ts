import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { after, bare, before, bridged, network, port } from "./hosts.cases.ts";
import { networkInterface } from "./network-interface.ts";

const given = {
  name: "br0",
  kind: "bridge",
  ports: ["eth0"],
  addresses: ["192.0.2.10/24"],
  gateway: "192.0.2.1",
} as const;
const call = networkInterface(given);
const eth1 = { name: "eth1", addresses: ["198.51.100.10/24"], mtu: 9000 } as const;
const vlan = { name: "eth1.60", kind: "vlan", parent: "eth1", id: 60, addresses: ["198.51.100.10/24"] } as const;
const bond = { name: "bond0", kind: "bond", ports: ["eth1"], dhcp: true } as const;
const arm = "let the host revert the change after 60 s";
const confirm = "change, and confirm over a new connection within 60 s";
const networkd = "/etc/systemd/network";
const files = [".netdev", ".network"].map((end) => `write ${networkd}/00-furrow-br0${end}`);
const write = [...files, `write ${networkd}/00-furrow-eth0.network`];
const linked = { type: "link", mode: "0777", owner: "root", group: "root", target: "/srv/network" };
const without = (state: object, index: number): Record<string, unknown> => {
  const all = after(given, bridged);
  return { ...all, ...state, files: (all["files"] as unknown[]).map((value, at) => (at === index ? absent : value)) };
};
const refused = (
  title: string,
  params: Parameters<typeof networkInterface>[0],
  over: object,
  refusal: string,
): Case => ({
  title,
  call: networkInterface(params),
  now: before(params, over),
  steps: [],
  refusal,
});

/** Test cases for `networkInterface`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: after(given, bridged), steps: [] },
  { title: "a bridge over the connection's interface", call, now: before(given), steps: [arm, ...write, confirm] },
  {
    title: "up to date, but not confirmed",
    call,
    now: { ...after(given, bridged), network: { ...bridged, armed: true } },
    steps: [arm, confirm],
  },
  { title: "a file is missing", call, now: without({}, 0), steps: [arm, files[0] ?? "", confirm] },
  {
    title: "someone removed an address",
    call,
    now: {
      ...after(given, bridged),
      network: { ...bridged, links: { ...bridged.links, br0: { ...bridged.links["br0"], addresses: [] } } },
    },
    steps: [arm, confirm],
  },
  {
    title: "no folder for the files",
    call,
    now: { ...before(given), folders: (before(given)["folders"] as unknown[]).map(() => absent) },
    steps: [arm, `make directory ${networkd}`, ...write, confirm],
  },
  {
    title: "ifupdown, whose own file configures the port",
    call,
    now: before(given, { renderers: ["ifupdown"] }),
    steps: [
      arm,
      "write /etc/network/interfaces.d/furrow-br0",
      "write /etc/network/interfaces.d/furrow-eth0",
      "write /etc/network/interfaces",
      confirm,
    ],
  },
  {
    title: "ifupdown without its own file",
    call,
    now: { ...before(given, { renderers: ["ifupdown"] }), interfaces: absent },
    steps: [
      arm,
      "write /etc/network/interfaces.d/furrow-br0",
      "write /etc/network/interfaces.d/furrow-eth0",
      "write /etc/network/interfaces",
      confirm,
    ],
  },
  {
    title: "NetworkManager",
    call,
    now: before(given, { renderers: ["NetworkManager"] }),
    steps: [
      arm,
      "write /etc/NetworkManager/system-connections/furrow-br0.nmconnection",
      "write /etc/NetworkManager/system-connections/furrow-eth0.nmconnection",
      confirm,
    ],
  },
  {
    title: "netplan, where cloud-init's file configures the port",
    call,
    now: before(given, { renderers: ["netplan"], foreign: { eth0: "/etc/netplan/50-cloud-init.yaml: dhcp4" } }),
    steps: [
      arm,
      "remove eth0 from other netplan files",
      "write /etc/netplan/92-furrow-br0.yaml",
      "write /etc/netplan/90-furrow-eth0.yaml",
      confirm,
    ],
  },
  {
    title: "wicked",
    call,
    now: before(given, { renderers: ["wicked"] }),
    steps: [
      arm,
      "write /etc/sysconfig/network/ifcfg-br0",
      "write /etc/sysconfig/network/ifroute-br0",
      "write /etc/sysconfig/network/ifcfg-eth0",
      confirm,
    ],
  },
  {
    title: "an interface that exists",
    call: networkInterface(eth1),
    now: before(eth1),
    steps: [arm, `write ${networkd}/00-furrow-eth1.network`, confirm],
  },
  {
    title: "a VLAN",
    call: networkInterface(vlan),
    now: before(vlan),
    steps: [
      arm,
      `write ${networkd}/00-furrow-eth1.60.netdev`,
      `write ${networkd}/00-furrow-eth1.60.network`,
      `write ${networkd}/00-furrow-eth1.network.d/vlan-eth1.60.conf`,
      confirm,
    ],
  },
  {
    title: "a bond with DHCP",
    call: networkInterface(bond),
    now: before(bond),
    steps: [
      arm,
      `write ${networkd}/00-furrow-bond0.netdev`,
      `write ${networkd}/00-furrow-bond0.network`,
      `write ${networkd}/00-furrow-eth1.network`,
      confirm,
    ],
  },
  {
    title: "a host without systemd, and an unused interface",
    call: networkInterface({ name: "eth1" }),
    now: before(
      { name: "eth1" },
      { renderers: ["ifupdown"], systemd: false, links: { ...network.links, eth1: { ...bare, up: false } } },
    ),
    steps: ["write /etc/network/interfaces.d/furrow-eth1", "configure eth1"],
  },
  refused(
    "a host without systemd, and the interface that carries the connection",
    given,
    { renderers: ["ifupdown"], systemd: false },
    "no-revert",
  ),
  refused(
    "a host without systemd that does not report what carries the connection",
    { name: "eth1" },
    { renderers: ["ifupdown"], systemd: false, connection: undefined },
    "no-revert",
  ),
  refused("an interface that does not exist", { name: "eht1" }, {}, "no-interface"),
  refused("a port that does not exist", { ...given, ports: ["eht0"] }, {}, "no-interface"),
  refused(
    "a bridge without the address of its port",
    { name: "br0", kind: "bridge", ports: ["eth0"] },
    {},
    "no-address",
  ),
  refused("another address for the connection", { name: "eth0", addresses: ["192.0.2.11/24"] }, {}, "other-address"),
  refused("a bridge without the connection's address", { ...given, addresses: ["192.0.2.11/24"] }, {}, "other-address"),
  refused(
    "a port of another bridge",
    given,
    { links: { ...network.links, eth0: { ...port, master: "virbr0" } } },
    "port-in-use",
  ),
  refused(
    "a port that is a bond",
    given,
    { links: { ...network.links, eth0: { ...port, kind: "bond" } } },
    "port-kind",
  ),
  refused("a bridge with the name of an interface", { ...given, name: "eth1" }, {}, "other-kind"),
  refused("packets that are too large for the driver", { ...eth1, mtu: 9216 }, {}, "mtu-too-large"),
  refused("an address of another interface", { ...eth1, addresses: ["192.0.2.10/24"] }, {}, "address-in-use"),
  refused("nothing configures the network", given, { renderers: [] }, "no-renderer"),
  refused("several tools configure the network", given, { renderers: ["networkd", "ifupdown"] }, "several-renderers"),
  refused("a different tool from the host's", { ...given, renderer: "wicked" }, {}, "renderer-not-in-use"),
  refused("nameservers that nothing would use", { ...given, nameservers: ["192.0.2.53"] }, {}, "no-resolver"),
  refused(
    "another ifupdown file defines the port",
    given,
    { renderers: ["ifupdown"], foreign: { eth0: "/etc/network/interfaces.d/50-cloud-init: iface" } },
    "defined-elsewhere",
  ),
  refused(
    "another netplan file defines the bridge",
    given,
    { renderers: ["netplan"], foreign: { br0: "/etc/netplan/01-br.yaml: dhcp4" } },
    "defined-elsewhere",
  ),
  {
    title: "ifupdown, whose own file is a link",
    call,
    now: { ...before(given, { renderers: ["ifupdown"] }), interfaces: linked },
    steps: [],
    refusal: "not-a-file",
  },
  {
    title: "a tool other than ifupdown, while ifupdown's file and folder are links",
    call,
    now: { ...before(given), interfaces: linked, interfacesFolder: linked },
    steps: [arm, ...write, confirm],
  },
  {
    title: "ifupdown's folder is a link",
    call,
    now: { ...before(given, { renderers: ["ifupdown"] }), interfacesFolder: linked },
    steps: [],
    refusal: "not-a-folder",
  },
  {
    title: "the folder for the files is a link",
    call,
    now: { ...before(given), folders: (before(given)["folders"] as unknown[]).map(() => linked) },
    steps: [],
    refusal: "not-a-folder",
  },
  {
    title: "a VLAN on an interface that furrow's files do not configure",
    call: networkInterface(vlan),
    now: { ...before(vlan), parentFile: absent },
    steps: [],
    refusal: "parent-not-configured",
  },
];

import { type Params, portsOf, touchedBy } from "../params.ts";
import type { OwnFile, RendererTool } from "./tool.ts";

const folder = "/etc/network/interfaces.d";

/**
 * Debian's ifupdown (interfaces(5)). Interfaces are created with ip, so a host does not need bridge-utils, ifenslave or
 * vlan. ifdown would apply the new files to what the old ones configured, so the old configuration is removed with ip
 * too.
 */
export const ifupdown: RendererTool = {
  saves: "/etc/network",
  boot: ":",
  files: (p) => [
    own(p.name, interfaceText(p)),
    ...portsOf(p).map((port) =>
      own(port, `auto ${port}\niface ${port} inet manual\n${p.mtu === undefined ? "" : `    mtu ${p.mtu}\n`}`),
    ),
  ],
  apply: (p, isOther) => `${takeDown(touchedBy(p))}
${isOther ? `ip link delete dev ${p.name}\n` : ""}for link in ${touchedBy(p).toReversed().join(" ")}; do ifup "$link" || exit; done`,
  revert: () => `${takeDown(["$(cat touched)"])}
for link in $(cat touched); do
! grep -q "^$link=" ifstate || ifup --ignore-errors "$link"
done`,
};

function own(name: string, text: string): OwnFile {
  return { path: `${folder}/furrow-${name}`, text, mode: "0644" };
}

function takeDown(names: readonly string[]): string {
  return `for link in ${names.join(" ")}; do
for pid in /run/dhclient."$link".pid /run/dhclient4."$link".pid; do [ ! -r "$pid" ] || kill "$(cat "$pid")" 2>/dev/null; done
ip addr flush dev "$link" scope global 2>/dev/null
[ ! -e /run/network/ifstate ] || sed -i "/^$link=/d" /run/network/ifstate
rm -f "/run/network/ifstate.$link"
done`;
}

function interfaceText(p: Params): string {
  const [first, ...more] = p.addresses;
  const isSix = (text: string): boolean => text.includes(":");
  const gateway = (address: string): string[] =>
    p.gateway !== undefined && !p.dhcp && isSix(p.gateway) === isSix(address) && isFirst(p, address)
      ? [`gateway ${p.gateway}`]
      : [];
  const addressed = (address: string): Stanza => ({
    how: family(address),
    lines: [`address ${address}`, ...gateway(address)],
  });
  const begin: Stanza = p.dhcp
    ? { how: "inet dhcp", lines: [] }
    : first === undefined
      ? { how: "inet manual", lines: [] }
      : addressed(first);
  const stanzas = [begin, ...(p.dhcp ? p.addresses : more).map(addressed)];
  const once = [
    ...before(p),
    ...(p.mtu === undefined ? [] : [`mtu ${p.mtu}`]),
    ...(p.nameservers.length === 0 ? [] : [`dns-nameservers ${p.nameservers.join(" ")}`]),
    ...(p.kind === "physical" ? [] : [`post-down ip link delete dev ${p.name} 2>/dev/null || true`]),
  ];
  // A route needs the address in its router's network, which may be the last address to be set.
  const atEnd = p.routes.map(({ to, via }) => `up ip route replace ${to} via ${via} dev ${p.name}`);
  const texts = stanzas.map(({ how, lines }, at) => {
    const all = [...lines, ...(at === 0 ? once : []), ...(at === stanzas.length - 1 ? atEnd : [])];
    return `iface ${p.name} ${how}\n${all.map((line) => `    ${line}\n`).join("")}`;
  });
  return [`auto ${p.name}\n`, ...texts].join("\n");
}

/** One configuration of an interface. */
interface Stanza {
  readonly how: string;
  readonly lines: readonly string[];
}

function family(address: string): string {
  return address.includes(":") ? "inet6 static" : "inet static";
}

/** A gateway belongs to the first address of its IP version. */
function isFirst(p: Params, address: string): boolean {
  return p.addresses.find((other) => other.includes(":") === address.includes(":")) === address;
}

/** The lines that create the interface if it does not exist. */
function before(p: Params): string[] {
  const isThere = `ip link show dev ${p.name} >/dev/null 2>&1`;
  const enslave = portsOf(p).map(
    (port) => `pre-up ip link set dev ${port} ${p.kind === "bond" ? "down " : ""}master ${p.name}`,
  );
  const up = portsOf(p).map((port) => `pre-up ip link set dev ${port} up`);
  switch (p.kind) {
    case "physical":
      return [];
    case "bridge":
      return [`pre-up ${isThere} || ip link add name ${p.name} type bridge`, ...enslave, ...up];
    case "bond":
      return [`pre-up ${isThere} || ip link add name ${p.name} type bond mode ${p.mode} miimon 100`, ...enslave, ...up];
    case "vlan":
      return [
        `pre-up ip link set dev ${p.parent} up`,
        `pre-up ${isThere} || ip link add link ${p.parent} name ${p.name} type vlan id ${p.id}`,
      ];
  }
}

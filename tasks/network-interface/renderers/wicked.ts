import { type Params, portsOf } from "../params.ts";
import type { OwnFile, RendererTool } from "./tool.ts";

const folder = "/etc/sysconfig/network";

/**
 * SUSE's wicked, configured through its files ifcfg(5), ifcfg-bridge(5), ifcfg-bonding(5), ifcfg-vlan(5) and
 * ifroute(5). Not tested on a host.
 */
export const wicked: RendererTool = {
  saves: folder,
  boot: ":",
  files: (p) => [
    own(
      `ifcfg-${p.name}`,
      variables({ STARTMODE: "auto", BOOTPROTO: bootProtocol(p), ...addresses(p), ...mtu(p), ...device(p) }),
    ),
    own(`ifroute-${p.name}`, routes(p)),
    ...portsOf(p).map((port) =>
      own(
        `ifcfg-${port}`,
        variables({ STARTMODE: p.kind === "bond" ? "hotplug" : "auto", BOOTPROTO: "none", ...mtu(p) }),
      ),
    ),
  ],
  apply: (p) => `wicked ifreload ${[p.name, ...portsOf(p)].join(" ")}`,
  revert: () => "wicked ifreload all",
};

function own(name: string, text: string): OwnFile {
  return { path: `${folder}/${name}`, text, mode: "0644" };
}

function variables(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join("");
}

function bootProtocol(p: Params): string {
  if (p.dhcp) return "dhcp4";
  return p.addresses.length > 0 ? "static" : "none";
}

function addresses(p: Params): Record<string, string> {
  return Object.fromEntries(p.addresses.map((address, at) => [at === 0 ? "IPADDR" : `IPADDR_${at}`, address]));
}

function mtu(p: Params): Record<string, string> {
  return p.mtu === undefined ? {} : { MTU: String(p.mtu) };
}

function device(p: Params): Record<string, string> {
  switch (p.kind) {
    case "physical":
      return {};
    case "bridge":
      return { BRIDGE: "yes", BRIDGE_PORTS: p.ports.join(" "), BRIDGE_STP: "off", BRIDGE_FORWARDDELAY: "0" };
    case "bond":
      return {
        BONDING_MASTER: "yes",
        BONDING_MODULE_OPTS: `mode=${p.mode} miimon=100`,
        ...Object.fromEntries(p.ports.map((port, at) => [`BONDING_SLAVE_${at}`, port])),
      };
    case "vlan":
      return { ETHERDEVICE: p.parent, VLAN_ID: String(p.id) };
  }
}

function routes(p: Params): string {
  const all = [...(p.gateway === undefined ? [] : [{ to: "default", via: p.gateway }]), ...p.routes];
  return all.map(({ to, via }) => `${to} ${via} - ${p.name}\n`).join("");
}

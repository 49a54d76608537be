import { type Params, portsOf } from "../params.ts";
import type { Links, OwnFile, RendererTool } from "./tool.ts";

const folder = "/etc/netplan";

/**
 * netplan merges all files: later ones override earlier ones, and lists with the same key are concatenated
 * (netplan(5)). So the settings in other files for the addresses of an interface must be removed first: {@link
 * clearForeign}. A file may name only interfaces that an earlier file defines, so the names of furrow's files begin
 * with numbers.
 */
export const netplan: RendererTool = {
  saves: folder,
  boot: "netplan generate",
  files: (p, links) => [
    own(`${numbers[p.kind]}-furrow-${p.name}`, [
      section(p),
      `    ${p.name}:`,
      ...interfaceLines(p),
      ...parentLines(p, links),
    ]),
    ...portsOf(p).map((port) =>
      own(`90-furrow-${port}`, [
        "  ethernets:",
        `    ${port}:`,
        "      dhcp4: false",
        "      dhcp6: false",
        "      link-local: []",
        ...mtuLines(p),
      ]),
    ),
  ],
  apply: (p, isOther) => `${isOther ? `ip link delete dev ${p.name}\n` : ""}netplan apply`,
  revert: () => "netplan apply",
};

const numbers = { physical: 90, bond: 91, bridge: 92, vlan: 93 };

/** The netplan keys that give an interface addresses, routes or an MTU. */
const addressKeys = "addresses dhcp4 dhcp6 gateway4 gateway6 routes nameservers mtu";

/** Shell code that removes the address settings of these interfaces from all files, and leaves other settings alone. */
export function clearForeign(names: readonly string[]): string {
  return `for link in ${names.join(" ")}; do
for key in ${addressKeys}; do
[ "$(netplan get "ethernets.$link.$key")" = null ] || netplan set "ethernets.$link.$key=null" || exit
done
done`;
}

function own(name: string, lines: readonly string[]): OwnFile {
  const text = ["network:", "  version: 2", ...lines].map((line) => `${line}\n`).join("");
  return { path: `${folder}/${name}.yaml`, text, mode: "0600" };
}

function section(p: Params): string {
  return `  ${{ physical: "ethernets", bridge: "bridges", bond: "bonds", vlan: "vlans" }[p.kind]}:`;
}

function interfaceLines(p: Params): string[] {
  const routes = [
    ...(p.gateway === undefined ? [] : [{ to: p.gateway.includes(":") ? "::/0" : "0.0.0.0/0", via: p.gateway }]),
    ...p.routes,
  ];
  return [
    ...(p.kind === "vlan" ? [`      id: ${p.id}`, `      link: ${p.parent}`] : []),
    ...(p.kind === "bridge" || p.kind === "bond" ? list("interfaces", p.ports) : []),
    ...(p.kind === "bond" ? ["      parameters:", `        mode: ${p.mode}`, "        mii-monitor-interval: 100"] : []),
    ...(p.kind === "bridge" ? ["      parameters:", "        stp: false", "        forward-delay: 0"] : []),
    `      dhcp4: ${p.dhcp}`,
    ...list("addresses", p.addresses),
    ...(routes.length === 0
      ? []
      : ["      routes:", ...routes.flatMap(({ to, via }) => [`      - to: "${to}"`, `        via: "${via}"`])]),
    ...(p.nameservers.length === 0
      ? []
      : ["      nameservers:", "        addresses:", ...p.nameservers.map((server) => `        - "${server}"`)]),
    ...mtuLines(p),
  ];
}

/** netplan refuses a VLAN on an interface that no file names. Other types of interfaces always have such a file. */
function parentLines(p: Params, links: Links): string[] {
  if (p.kind !== "vlan" || ["bridge", "bond", "vlan"].includes(links[p.parent]?.kind ?? "")) return [];
  return ["  ethernets:", `    ${p.parent}: {}`];
}

function mtuLines({ mtu }: Params): string[] {
  return mtu === undefined ? [] : [`      mtu: ${mtu}`];
}

function list(key: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`      ${key}:`, ...items.map((item) => `      - "${item}"`)];
}

import { type Params, portsOf, touchedBy } from "../params.ts";
import type { OwnFile, RendererTool } from "./tool.ts";

const folder = "/etc/systemd/network";

/**
 * systemd-networkd uses the first file, by name, that matches an interface (systemd.network(5)), so the prefix
 * `00-furrow-` makes furrow's files come before those of cloud images.
 */
export const networkd: RendererTool = {
  saves: folder,
  boot: ":",
  files: (p) => [
    ...(p.kind === "physical" ? [] : [own(`00-furrow-${p.name}.netdev`, deviceText(p))]),
    own(`00-furrow-${p.name}.network`, networkText(p)),
    ...portsOf(p).map((port) =>
      own(
        `00-furrow-${port}.network`,
        section("Match", [`Name=${port}`]) + linkSection(p) + section("Network", portLines(p)),
      ),
    ),
    ...(p.kind === "vlan"
      ? [own(`00-furrow-${p.parent}.network.d/vlan-${p.name}.conf`, section("Network", [`VLAN=${p.name}`]))]
      : []),
  ],
  apply: (p, isOther) => `${isOther ? `ip link delete dev ${p.name}\n` : ""}networkctl reload || exit
sleep 1
for link in ${[...touchedBy(p), ...(p.kind === "vlan" ? [p.parent] : [])].join(" ")}; do
[ ! -e "/sys/class/net/$link" ] || networkctl reconfigure "$link" || exit
done`,
  revert: () => "systemctl restart systemd-networkd.service",
};

/** The path of furrow's own file for an interface. A VLAN on the interface adds a line to this file. */
export function networkdPath(name: string): string {
  return `${folder}/00-furrow-${name}.network`;
}

function own(name: string, text: string): OwnFile {
  return { path: `${folder}/${name}`, text, mode: "0644" };
}

function section(name: string, lines: readonly string[]): string {
  return `[${name}]\n${lines.map((line) => `${line}\n`).join("")}\n`;
}

function deviceText(p: Params): string {
  const about = section("NetDev", [`Name=${p.name}`, `Kind=${p.kind}`]);
  switch (p.kind) {
    case "bond":
      return about + section("Bond", [`Mode=${p.mode}`, "MIIMonitorSec=100ms"]);
    case "vlan":
      return about + section("VLAN", [`Id=${p.id}`]);
    case "bridge":
      return about + section("Bridge", ["STP=no", "ForwardDelaySec=0"]);
    case "physical":
      return about;
  }
}

function networkText(p: Params): string {
  return [
    section("Match", [`Name=${p.name}`]),
    linkSection(p),
    section("Network", [
      `DHCP=${p.dhcp ? "ipv4" : "no"}`,
      ...(p.dhcp ? [] : ["ConfigureWithoutCarrier=yes"]),
      ...p.addresses.map((address) => `Address=${address}`),
      ...(p.gateway === undefined ? [] : [`Gateway=${p.gateway}`]),
      ...p.nameservers.map((server) => `DNS=${server}`),
    ]),
    ...p.routes.map(({ to, via }) => section("Route", [`Destination=${to}`, `Gateway=${via}`])),
  ].join("");
}

/** A bridge's MTU is limited by the smallest MTU of its ports. */
function linkSection({ mtu }: Params): string {
  return mtu === undefined ? "" : section("Link", [`MTUBytes=${mtu}`]);
}

function portLines(p: Params): string[] {
  return [p.kind === "bond" ? `Bond=${p.name}` : `Bridge=${p.name}`, "LinkLocalAddressing=no"];
}

import { type Params, portsOf } from "../params.ts";
import type { OwnFile, RendererTool } from "./tool.ts";

const folder = "/etc/NetworkManager/system-connections";

/**
 * NetworkManager's keyfiles (nm-settings-keyfile(5)). NetworkManager activates the profile with the highest priority
 * for an interface, so existing profiles are kept but not used.
 */
export const networkManager: RendererTool = {
  saves: folder,
  boot: ":",
  files: (p) => [
    own(p.name, connection(p, p.name, typeOf(p)) + device(p) + addressing(p)),
    ...portsOf(p).map((port) =>
      own(
        port,
        connection(p, port, "ethernet", [`master=${p.name}`, `slave-type=${p.kind}`]) +
          (p.mtu === undefined ? "" : section("ethernet", [`mtu=${p.mtu}`])),
      ),
    ),
  ],
  apply: (p) => `nmcli connection reload || exit
${["-w 0", ...portsOf(p).map(() => "-w 30")]
  .map(
    (wait, at) =>
      `nmcli ${portsOf(p).length === 0 ? "-w 30" : wait} connection up id furrow-${[p.name, ...portsOf(p)][at]} || exit`,
  )
  .join("\n")}`,
  revert: () => `nmcli connection reload
while IFS=: read -r uuid link; do
grep -qxF -- "$link" touched && nmcli -w 30 connection up uuid "$uuid" ifname "$link"
done <profiles`,
};

function own(name: string, text: string): OwnFile {
  return { path: `${folder}/furrow-${name}.nmconnection`, text, mode: "0600" };
}

function section(name: string, lines: readonly string[]): string {
  return `[${name}]\n${lines.map((line) => `${line}\n`).join("")}\n`;
}

function typeOf(p: Params): string {
  return p.kind === "physical" ? "ethernet" : p.kind;
}

function connection(p: Params, name: string, type: string, more: readonly string[] = []): string {
  return section("connection", [
    `id=furrow-${name}`,
    `type=${type}`,
    `interface-name=${name}`,
    "autoconnect-priority=900",
    ...more,
    ...(portsOf(p).length > 0 && name === p.name ? ["autoconnect-slaves=1"] : []),
  ]);
}

function device(p: Params): string {
  const mtu = p.mtu === undefined ? "" : section("ethernet", [`mtu=${p.mtu}`]);
  switch (p.kind) {
    case "bond":
      return section("bond", [`mode=${p.mode}`, "miimon=100"]) + mtu;
    case "vlan":
      return section("vlan", ["flags=1", `id=${p.id}`, `parent=${p.parent}`]) + mtu;
    case "bridge":
      return section("bridge", ["stp=false"]) + mtu;
    case "physical":
      return mtu;
  }
}

function addressing(p: Params): string {
  const isSix = (text: string): boolean => text.includes(":");
  return ([4, 6] as const)
    .map((version) => {
      const of = (text: string): boolean => isSix(text) === (version === 6);
      const addresses = p.addresses.filter(of);
      const hasGateway = p.gateway !== undefined && of(p.gateway);
      const method =
        version === 4 && p.dhcp ? "auto" : addresses.length > 0 ? "manual" : version === 6 ? "auto" : "disabled";
      const servers = p.nameservers.filter(of);
      return section(`ipv${version}`, [
        `method=${method}`,
        ...addresses.map((address, at) => `address${at + 1}=${address}`),
        ...(hasGateway ? [`gateway=${p.gateway}`] : []),
        ...(servers.length > 0 && method !== "disabled" ? [`dns=${servers.join(";")};`] : []),
        ...p.routes.filter(({ via }) => of(via)).map(({ to, via }, at) => `route${at + 1}=${to},${via}`),
      ]);
    })
    .join("");
}

import type { NetworkState } from "./network-state.ts";
import { type Params, touchedBy } from "./params.ts";

/** Shell code that fails, and prints the reason, while the interface is not in the desired state. */
export function checkCode(p: Params): string {
  const { name } = p;
  const own = `/sys/class/net/${name}`;
  const lines = [
    `PATH=$PATH:/usr/sbin:/sbin`,
    `no() { echo "$1"; exit 1; }`,
    `[ -e ${own} ] || no "there is no interface ${name}"`,
    ...(p.mtu === undefined
      ? []
      : [`[ "$(cat ${own}/mtu)" = ${p.mtu} ] || no "the MTU of ${name} is $(cat ${own}/mtu), not ${p.mtu}"`]),
    ...touchedBy(p)
      .slice(1)
      .map(
        (port) =>
          `[ "$(readlink /sys/class/net/${port}/master | sed 's:.*/::')" = ${name} ] || no "${port} is not a port of ${name}"`,
      ),
    ...p.addresses.map(
      (address) =>
        `ip -o addr show dev ${name} | grep -v tentative | grep -qF ' ${address} ' || no "${name} does not have the address ${address}"`,
    ),
    ...(p.dhcp
      ? [`ip -o -4 addr show dev ${name} scope global | grep -q . || no "${name} has no address from DHCP"`]
      : []),
    ...p.routes.map(({ to, via }) => routeCheck(p, to, via)),
    ...(p.gateway === undefined ? [] : [routeCheck(p, "default", p.gateway), gatewayCheck(name, p.gateway)]),
    "exit 0",
  ];
  return lines.join("\n");
}

function routeCheck({ name }: Params, to: string, via: string): string {
  const version = via.includes(":") ? 6 : 4;
  return `ip -${version} route show ${to} dev ${name} | grep -qF 'via ${via} ' || no "${name} has no route to ${to} via ${via}"`;
}

/** A router may not answer pings, but it answers the ARP or neighbor request that precedes a ping. */
function gatewayCheck(name: string, gateway: string): string {
  const version = gateway.includes(":") ? 6 : 4;
  return `if command -v ping >/dev/null 2>&1; then
ping -${version} -c 1 -W 2 -I ${name} ${gateway} >/dev/null 2>&1 || ip neigh show to ${gateway} dev ${name} | grep -v FAILED | grep -q lladdr || no "the gateway ${gateway} does not answer on ${name}"
fi`;
}

/** True if the name belongs to an interface that the host's tool cannot change into the wanted one. */
export function isOtherSort(p: Params, { links }: NetworkState): boolean {
  const link = links[p.name];
  if (link === undefined || p.kind === "physical") return false;
  if (link.kind !== p.kind) return true;
  if (p.kind === "vlan") return link.parent !== p.parent || link.vlan !== p.id;
  return p.kind === "bond" && link.mode !== p.mode;
}

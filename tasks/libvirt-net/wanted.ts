import { absent, refuse, type Refusal } from "../../src/authoring.ts";
import {
  type DhcpHost,
  type LibvirtNet,
  livePaths,
  type NetConfig,
  overlap,
  type LibvirtOverview,
} from "../../src/facts/catalogue.ts";
import type { DefinedNet } from "./params.ts";

type Config = Partial<Omit<NetConfig, "dhcp" | "forward">> & {
  readonly bridge: string;
  readonly forward: Partial<NetConfig["forward"]>;
  readonly dhcp?: Partial<NetConfig["dhcp"]>;
};

/**
 * Returns the configuration that the params describe. Reservations in `there` that the params do not list are removed.
 */
export function wantedConfig(p: DefinedNet, there: Pick<NetConfig, "dhcp"> | undefined): Config {
  const { ranges, hosts, bootFile, bootServer, leaseSeconds } = p.dhcp ?? {};
  return {
    bridge: p.bridge,
    forward: { mode: p.forward, ...(p.forwardInterface !== undefined && { interface: p.forwardInterface }) },
    address: `${p.address}/${p.prefix}`,
    ...(p.domain !== undefined && { domain: p.domain }),
    ...(p.tftpRoot !== undefined && { tftpRoot: p.tftpRoot }),
    ...(p.dhcp && {
      dhcp: {
        ...(ranges && { ranges: ranges.map(({ start, end }) => `${start}-${end}`).toSorted() }),
        ...(leaseSeconds !== undefined && { lease: String(leaseSeconds) }),
        ...(hosts && { hosts: wantedHosts(hosts, there?.dhcp.hosts ?? {}) }),
        ...(bootFile !== undefined && { bootFile }),
        ...(bootServer !== undefined && { bootServer }),
      },
    }),
    ...(p.dnsmasqOptions && { dnsmasqOptions: p.dnsmasqOptions }),
  };
}

function wantedHosts(
  hosts: readonly { readonly mac: string; readonly ip: string; readonly name?: string | undefined }[],
  there: NetConfig["dhcp"]["hosts"],
): Record<string, DhcpHost | typeof absent> {
  const all: readonly (readonly [string, DhcpHost | typeof absent])[] = [
    ...Object.keys(there).map((mac): [string, typeof absent] => [mac, absent]),
    ...hosts.map(({ mac, ip, name = "" }): [string, DhcpHost] => [mac, { ip, name }]),
  ];
  return Object.fromEntries(all);
}

/** Returns the changed parts that a running network applies only at its next start. */
export function needsRestart(live: NetConfig, config: Config): string[] {
  const { hosts: _hosts, ranges: _ranges, ...dhcp } = config.dhcp ?? {};
  return livePaths(live, { ...config, ...(config.dhcp && { dhcp }) });
}

/** Explains why this network conflicts with others on the host; undefined if it does not. */
export function collision(
  p: DefinedNet,
  libvirt: LibvirtOverview,
  now: LibvirtNet | typeof absent,
): Refusal | undefined {
  const cidr = `${p.address}/${p.prefix}`;
  for (const [name, other] of Object.entries(libvirt.networks)) {
    if (name === p.name || other === absent) continue;
    if (other.bridge === p.bridge) {
      return refuse({
        code: "bridge-taken",
        message: `bridge ${p.bridge} belongs to network ${name}`,
        hint: `Choose another bridge, or remove that network: libvirtNet({ name: "${name}", state: "absent" })`,
      });
    }
    const subnet = other.subnets.find((one) => overlap(one, cidr));
    if (subnet !== undefined && (other.active || other.autostart)) {
      return refuse({
        code: "subnet-taken",
        message: `subnet ${cidr} overlaps with that of network ${name}`,
        current: `${name} has ${subnet} and ${other.active ? "is active" : "starts with the host"}`,
        hint: `Choose another subnet, or remove that network: libvirtNet({ name: "${name}", state: "absent" })`,
      });
    }
  }
  return now !== absent && now.active && now.bridge === p.bridge ? undefined : linkCollision(p, libvirt, now);
}

/**
 * Refuses if an interface that libvirt did not create has the bridge's name or subnet: libvirt would refuse to start
 * the network.
 */
function linkCollision(p: DefinedNet, libvirt: LibvirtOverview, now: LibvirtNet | typeof absent): Refusal | undefined {
  if (p.state !== "active") return undefined;
  const cidr = `${p.address}/${p.prefix}`;
  const own = now !== absent && now.active ? now.bridge : undefined;
  const bridges = Object.values(libvirt.networks).flatMap((net) => (net === absent ? [] : [net.bridge]));
  for (const [link, addresses] of Object.entries(libvirt.links)) {
    if (link === own) continue;
    if (link === p.bridge) {
      return refuse({
        code: "bridge-taken",
        message: `the host's interface ${link} does not belong to this network`,
        hint: "Choose another name for the bridge",
      });
    }
    const address = addresses.find((one) => overlap(one, cidr));
    if (address !== undefined && !bridges.includes(link)) {
      return refuse({
        code: "subnet-taken",
        message: `subnet ${cidr} overlaps with that of the host's interface ${link}`,
        current: `${link} has ${address}`,
        hint: "Choose another subnet",
      });
    }
  }
  return undefined;
}

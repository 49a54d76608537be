import type { Absent } from "../../core/facts/symbols.ts";
import { prefixOf } from "../network/ipv4.ts";
import { attribute, child, childrenOf, type Xml } from "./xml.ts";

/** An address that a network reserves for a MAC address. */
export interface DhcpHost {
  readonly ip: string;
  /** The name that DHCP and DNS give to the address; empty if it has no name. */
  readonly name: string;
}

/** The settings of a network's DHCP server. */
export interface DhcpConfig {
  /** The ranges of addresses, sorted: `192.168.122.10-192.168.122.99`. */
  readonly ranges: readonly string[];
  /** The lease time for the ranges in seconds: `3600`, `0` for no expiry; empty for libvirt's default (an hour). */
  readonly lease: string;
  /** Reservations by MAC address in lower case. In a want, `absent` removes a reservation. */
  readonly hosts: Readonly<Record<string, DhcpHost | Absent>>;
  /** The file that clients boot over the network, as a file name or a URL; empty if network boot is not configured. */
  readonly bootFile: string;
  /** The address of the TFTP server that has the boot file; empty for the network's own server. */
  readonly bootServer: string;
}

/** The part of a network's XML (libvirt: formatnetwork) that furrow manages; the rest stays unchanged. */
export interface NetConfig {
  readonly bridge: string;
  /**
   * The mode (`isolated`, `nat`, `route`, `open`, `bridge` …) and the host interface that the network is bound to; the
   * interface is empty if any interface may be used.
   */
  readonly forward: { readonly mode: string; readonly interface: string };
  /** The first IPv4 address with its prefix length: `192.168.122.1/24`; empty if the network has none. */
  readonly address: string;
  readonly domain: string;
  readonly tftpRoot: string;
  readonly dhcp: DhcpConfig;
  /** Lines of dnsmasq's configuration, in order. */
  readonly dnsmasqOptions: readonly string[];
}

const unitSeconds: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600 };

/** Reads the part of a network's XML that furrow manages; ignores the order of elements and libvirt's own additions. */
export function netConfig(network: Xml): NetConfig {
  const forward = child(network, "forward");
  const ip = mainIp(network);
  const dhcp = child(ip, "dhcp");
  const ranges = childrenOf(dhcp, "range");
  const bootp = child(dhcp, "bootp");
  return {
    bridge: attribute(child(network, "bridge"), "name"),
    forward: {
      mode: forward === undefined ? "isolated" : attribute(forward, "mode") || "nat",
      interface: attribute(forward, "dev") || attribute(child(forward, "interface"), "dev"),
    },
    address: ip === undefined ? "" : addressOf(ip),
    domain: attribute(child(network, "domain"), "name"),
    tftpRoot: attribute(child(ip, "tftp"), "root"),
    dhcp: {
      ranges: ranges.map((range) => `${attribute(range, "start")}-${attribute(range, "end")}`).toSorted(),
      lease: [...new Set(ranges.map(leaseOf))].join(" "),
      hosts: Object.fromEntries(
        childrenOf(dhcp, "host")
          .map((host): [string, DhcpHost] => [
            (attribute(host, "mac") || attribute(host, "id")).toLowerCase(),
            { ip: attribute(host, "ip"), name: attribute(host, "name") },
          ])
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
      bootFile: attribute(bootp, "file"),
      bootServer: attribute(bootp, "server"),
    },
    dnsmasqOptions: childrenOf(child(network, "dnsmasq:options"), "dnsmasq:option").map((option) =>
      attribute(option, "value"),
    ),
  };
}

/** The `<ip>` element that furrow manages: the IPv4 element with DHCP, or else the first IPv4 element. */
export function mainIp(network: Xml): Xml | undefined {
  const all = childrenOf(network, "ip").filter((ip) => attribute(ip, "family") !== "ipv6");
  return all.find((ip) => child(ip, "dhcp") !== undefined) ?? all[0];
}

/** The `address/prefix` of an `<ip>` element. */
export function addressOf(ip: Xml): string {
  const prefix = attribute(ip, "prefix") || prefixOf(attribute(ip, "netmask") || "255.255.255.0");
  return `${attribute(ip, "address")}/${prefix}`;
}

function leaseOf(range: Xml): string {
  const lease = child(range, "lease");
  if (lease === undefined) return "";
  return String(Number(attribute(lease, "expiry")) * (unitSeconds[attribute(lease, "unit") || "minutes"] ?? 1));
}

import type { Wanted } from "../../core/facts/compare.ts";
import { absent } from "../../core/facts/symbols.ts";
import { type DhcpConfig, type DhcpHost, mainIp, type NetConfig } from "./net-config.ts";
import {
  child,
  childrenOf,
  attribute,
  element,
  parseXml,
  printXml,
  withAttributes,
  withChild,
  withChildren,
  type Xml,
} from "./xml.ts";

/** The parts of a network that a task wants; omitted parts stay unchanged. */
export type WantedNetConfig = Wanted<NetConfig>;
type Part<K extends keyof NetConfig> = Partial<NetConfig[K]> | undefined;

const dnsmasqNamespace = "http://libvirt.org/schemas/network/dnsmasq/1.0";

/**
 * The XML from which to define a network. The want is merged into the existing XML, which keeps the UUID, the MAC and
 * everything that furrow does not manage. If `existing` is undefined, the want is merged into an empty network.
 */
export function netXml(existing: string | undefined, name: string, wanted: WantedNetConfig): string {
  const want = wanted as Partial<NetConfig>;
  let network = existing === undefined ? element("network") : parseXml(existing, `network ${name}`);
  network = withChild(network, "name", () => element("name", {}, [], name));
  network = withForward(network, want.forward);
  if (want.bridge !== undefined) {
    const { bridge } = want;
    network = withChild(network, "bridge", (old) => withAttributes(old, { name: bridge }));
  }
  if (want.domain !== undefined) {
    const { domain } = want;
    network = withChild(network, "domain", (old) =>
      domain === ""
        ? undefined
        : withAttributes(old, { name: domain, localOnly: old.attributes["localOnly"] ?? "yes" }),
    );
  }
  network = withOptions(network, want.dnsmasqOptions);
  return printXml(withIp(network, want));
}

function withForward(network: Xml, forward: Part<"forward">): Xml {
  if (forward === undefined) return network;
  const { mode, interface: device } = forward;
  if (mode === "isolated") return withChildren(network, "forward", []);
  return withChild(network, "forward", (old) => {
    const inMode = withAttributes(old, { ...(mode !== undefined && { mode }) });
    if (device === undefined) return inMode;
    // libvirt itself writes both the attribute and the element.
    const bound = withAttributes(inMode, { dev: device === "" ? undefined : device });
    return withChildren(bound, "interface", device === "" ? [] : [element("interface", { dev: device })]);
  });
}

function withOptions(network: Xml, options: readonly string[] | undefined): Xml {
  if (options === undefined) return network;
  if (options.length === 0) return withChildren(network, "dnsmasq:options", []);
  const lines = options.map((value) => element("dnsmasq:option", { value }));
  return withChildren(withAttributes(network, { "xmlns:dnsmasq": dnsmasqNamespace }), "dnsmasq:options", [
    element("dnsmasq:options", {}, lines),
  ]);
}

function withIp(network: Xml, want: Partial<NetConfig>): Xml {
  const old = mainIp(network);
  if (want.address === undefined && want.dhcp === undefined && want.tftpRoot === undefined) return network;
  let ip = old ?? element("ip");
  if (want.address !== undefined) {
    const [address = "", prefix = ""] = want.address.split("/");
    ip = withAttributes(ip, { address, prefix, netmask: undefined });
  }
  if (want.tftpRoot !== undefined) {
    ip = withChildren(ip, "tftp", want.tftpRoot === "" ? [] : [element("tftp", { root: want.tftpRoot })]);
  }
  ip = withDhcp(ip, want.dhcp);
  return withChildren(
    network,
    "ip",
    old === undefined
      ? [...childrenOf(network, "ip"), ip]
      : childrenOf(network, "ip").map((part) => (part === old ? ip : part)),
  );
}

function withDhcp(ip: Xml, want: Partial<DhcpConfig> | undefined): Xml {
  if (want === undefined) return ip;
  let dhcp = child(ip, "dhcp") ?? element("dhcp");
  dhcp = withRanges(dhcp, want);
  if (want.hosts !== undefined) dhcp = withHosts(dhcp, want.hosts);
  if (want.bootFile !== undefined || want.bootServer !== undefined) {
    const old = child(dhcp, "bootp");
    const file = want.bootFile ?? attribute(old, "file");
    const server = want.bootServer ?? attribute(old, "server");
    dhcp = withChildren(
      dhcp,
      "bootp",
      file === "" ? [] : [element("bootp", { file, ...(server !== "" && { server }) })],
    );
  }
  return withChildren(ip, "dhcp", dhcp.children.length === 0 ? [] : [dhcp]);
}

function withRanges(dhcp: Xml, { ranges, lease }: Partial<DhcpConfig>): Xml {
  const old = childrenOf(dhcp, "range");
  const known = (start: string, end: string): Xml | undefined =>
    old.find((range) => attribute(range, "start") === start && attribute(range, "end") === end);
  const list = ranges?.map((range) => {
    const [start = "", end = ""] = range.split("-");
    return known(start, end) ?? element("range", { start, end });
  });
  return withChildren(
    dhcp,
    "range",
    (list ?? old).map((range) => withLease(range, lease)),
  );
}

function withLease(range: Xml, lease: string | undefined): Xml {
  if (lease === undefined) return range;
  return withChildren(range, "lease", lease === "" ? [] : [element("lease", { expiry: lease, unit: "seconds" })]);
}

function withHosts(dhcp: Xml, hosts: DhcpConfig["hosts"]): Xml {
  const old = childrenOf(dhcp, "host");
  const macOf = (host: Xml): string => (attribute(host, "mac") || attribute(host, "id")).toLowerCase();
  const kept = old.filter((host) => hosts[macOf(host)] !== absent);
  const changed = kept.map((host) => {
    const want = hosts[macOf(host)];
    if (want === undefined || want === absent) return host;
    return withAttributes(host, { ip: want.ip, name: want.name === "" ? undefined : want.name });
  });
  const missing = Object.entries(hosts).flatMap(([mac, want]) =>
    want === absent || old.some((host) => macOf(host) === mac) ? [] : [dhcpHostXml(mac, want)],
  );
  return withChildren(dhcp, "host", [...changed, ...missing]);
}

function dhcpHostXml(mac: string, host: DhcpHost): Xml {
  return element("host", { mac, ...(host.name !== "" && { name: host.name }), ip: host.ip });
}

/** A reservation as the single XML element that `virsh net-update` takes. */
export function dhcpHostElement(mac: string, host: DhcpHost): string {
  return printXml(dhcpHostXml(mac, host));
}

/** A range such as `192.168.122.10-192.168.122.99` as the single XML element that `virsh net-update` takes. */
export function dhcpRangeElement(range: string, lease: string): string {
  const [start = "", end = ""] = range.split("-");
  return printXml(withLease(element("range", { start, end }), lease));
}

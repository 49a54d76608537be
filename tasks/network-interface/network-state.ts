import type { Absent, HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError, type Lines } from "../../src/facts/index.ts";
import { type IpAddress, type IpLink, type IpRoute, listIn } from "./ip-json.ts";
import { networkScript } from "./network-script.ts";

/** One network interface of a host. */
export interface Link {
  /** `bridge`, `bond`, `vlan`, or the kind that `ip -d link` prints; `physical` if it prints none. */
  readonly kind: string;
  readonly up: boolean;
  readonly mtu: number;
  /** The largest packet that the driver allows; 0 if it reports none. */
  readonly maxMtu: number;
  /** The bridge or bond that it is a port of; empty if none. */
  readonly master: string;
  /** For a VLAN, the interface that carries it. */
  readonly parent: string;
  readonly vlan: number;
  /** The mode of a bond. */
  readonly mode: string;
  /** Its static addresses of global scope, sorted. */
  readonly addresses: readonly string[];
  /** Its routes through a router, such as `default via 192.0.2.1`. */
  readonly routes: Readonly<Record<string, true>>;
}

/** The current state of a host's network. */
export interface NetworkState {
  /** The tools that configure it: `networkd`, `NetworkManager`, `netplan`, `ifupdown`, `wicked`. */
  readonly renderers: readonly string[];
  /** The resolvers that can use an interface's own DNS servers: `resolved`, `resolvconf`. */
  readonly resolvers: readonly string[];
  /** True if systemd is running. */
  readonly systemd: boolean;
  /** True if the host will revert a change that was not confirmed. */
  readonly armed: boolean;
  /** The interface of the SSH connection; undefined if it could not be determined. */
  readonly connection: string | undefined;
  /** The host's own address in the SSH connection; empty if it could not be determined. */
  readonly address: string;
  /** Interfaces with a default route. */
  readonly defaults: readonly string[];
  readonly links: Readonly<Record<string, Link>>;
  /**
   * The settings for addresses and routes in netplan files other than furrow's, by interface: `FILE: dhcp4, routes`.
   */
  readonly foreign: Readonly<Record<string, string | Absent>>;
}

/** Reads the state of the host's network. */
export function networkState(): HostFact<NetworkState> {
  return ask(networkStateKind, "host");
}

/** A host's network, from ip(8), and the tools that configure it. */
export const networkStateKind = defineKind<NetworkState>({
  name: "networkState",
  summary:
    "The host's network interfaces, the tools that configure them, and the interface that carries the connection",
  facets: {},
  read: (questions) => networkScript(questions.map(({ number }) => number)),
  parse(lines) {
    if (lines["links"] === undefined) {
      throw new FurrowError("E_FACT", { what: "the state of the host's network could not be read" });
    }
    const routes = [...(listIn(lines, "routes4") as IpRoute[]), ...(listIn(lines, "routes6") as IpRoute[])];
    const addresses = new Map(
      (listIn(lines, "addresses") as IpAddress[]).map((entry) => [entry.ifname, entry.addr_info ?? []]),
    );
    return {
      renderers: words(lines["renderers"]),
      resolvers: words(lines["resolvers"]),
      systemd: lines["systemd"] === "yes",
      armed: lines["armed"] === "yes",
      connection: lines["connection"] === "" ? undefined : lines["connection"],
      address: lines["address"] ?? "",
      defaults: [...new Set(routes.filter(({ dst }) => dst === "default").flatMap(devices))].toSorted(),
      links: Object.fromEntries(
        (listIn(lines, "links") as IpLink[]).map((entry) => [
          entry.ifname,
          linkOf(entry, addresses.get(entry.ifname) ?? [], routes),
        ]),
      ),
      foreign: foreignIn(lines),
    };
  },
});

function linkOf(entry: IpLink, addresses: NonNullable<IpAddress["addr_info"]>, routes: readonly IpRoute[]): Link {
  const { info_kind: kind = "physical", info_data: data } = entry.linkinfo ?? {};
  return {
    kind,
    up: entry.flags?.includes("UP") ?? false,
    mtu: entry.mtu ?? 0,
    maxMtu: entry.max_mtu ?? 0,
    master: entry.master ?? "",
    parent: kind === "vlan" ? (entry.link ?? "") : "",
    vlan: kind === "vlan" ? (data?.id ?? 0) : 0,
    mode: kind === "bond" ? (data?.mode ?? "") : "",
    addresses: addresses
      .filter(({ scope, dynamic, mngtmpaddr }) => scope === "global" && dynamic !== true && mngtmpaddr !== true)
      .map(({ local, prefixlen }) => `${local}/${prefixlen}`)
      .toSorted(),
    routes: Object.fromEntries(
      routes.flatMap((route) => {
        const via = route.gateway;
        return via !== undefined && route.dev === entry.ifname ? [[`${route.dst} via ${via}`, true as const]] : [];
      }),
    ),
  };
}

function devices(route: IpRoute): string[] {
  const hops = route.nexthops?.map(({ dev }) => dev) ?? [];
  return [route.dev, ...hops].filter((dev) => dev !== undefined);
}

/** The settings for an interface in other files; undefined if no other file configures it. */
export function foreignAt({ foreign }: NetworkState, name: string): string | undefined {
  const said = foreign[name];
  return typeof said === "string" ? said : undefined;
}

function foreignIn(lines: Lines): Record<string, string> {
  return Object.fromEntries(
    Object.entries(lines).flatMap(([name, value]) =>
      name.startsWith("foreign:") ? [[name.slice("foreign:".length), value]] : [],
    ),
  );
}

function words(line = ""): readonly string[] {
  return line.split(" ").filter(Boolean);
}

import { merge } from "../../core/facts/compare.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Kind, type Lines } from "../../core/facts/kind.ts";
import { type Absent, absent, isRecord, type KnownAfterApply, knownAfterApply } from "../../core/facts/symbols.ts";
import { overviewScript } from "./overview-script.ts";
import { escapeXml, unescapeXml } from "./xml.ts";

/** The resources that a network needs exclusively. */
export interface NetClaims {
  readonly bridge: string;
  /** IPv4 addresses with their prefix lengths, sorted: `192.168.122.1/24`. */
  readonly subnets: readonly string[];
  readonly active: boolean;
  /** True if the network starts when the host boots. */
  readonly autostart: boolean;
}

/**
 * The resources that a domain uses, according to its inactive definition and, if it is running, also its live
 * definition. Lists are sorted.
 */
export interface DomainClaims {
  readonly active: boolean;
  /** The files and devices of the domain's disks, except shared disks and disks that it only reads. */
  readonly disks: readonly string[];
  readonly networks: readonly string[];
  readonly bridges: readonly string[];
}

/** Everything in a host's libvirt that can cause a conflict. */
export interface LibvirtOverview {
  /** `none` if virsh is not installed, `down` if its daemon does not answer. */
  readonly daemon: "up" | "down" | "none";
  /** The error that virsh reports if the daemon does not answer. */
  readonly problem: string;
  /** By network name. In a want, `absent` removes a network. */
  readonly networks: Readonly<Record<string, NetClaims | Absent>>;
  readonly domains: Readonly<Record<string, DomainClaims | Absent>>;
  /** The host's network interfaces with their IPv4 addresses. */
  readonly links: Readonly<Record<string, readonly string[]>>;
}

/** Asks which networks and domains the host's libvirt has, and what each of them uses. */
export function libvirtOverview(): HostFact<LibvirtOverview> {
  return ask(libvirtKind, "system");
}

/**
 * The overview of libvirt, read with two virsh calls. A line looks like `network NAME bridge virbr0`, with tabs between
 * the words.
 */
export const libvirtKind: Kind<LibvirtOverview> = defineKind<LibvirtOverview>({
  name: "libvirt",
  summary: "The host's libvirt networks with their bridges and subnets, and its domains with their disks and networks",
  facets: {},
  volatile: ["links"],
  read: ([question]) => (question === undefined ? "" : overviewScript(question.number)),
  parse(lines, question) {
    const daemon = lines["daemon"];
    if (daemon !== "up" && daemon !== "down" && daemon !== "none") {
      throw new FurrowError("E_FACT", {
        what: `${question.key} could not be read: the host returned no data about libvirt`,
      });
    }
    const parts = Object.entries(lines)
      .filter(([name]) => name.startsWith("thing."))
      .map(([, line]) => line.split("\t").map(unescapeXml));
    return { daemon, problem: lines["problem"] ?? "", ...things(parts), links: linksOf(lines["links"] ?? "") };
  },
  print(value): Lines {
    const list = [
      ...Object.entries(value.networks).flatMap(([name, net]) => (net === absent ? [] : netLines(name, net))),
      ...Object.entries(value.domains).flatMap(([name, domain]) =>
        domain === absent ? [] : domainLines(name, domain),
      ),
    ].map((parts) => parts.map(escapeXml).join("\t"));
    const links = Object.entries(value.links).map(([name, addresses]) => [name, ...addresses].join(" "));
    return {
      daemon: value.daemon,
      ...(links.length > 0 && { links: links.join(";") }),
      ...(value.problem !== "" && { problem: value.problem }),
      ...Object.fromEntries(list.toSorted().map((line, at) => [`thing.${String(at).padStart(5, "0")}`, line])),
    };
  },
  predict(before: LibvirtOverview | KnownAfterApply, wanted: unknown): LibvirtOverview {
    const unknown = knownAfterApply as never;
    const base: LibvirtOverview =
      typeof before === "object"
        ? before
        : { daemon: unknown, problem: unknown, networks: unknown, domains: unknown, links: unknown };
    const merged = merge(base, wanted) as LibvirtOverview;
    const networks = present(merged.networks);
    return { ...merged, networks, domains: present(merged.domains), links: linksAfter(base, networks, merged.links) };
  },
});

/** The interfaces after a change: a network's bridge disappears when the network stops. */
function linksAfter(
  before: Pick<LibvirtOverview, "networks">,
  after: LibvirtOverview["networks"],
  links: LibvirtOverview["links"],
): LibvirtOverview["links"] {
  if (!isRecord(links) || !isRecord(before.networks)) return links;
  const gone = Object.entries(before.networks).flatMap(([name, net]) => {
    const then = after[name];
    const runs = then !== undefined && then !== absent && then.active && net !== absent && then.bridge === net.bridge;
    return net === absent || !net.active || runs ? [] : [net.bridge];
  });
  return Object.fromEntries(Object.entries(links).filter(([link]) => !gone.includes(link)));
}

function present<V>(things: Readonly<Record<string, V | Absent>>): Readonly<Record<string, V | Absent>> {
  if (!isRecord(things)) return things;
  return Object.fromEntries(Object.entries(things).filter((entry) => entry[1] !== absent));
}

function things(parts: readonly (readonly string[])[]): Pick<LibvirtOverview, "networks" | "domains"> {
  const valuesOf = (type: string, name: string, key: string): string[] =>
    parts.filter((part) => part[0] === type && part[1] === name && part[2] === key).map((part) => part[3] ?? "");
  const named = <V>(type: string, make: (name: string) => V): Record<string, V> =>
    Object.fromEntries(
      [...new Set(parts.filter((part) => part[0] === type).map((part) => part[1] ?? ""))].map((name) => [
        name,
        make(name),
      ]),
    );
  return {
    networks: named("network", (name) => ({
      bridge: valuesOf("network", name, "bridge")[0] ?? "",
      subnets: valuesOf("network", name, "subnet"),
      active: valuesOf("network", name, "active").includes("yes"),
      autostart: valuesOf("network", name, "autostart").includes("yes"),
    })),
    domains: named("domain", (name) => ({
      active: valuesOf("domain", name, "active").includes("yes"),
      disks: valuesOf("domain", name, "disk"),
      networks: valuesOf("domain", name, "network"),
      bridges: valuesOf("domain", name, "bridge"),
    })),
  };
}

function netLines(name: string, net: NetClaims): string[][] {
  return [
    ["network", name, "active", net.active ? "yes" : "no"],
    ["network", name, "autostart", net.autostart ? "yes" : "no"],
    ...(net.bridge === "" ? [] : [["network", name, "bridge", net.bridge]]),
    ...net.subnets.map((subnet) => ["network", name, "subnet", subnet]),
  ];
}

function domainLines(name: string, domain: DomainClaims): string[][] {
  const of = (key: string, values: readonly string[]): string[][] =>
    values.map((value) => ["domain", name, key, value]);
  return [
    ["domain", name, "active", domain.active ? "yes" : "no"],
    ...of("bridge", domain.bridges),
    ...of("disk", domain.disks),
    ...of("network", domain.networks),
  ];
}

function linksOf(line: string): Record<string, string[]> {
  const links = line.split(";").filter(Boolean);
  return Object.fromEntries(
    links.map((link) => {
      const [name = "", ...addresses] = link.split(" ");
      return [name, addresses];
    }),
  );
}

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { covered } from "../../../test/covered.ts";
import { domainConfigs, netConfigs, sortedRecord, text, word } from "../../../test/libvirt/configs.ts";
import { linesOf } from "../../core/facts/expectation.ts";
import { absent } from "../../core/facts/symbols.ts";
import { domainConfig } from "./domain-config.ts";
import { domainXml } from "./domain-xml.ts";
import { libvirtDomainKind } from "./domain.ts";
import { netConfig } from "./net-config.ts";
import { netXml, type WantedNetConfig } from "./net-xml.ts";
import { libvirtNetKind } from "./net.ts";
import { type LibvirtOverview, libvirtKind } from "./overview.ts";
import { parseXml, printXml, type Xml } from "./xml.ts";

const runs = 400;
/** Elements whose children have a fixed order: boot devices, and the lines of a configuration. */
const ordered = new Set(["os", "dnsmasq:options"]);

function shuffled(element: Xml, order: (size: number) => number[]): Xml {
  const children = element.children.map((child) => shuffled(child, order));
  const attributes = Object.entries(element.attributes);
  return {
    ...element,
    attributes: Object.fromEntries(order(attributes.length).flatMap((at) => [attributes[at] ?? []])) as never,
    children: ordered.has(element.name) ? children : order(children.length).flatMap((at) => children[at] ?? []),
  };
}

/** Creates permutations from a list of drawn numbers. */
function orders(draws: readonly number[]): (size: number) => number[] {
  let next = 0;
  return (size) =>
    Array.from({ length: size }, (_, at) => ({ at, rank: draws[(next += 1) % draws.length] ?? 0 }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ at }) => at);
}
const draws = fc.array(fc.integer(), { minLength: 7, maxLength: 31 });
const extra = "<furrow-unknown a='1'>kept</furrow-unknown>";

describe("the XML of a network", () => {
  test("reads back as the original config, in any order of elements, and stays the same when written again", () => {
    fc.assert(
      fc.property(netConfigs, draws, (config, drawn) => {
        const made = netXml(undefined, "n", config);
        const root = parseXml(made, "n");
        expect(netConfig(root)).toEqual(config);
        expect(netConfig(shuffled(root, orders(drawn)))).toEqual(config);
        expect(parseXml(printXml(root), "n")).toEqual(root);
        expect(netXml(made, "n", config)).toBe(made);
      }),
      { numRuns: runs },
    );
  });

  test("changes from any config to any other, and keeps unmanaged parts", () => {
    fc.assert(
      fc.property(netConfigs, netConfigs, (from, to) => {
        const gone = Object.fromEntries(Object.keys(from.dhcp.hosts).map((key) => [key, absent]));
        const want = { ...to, dhcp: { ...to.dhcp, hosts: { ...gone, ...to.dhcp.hosts } } } as WantedNetConfig;
        const old = netXml(undefined, "n", from).replace("</network>", `${extra}</network>`);
        const made = netXml(old, "n", want);
        expect(made).toContain(extra);
        expect(netConfig(parseXml(made, "n"))).toEqual(to);
      }),
      { numRuns: runs },
    );
    covered(`libvirt: ${runs * 2} random networks and ${runs * 2} random domains to XML and back`);
  });
});

describe("the XML of a domain", () => {
  test("reads back as the original config, in any order of elements, and stays the same when written again", () => {
    fc.assert(
      fc.property(domainConfigs, draws, (config, drawn) => {
        const made = domainXml(undefined, "d", config);
        const root = parseXml(made, "d");
        expect(domainConfig(root)).toEqual(config);
        expect(domainConfig(shuffled(root, orders(drawn)))).toEqual(config);
        expect(parseXml(printXml(root), "d")).toEqual(root);
        expect(domainXml(made, "d", config)).toBe(made);
      }),
      { numRuns: runs },
    );
  });

  test("changes from any config to any other with its machine and firmware, and keeps unmanaged parts", () => {
    fc.assert(
      fc.property(domainConfigs, domainConfigs, (from, other) => {
        const to = { ...other, machine: from.machine, firmware: from.firmware };
        const gone = (things: object): object => Object.fromEntries(Object.keys(things).map((key) => [key, absent]));
        const old = domainXml(undefined, "d", from).replace("</domain>", `${extra}</domain>`);
        const made = domainXml(old, "d", {
          ...to,
          disks: { ...gone(from.disks), ...to.disks },
          interfaces: { ...gone(from.interfaces), ...to.interfaces },
        });
        expect(made).toContain(extra);
        expect(domainConfig(parseXml(made, "d"))).toEqual(to);
      }),
      { numRuns: runs },
    );
  });
});

describe("a printed value", () => {
  const flags = fc.record({ active: fc.boolean(), autostart: fc.boolean(), persistent: fc.boolean() });
  const yes = (flag: boolean): string => (flag ? "yes" : "no");

  test("is parsed to the same network or domain", () => {
    fc.assert(
      fc.property(netConfigs, domainConfigs, flags, (net, domain, { active, autostart, persistent }) => {
        const common = { autostart: yes(autostart), persistent: yes(persistent) };
        const netText = netXml(undefined, "n", net);
        const netQuestion = { kind: "libvirtNet", key: "n", facets: [] };
        const netValue = libvirtNetKind.parse(
          { ...common, active: yes(active), inactive: netText, ...(active && { live: netText }) },
          netQuestion,
        );
        expect(libvirtNetKind.parse(linesOf(netQuestion, netValue), netQuestion)).toEqual(netValue);
        const domainText = domainXml(undefined, "d", domain);
        const question = { kind: "libvirtDomain", key: "d", facets: [] };
        const state = active ? "running" : "shut off";
        const value = libvirtDomainKind.parse(
          { ...common, saved: "no", state, inactive: domainText, ...(active && { live: domainText }) },
          question,
        );
        expect(libvirtDomainKind.parse(linesOf(question, value), question)).toEqual(value);
      }),
      { numRuns: runs },
    );
  });

  const texts = fc
    .uniqueArray(
      text.filter((one) => one !== ""),
      { maxLength: 3 },
    )
    .map((all) => all.toSorted());
  const overviews: fc.Arbitrary<LibvirtOverview> = fc.record({
    daemon: fc.constantFrom("up" as const, "down" as const, "none" as const),
    problem: word,
    networks: sortedRecord(
      text.filter((one) => one !== ""),
      fc.record({
        bridge: word,
        subnets: fc.constantFrom([], ["10.0.0.1/24"], ["10.0.0.1/24", "10.1.0.1/24"]),
        active: fc.boolean(),
        autostart: fc.boolean(),
      }),
    ),
    domains: sortedRecord(
      text.filter((one) => one !== ""),
      fc.record({ active: fc.boolean(), disks: texts, networks: texts, bridges: texts }),
    ),
    links: sortedRecord(word, fc.constantFrom([], ["10.0.0.1/24"])),
  });

  test("is parsed to the same overview", () => {
    const question = { kind: "libvirt", key: "system", facets: [] };
    fc.assert(
      fc.property(overviews, (value) => {
        const again = libvirtKind.parse(linesOf(question, value), question);
        const sets = (all: LibvirtOverview): unknown =>
          JSON.parse(JSON.stringify(all), (_key, part: unknown) =>
            Array.isArray(part) ? part.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)) : part,
          );
        expect(sets(again)).toEqual(sets(value));
      }),
      { numRuns: runs },
    );
  });
});

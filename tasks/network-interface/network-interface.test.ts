import { describe, expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { before, bridged, network } from "./hosts.cases.ts";
import { cases } from "./network-interface.cases.ts";
import { mayCutOff } from "./carriers.ts";
import { networkInterface } from "./network-interface.ts";
import { params } from "./params.ts";

test("networkInterface meets the task contract and does what each case says", () => {
  expect(contractOf(networkInterface, cases, { folder: "network-interface" })).toEqual([]);
});

describe("networkInterface", () => {
  const own = { name: "eth1", addresses: ["192.0.2.10/24"] };
  const over = { name: "br0", kind: "bridge", ports: ["eth0"], addresses: ["192.0.2.10/24"] };
  test.each([
    { param: "name", given: { ...own, name: "a/b" } },
    { param: "name", given: { ...own, name: "a\nb" } },
    { param: "name", given: { ...own, name: "sixteen-letters-" } },
    { param: "kind", given: { ...own, kind: "brigde" } },
    { param: "addresses", given: { ...own, addresses: ["192.0.2.10"] } },
    { param: "addresses", given: { ...own, addresses: ["192.0.2.256/24"] } },
    { param: "addresses", given: { ...own, addresses: ["192.0.2.10/33"] } },
    { param: "addresses", given: { ...own, addresses: ["192.0.2.0/24"] } },
    { param: "addresses", given: { ...own, addresses: ["192.0.2.255/24"] } },
    { param: "addresses", given: { ...own, addresses: ["192.0.2.10/24", "192.0.2.10/24"] } },
    { param: "gateway", given: { ...own, gateway: "192.0.3.1" } },
    { param: "gateway", given: { ...own, gateway: "192.0.2.10" } },
    { param: "gateway", given: { name: "eth1", gateway: "192.0.2.1" } },
    { param: "gateway", given: { ...own, gateway: "gw" } },
    { param: "routes", given: { ...own, routes: [{ to: "10.0.0.0/8", via: "192.0.3.1" }] } },
    {
      param: "routes",
      given: {
        ...own,
        routes: [
          { to: "10.0.0.1/8", via: "192.0.2.1" },
          { to: "10.0.0.2/8", via: "192.0.2.2" },
        ],
      },
    },
    { param: "routes", given: { ...own, routes: [{ to: "0.0.0.0/0", via: "192.0.2.1" }] } },
    { param: "routes", given: { ...own, routes: [{ to: "::/0", via: "fe80::1" }] } },
    { param: "nameservers", given: { ...own, nameservers: ["dns"] } },
    { param: "mtu", given: { ...own, mtu: 70_000 } },
    { param: "mtu", given: { ...own, mtu: 64 } },
    { param: "mtu", given: { ...own, addresses: ["2001:db8::1/64"], mtu: 1000 } },
    { param: "ports", given: { ...over, ports: ["br0"] } },
    { param: "ports", given: { ...over, ports: ["eth0", "eth0"] } },
    { param: "ports", given: { ...over, kind: "bond", ports: [] } },
    { param: "mode", given: { ...over, kind: "bond", mode: "balance-oxr" } },
    { param: "id", given: { name: "a", kind: "vlan", parent: "eth0", id: 4095 } },
    { param: "parent", given: { name: "a", kind: "vlan", parent: "a", id: 5 } },
    { param: "confirmSeconds", given: { ...own, confirmSeconds: 1 } },
    { param: "renderer", given: { ...own, renderer: "systemd" } },
  ])("refuses the param $param before a host is touched: $given", ({ param, given }) => {
    expect(() => explain(networkInterface(given as never), {})).toThrow(`param "${param}`);
  });

  test("converts addresses to the form that the kernel shows, so that a different spelling is not a change", () => {
    const { addresses, routes } = params.parse({
      name: "eth1",
      addresses: ["2001:DB8:0:0:0::7/64", "192.0.2.10/24"],
      routes: [{ to: "10.1.2.3/8", via: "192.0.2.1" }],
    });
    expect({ addresses, routes }).toEqual({
      addresses: ["2001:db8::7/64", "192.0.2.10/24"],
      routes: [{ to: "10.0.0.0/8", via: "192.0.2.1" }],
    });
  });

  test("arms an undo before it writes, and the undo restores the whole folder", () => {
    const given = { name: "eth1", addresses: ["198.51.100.10/24"] } as const;
    const { steps } = explain(networkInterface(given), before(given));
    expect(steps[0]).toMatchObject({
      argv: ["sh", "-c", expect.any(String), "sh", "network", "600"],
      env: { UNDO_PATHS: "/etc/systemd/network", UNDO_LINKS: "eth1" },
    });
    expect(steps.at(-1)).toEqual({ step: "confirm", undo: "network", withinSeconds: 60 });
  });

  test("names the host's interfaces if the given name is misspelled", () => {
    const { refusal } = explain(networkInterface({ name: "eht1" }), before({ name: "eht1" }));
    expect(refusal).toMatchObject({ message: "the host has no network interface eht1", current: "eth0, eth1" });
  });
});

describe("a change may cut the connection", () => {
  const cuts = (given: object, state = network): boolean => mayCutOff(params.parse(given), state);
  test.each([
    { what: "the interface that carries the connection", given: { name: "eth0" } },
    { what: "a port of the connection's bridge", given: { name: "eth0" }, state: bridged },
    { what: "a bridge that gets this interface as a port", given: { name: "br1", kind: "bridge", ports: ["eth0"] } },
    { what: "a VLAN on this interface", given: { name: "a", kind: "vlan", parent: "eth0", id: 5 } },
    { what: "an interface with the default route", given: { name: "eth1" }, state: { ...network, defaults: ["eth1"] } },
    { what: "another interface that gets a route", given: { name: "eth1", dhcp: true } },
    { what: "another interface that gets an address", given: { name: "eth1", addresses: ["192.0.2.5/29"] } },
    {
      what: "any interface, if the host does not report which one carries the connection",
      given: { name: "eth1" },
      state: { ...network, connection: undefined },
    },
    {
      what: "any interface, if the host does not list the one that carries the connection",
      given: { name: "eth1" },
      state: { ...network, connection: "eth7" },
    },
  ])("$what", ({ given, state }) => {
    expect(cuts(given, state)).toBe(true);
  });

  test("but not if it only touches an unrelated interface without addresses", () => {
    expect(cuts({ name: "eth1" })).toBe(false);
    expect(cuts({ name: "br1", kind: "bridge", ports: ["eth1"] })).toBe(false);
  });
});

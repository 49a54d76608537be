import { expect, test } from "vitest";
import { groupsOf, hostNames, listingOf } from "./hosts.ts";

const machine = (id: string, name: string) => ({ id, name });

test("names a host after its machine's name or id, or both if the name is not unique", () => {
  const machines = [machine("i-1", "web one"), machine("i-2", ""), machine("i-3", "db"), machine("i-4", "db")];
  expect([...hostNames(machines).values()]).toEqual(["web-one", "i-2", "db-i-3", "db-i-4"]);
});

test("names two machines differently if their names differ only in characters that become dashes", () => {
  const machines = [machine("i-1", "web 1"), machine("i-2", "web-1"), machine("i-3", "..")];
  expect([...hostNames(machines).values()]).toEqual(["web-1-i-1", "web-1-i-2", "i-3"]);
});

test("treats a group like any other if its name is also a property of every object", () => {
  const machines = [machine("i-1", "a")];
  const groups = groupsOf(machines, hostNames(machines), () => ["constructor", "__proto__"]);
  expect(Object.entries(groups)).toEqual([
    ["constructor", { hosts: ["a"] }],
    ["__proto__", { hosts: ["a"] }],
  ]);
});

test("lists each host name once in a group", () => {
  const machines = [machine("i-1", "a"), machine("i-2", "b")];
  const groups = groupsOf(machines, hostNames(machines), ({ id }) => [
    "all of:them",
    id === "i-1" ? "one" : undefined,
    "one",
    "",
  ]);
  expect(groups).toEqual({ "all-of-them": { hosts: ["a", "b"] }, one: { hosts: ["a", "b"] } });
});

test("lists running machines with keys, login and vars, and reports machines that are stopped or have no address", () => {
  const machines = ["web", "off", "lost"].map((name) => ({ id: name, name, hostKeys: name === "web" ? ["key"] : [] }));
  const listing = listingOf(machines, {
    idle: ({ name }) => (name === "off" ? "stopped" : undefined),
    address: ({ name }) => (name === "lost" ? "" : "192.0.2.7"),
    tunnel: ({ id }) => (id === "web" ? { sessionManager: { instance: id } } : undefined),
    user: ({ name }) => `${name}-login`,
    vars: ({ id }) => ({ id }),
    groups: () => ["all-of-them"],
  });
  expect(listing).toEqual({
    hosts: {
      web: {
        address: "192.0.2.7",
        tunnel: { sessionManager: { instance: "web" } },
        user: "web-login",
        hostKeys: ["key"],
        vars: { id: "web" },
      },
    },
    groups: { "all-of-them": { hosts: ["web"] } },
    leftOut: [
      { host: "off", reason: "stopped" },
      { host: "lost", reason: "no address" },
    ],
  });
});

test("gives a host the jump host that is set for its machine", () => {
  const machines = ["web", "db"].map((name) => ({ id: name, name, hostKeys: [] }));
  const { hosts } = listingOf(machines, {
    idle: () => undefined,
    address: () => "10.0.0.7",
    tunnel: () => undefined,
    proxyJump: ({ id }) => (id === "db" ? "gate" : undefined),
    user: undefined,
    vars: () => ({}),
    groups: () => [],
  });
  expect(hosts).toEqual({
    web: { address: "10.0.0.7", vars: {} },
    db: { address: "10.0.0.7", proxyJump: "gate", vars: {} },
  });
});

import { describe, expect, it } from "vitest";
import type { FurrowError } from "../../core/errors.ts";
import type { InventoryDefinition } from "../../core/inventory/inventory.ts";
import { checkInventory } from "./inventory-check.ts";

function failureOf(definition: unknown): FurrowError["failure"] {
  try {
    checkInventory(definition as InventoryDefinition, "inventory.ts", "/x/inventory.ts:3:16");
  } catch (error) {
    return (error as FurrowError).failure;
  }
  throw new Error("the inventory was accepted");
}

describe("checkInventory", () => {
  it("accepts what the types allow", () => {
    const definition: InventoryDefinition = {
      user: "root",
      hosts: {
        web1: { port: 22, vars: { a: undefined } },
        "db-1.example": {},
        v6: { address: "2001:db8::7" },
        loop: { address: "::1" },
        link: { address: "fe80::1%eth0" },
      },
      groups: { web: { hosts: ["web1"], groups: ["inner"], become: { method: "su" } }, inner: {} },
    };
    expect(() => checkInventory(definition, "i", undefined)).not.toThrow();
  });

  it.each<[string, unknown, string, string]>([
    [
      "a misspelled setting",
      { hosts: { a: { adress: "x" } } },
      '"hosts.a.adress" is not a known setting',
      'Write "address" instead',
    ],
    [
      "a setting by the name that Ansible gives it",
      { hosts: { a: { connection: "local" } } },
      '"hosts.a.connection" is not a known setting',
      'Write "transport" instead of "connection"',
    ],
    [
      "a var as a setting",
      { hosts: { a: { colour: 1 } } },
      '"hosts.a.colour" is not a known setting',
      "Put values for playbooks",
    ],
    [
      "an address with a mask",
      { hosts: { a: { address: "203.0.113.10/32" } } },
      '"hosts.a.address" has a wrong value',
      "one address without a prefix length",
    ],
    [
      "an address with a port",
      { hosts: { a: { address: "127.78.0.1:2222" } } },
      '"hosts.a.address" has a wrong value',
      'Set address: "127.78.0.1", port: 2222',
    ],
    [
      "an address with a user",
      { hosts: { a: { address: "root@127.78.0.1" } } },
      '"hosts.a.address" has a wrong value',
      'Set address: "127.78.0.1", user: "root"',
    ],
    [
      "an IPv6 address with a port",
      { hosts: { a: { address: "root@[2001:db8::7]:22" } } },
      '"hosts.a.address" has a wrong value',
      'Set address: "2001:db8::7", user: "root", port: 22',
    ],
    ["a wrong port", { hosts: { a: { port: "22" } } }, '"hosts.a.port" has a wrong value', "a port number"],
    ["no hosts", {}, '"hosts" is missing', "hosts by name"],
    ["a list of hosts", { hosts: ["a"] }, '"hosts" has a wrong value', "hosts by name"],
    ["a plain password", { hosts: { a: { password: "x" } } }, '"hosts.a.password" has a wrong value', "a secret"],
    [
      "an unknown member",
      { hosts: { web1: {} }, groups: { g: { hosts: ["wep1"] } } },
      'the host "wep1"',
      'Write "web1"',
    ],
    [
      "an unknown group",
      { hosts: { a: {} }, groups: { g: { groups: ["outside"] } } },
      'the group "outside"',
      'Add "outside" to groups',
    ],
    [
      "a host that a group names twice",
      { hosts: { a: {}, b: {} }, groups: { g: { hosts: ["a", "b", "a"] } } },
      'group "g" names the host "a" twice',
      "Remove one",
    ],
    [
      "groups that contain each other",
      { hosts: {}, groups: { g: { groups: ["h"] }, h: { groups: ["g"] } } },
      "g > h > g",
      "Remove one",
    ],
    ["a host and a group with the same name", { hosts: { a: {} }, groups: { a: {} } }, '"a" is both', "Rename"],
    ["a host named all", { hosts: { all: {} } }, 'named "all"', "top level"],
    ["a pattern as a name", { hosts: { "web[1:3]": {} } }, "cannot be the name", "Rename"],
  ])("refuses %s", (_name, definition, what, hint) => {
    const failure = failureOf(definition);
    expect(failure.what).toContain(what);
    expect(failure.hint).toContain(hint);
    expect(failure.where?.source).toBe("/x/inventory.ts:3:16");
  });

  it.each<[string, unknown]>([
    ["a list of hosts", { hosts: [{ name: "web1", vars: { apiToken: "hunter2" } }] }],
    ["a list of groups", { hosts: { a: {} }, groups: [{ name: "g", vars: { db: { password: "hunter2" } } }] }],
    ["vars in a list", { hosts: { a: { vars: [{ secret: "hunter2" }] } } }],
  ])("does not show the secrets inside a value of the wrong shape: %s", (_name, definition) => {
    const said = JSON.stringify(failureOf(definition));
    expect(said).toContain("(not shown)");
    expect(said).not.toContain("hunter2");
  });
});

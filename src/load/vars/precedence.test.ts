import { describe, expect, it } from "vitest";
import { behind, groupOrder, mergeHosts, noCommandLine, valuesOf } from "./precedence.ts";

const definition = {
  user: "root",
  vars: { level: "inventory", keep: 1 },
  hosts: { web1: { port: 2222, vars: { level: "host" } }, web2: {} },
  groups: {
    site: { groups: ["web"], user: "deploy", vars: { level: "site", list: ["a"], site: true } },
    web: { hosts: ["web1", "web2"], become: { method: "doas" as const }, vars: { level: "web", list: ["b"] } },
    alpha: { hosts: ["web1"], vars: { first: "alpha" } },
    beta: { hosts: ["web1"], vars: { first: "beta" } },
  },
};

describe("mergeHosts", () => {
  it("lets inner groups override outer ones and the host override groups, and records the origin", () => {
    const [web1, web2] = mergeHosts(definition);
    expect(web1?.groups).toEqual(["alpha", "beta", "site", "web"]);
    expect(web1?.vars).toEqual({
      level: { value: "host", origin: "host web1" },
      keep: { value: 1, origin: "inventory" },
      list: { value: ["b"], origin: "group web" },
      site: { value: true, origin: "group site" },
      first: { value: "beta", origin: "group beta" },
    });
    expect(web2?.vars["level"]).toEqual({ value: "web", origin: "group web" });
    expect(web1?.connection).toEqual({
      user: { value: "deploy", origin: "group site" },
      "become.method": { value: "doas", origin: "group web" },
      port: { value: 2222, origin: "host web1" },
    });
  });

  it("lets the command line override everything", () => {
    const vars = { level: { value: "flag", origin: "--var" } };
    const [web1] = mergeHosts(definition, { ...noCommandLine, vars });
    expect(web1?.vars["level"]).toEqual({ value: "flag", origin: "--var" });
  });
});

describe("behind", () => {
  it("connects through the jump host with that host's keys and transport, but not its user", () => {
    const [front, inner] = mergeHosts({
      hosts: {
        front: { transport: "openssh", address: "192.0.2.7", user: "admin", identityFile: "k", vars: { zone: "a" } },
        inner: { address: "10.0.0.2" },
      },
    });
    const host = behind(front!, inner!);
    expect(valuesOf(host.connection)).toEqual({
      transport: "openssh",
      identityFile: "k",
      address: "10.0.0.2",
      proxyJump: "front",
    });
    expect(valuesOf(host.vars)).toEqual({ zone: "a" });
    const password = { value: "secret", origin: "host inner" };
    const asked = behind(front!, { ...inner!, connection: { ...inner!.connection, password } });
    expect(asked.connection).not.toHaveProperty("transport");
  });

  it("does not inherit the tunnel of the jump host", () => {
    const tunnel = { sessionManager: { instance: "i-0123456789abcdef0" } };
    const [front, inner] = mergeHosts({ hosts: { front: { tunnel }, inner: { address: "10.0.0.2" } } });
    expect(valuesOf(behind(front!, inner!).connection)).toEqual({ address: "10.0.0.2", proxyJump: "front" });
  });

  it("offers a generated key in addition to the jump host's keys, and keeps the transport although the host has a password", () => {
    const [front, inner] = mergeHosts({
      hosts: {
        front: { transport: "openssh", address: "192.0.2.7", identityFile: ["k", "l"] },
        inner: { address: "10.0.0.2", identityFile: "generated:node key" },
      },
    });
    const password = { value: "secret", origin: "host inner" };
    const host = behind(front!, { ...inner!, connection: { ...inner!.connection, password } });
    expect(valuesOf(host.connection)).toMatchObject({
      transport: "openssh",
      identityFile: ["generated:node key", "k", "l"],
    });
  });
});

describe("groupOrder", () => {
  it("puts every group before its subgroups, then sorts by name", () => {
    const groups = { z: { groups: ["m"] }, m: { groups: ["a"] }, a: {}, b: {} };
    expect(groupOrder(groups)).toEqual(["b", "z", "m", "a"]);
  });
});

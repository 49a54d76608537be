import { describe, expect, test } from "vitest";
import { absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { libvirtDomain, libvirtDomainKind } from "./domain.ts";
import { domainXml } from "./domain-xml.ts";
import { libvirtNet, libvirtNetKind } from "./net.ts";
import { netXml } from "./net-xml.ts";
import { libvirtKind, type LibvirtOverview } from "./overview.ts";

const user = { user: "root" };
const question = { kind: "x", key: "x", facets: [] };

describe("a host without virsh", () => {
  test("has no networks and no domains", async () => {
    const env = { PATH: "/nonexistent" };
    const shell = ["/bin/sh", "-c"];
    expect((await readKind([libvirtNet("a"), libvirtNet("b")], { env, shell })).map(({ value }) => value)).toEqual([
      absent,
      absent,
    ]);
    expect((await readKind([libvirtDomain("a")], { env, shell }))[0]?.value).toBe(absent);
  });
});

describe("a predicted network", () => {
  const wanted = {
    bridge: "virbr1",
    address: "10.0.0.1/24",
    active: true,
    autostart: true,
    live: { bridge: "virbr1" },
  };

  test("is complete for a new network, with an unknown UUID", () => {
    expect(libvirtNetKind.predict?.(absent, wanted, user)).toMatchObject({
      ...wanted,
      domain: "",
      dhcp: { ranges: [], hosts: {} },
      persistent: true,
      uuid: knownAfterApply,
      xml: knownAfterApply,
    });
  });

  test("loses a removed reservation, and has no live configuration once it is stopped", () => {
    const dhcp = { hosts: { a: { ip: "10.0.0.2", name: "" }, b: { ip: "10.0.0.3", name: "" } } };
    const inactive = netXml(undefined, "n", { bridge: "virbr1", address: "10.0.0.1/24", dhcp });
    const before = libvirtNetKind.parse(
      { active: "yes", autostart: "yes", persistent: "yes", inactive, live: inactive },
      question,
    );
    const after = libvirtNetKind.predict?.(before, { active: false, dhcp: { hosts: { a: absent } } }, user);
    expect(after).toMatchObject({ active: false, live: absent, address: "10.0.0.1/24", ports: [] });
    expect(after).toHaveProperty("dhcp.hosts", { b: dhcp.hosts.b });
  });

  test("is unknown if its state is unknown, and absent if it is removed", () => {
    expect(libvirtNetKind.predict?.(knownAfterApply, { active: true }, user)).toMatchObject({
      active: true,
      bridge: knownAfterApply,
    });
    expect(libvirtNetKind.predict?.(knownAfterApply, absent, user)).toBe(absent);
  });
});

describe("a predicted domain", () => {
  const config = { memoryMiB: 512, vcpus: 1, disks: {}, interfaces: {}, serial: true };
  const inactive = domainXml(undefined, "d", config);
  const read = (state: string): Parameters<NonNullable<typeof libvirtDomainKind.predict>>[0] =>
    libvirtDomainKind.parse(
      {
        state,
        autostart: "no",
        persistent: "yes",
        saved: "no",
        inactive,
        ...(state === "running" && { live: inactive }),
      },
      question,
    );

  test.each<[string, ReturnType<typeof read>, object, object]>([
    [
      "runs with the requested configuration if it is new and starts",
      absent,
      { ...config, state: "running" },
      { memoryMiB: 512 },
    ],
    ["loads the change if it is started", read("shut off"), { memoryMiB: 1024, state: "running" }, { memoryMiB: 1024 }],
    [
      "keeps its live configuration if it is already running",
      read("running"),
      { memoryMiB: 1024, state: "running" },
      { memoryMiB: 512 },
    ],
  ])("%s", (_what, before, wanted, live) => {
    expect(libvirtDomainKind.predict?.(before, wanted, user)).toMatchObject({ ...wanted, live });
  });

  test("has no live configuration if it is stopped", () => {
    expect(libvirtDomainKind.predict?.(read("running"), { state: "shut off" }, user)).toMatchObject({ live: absent });
    expect(libvirtDomainKind.predict?.(knownAfterApply, { state: "running" }, user)).toMatchObject({
      live: knownAfterApply,
    });
  });
});

describe("a predicted overview", () => {
  const net = { bridge: "virbr0", subnets: ["10.0.0.1/24"], active: true, autostart: true };
  const before: LibvirtOverview = {
    daemon: "up",
    problem: "",
    networks: { default: net },
    domains: {},
    links: { eth0: [], virbr0: ["10.0.0.1/24"] },
  };

  test("loses the bridge with its network, whether the network stops or is removed", () => {
    for (const gone of [absent, { active: false }]) {
      const after = libvirtKind.predict?.(before, { networks: { default: gone } }, user);
      expect(after?.links).toEqual({ eth0: [] });
    }
  });

  test("keeps the bridge if the network stays, and includes new networks", () => {
    const other = { ...net, bridge: "virbr1" };
    const after = libvirtKind.predict?.(before, { networks: { other } }, user);
    expect(after).toEqual({ ...before, networks: { default: net, other } });
  });
});

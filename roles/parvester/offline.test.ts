import { describe, expect, test } from "vitest";
import { FurrowError, type PlayContext } from "../../src/authoring.ts";
import { exampleVars, parvesterExample } from "./parvester.fixture.ts";
import { type Parvester, parvesterSchema } from "./parvester.ts";
import { refuseHosts, refuseTaken } from "./refuse-hosts.ts";

const vm1 = exampleVars.machines.vm1;
const withNic = (nic: object): object => ({ machines: { vm1: { ...vm1, nics: [{ ...vm1.nics[0], ...nic }] } } });
const bridges = (bridge: object, other: object = {}): object => ({ bridges: { br0: bridge, ...other } });

describe("vars that are refused before any host is contacted; the error names the var and what is expected", () => {
  test.each<[string, object, string, RegExp]>([
    ["a release without its number", { version: "v1.28.11" }, "version", /a release of RKE2, like/],
    ["a release of Kubernetes as a number", { version: 1.28 }, "version", /a release of RKE2, like/],
    ["an address with a number over 255", { serverAddress: "10.0.0.300" }, "serverAddress", /an address, like/],
    ["a name in the certificate with a port", { tlsSan: ["a.example:6443"] }, "tlsSan.0", /without a port/],
    [
      "a gateway in another network",
      withNic({ gateway: "10.9.9.1" }),
      "machines.vm1.nics.0.gateway",
      /in the network of/,
    ],
    [
      "a card that is its own gateway",
      withNic({ gateway: "192.168.101.11" }),
      "machines.vm1.nics.0.gateway",
      /an address other than/,
    ],
    [
      "a broadcast address",
      withNic({ address: "192.168.101.255/24" }),
      "machines.vm1.nics.0.address",
      /broadcast address/,
    ],
    ["an address without a prefix", withNic({ address: "192.168.101.11" }), "machines.vm1.nics.0.address", /prefix/],
    [
      "a bridge with an address without a prefix",
      bridges({ ports: ["eth1"], addresses: ["10.0.0.11"] }),
      "bridges.br0.addresses.0",
      /prefix length/,
    ],
    [
      "a bridge with a gateway and no address",
      bridges({ ports: ["eth1"], gateway: "10.0.1.1" }),
      "bridges.br0.gateway",
      /^no router, or an address for br0 in the network of 10\.0\.1\.1$/,
    ],
    [
      "a bridge that no network uses",
      bridges({ ports: ["eth1"] }, { br1: { ports: ["eth2"] } }),
      "bridges.br1",
      /^the bridge of a network: br0$/,
    ],
    [
      "a bridge with a gateway in another network",
      bridges({ ports: ["eth1"], addresses: ["10.0.0.11/24"], gateway: "10.0.1.1" }),
      "bridges.br0.gateway",
      /is in none of 10\.0\.0\.11\/24/,
    ],
    [
      "a bridge with a port whose name has a space",
      bridges({ ports: ["eth 1"] }),
      "bridges.br0.ports.0",
      /network interface/,
    ],
    [
      "an interface that is a port twice",
      {
        ...bridges({ ports: ["eth1"] }, { br1: { ports: ["eth1"] } }),
        networks: { lan: { bridge: "br0" }, wan: { bridge: "br1" } },
      },
      "bridges.br1.ports.0",
      /not a port of br0/,
    ],
    [
      "an image from a URL whose content changes",
      { images: { fedora: { source: "https://example.org/latest.qcow2", size: "10Gi" } } },
      "images.fedora.source",
      /one release of an image/,
    ],
  ])("%s", (_what, others, path, message) => {
    const issues = parvesterSchema.safeParse({ ...exampleVars, ...others }).error?.issues ?? [];
    expect(issues.map((issue) => issue.path.join("."))).toEqual([path]);
    expect(issues[0]?.message).toMatch(message);
  });

  test("a bridge with every possible field, and a card with a 32-bit prefix, are accepted", () => {
    const bridge = { ports: ["eth1"], addresses: ["10.0.0.11/24"], gateway: "10.0.0.1", nameservers: ["10.0.0.1"] };
    const all = [
      bridges({ ...bridge, mtu: 9000, confirmSeconds: 90 }),
      bridges({ ports: ["eth1"], dhcp: true }),
      withNic({ address: "192.168.101.11/32" }),
    ];
    for (const others of all) expect(parvesterSchema.safeParse({ ...exampleVars, ...others }).error).toBeUndefined();
  });
});

describe("an inventory that does not fit the vars", () => {
  type Hosts = PlayContext<Parvester>["allHosts"];
  const hosts = (...all: readonly Partial<Hosts[number]>[]): Hosts =>
    all.map((one, index) => ({ name: `node-${index + 1}`, address: `10.0.0.${index + 1}`, groups: [], index, ...one }));
  const errorOf = (act: () => void): FurrowError["failure"] | undefined => {
    try {
      act();
      return undefined;
    } catch (error) {
      if (error instanceof FurrowError) return error.failure;
      throw error;
    }
  };
  const vars = parvesterExample();

  test.each<[string, Hosts, object, string]>([
    ["a name that no node can have", hosts({ name: "Node_1" }), {}, "Node_1 cannot be the name of a node"],
    [
      "agents only",
      hosts({ groups: ["agents"] }),
      {},
      "all hosts are in the group agents, so no host would be a server",
    ],
    [
      "two hosts with the same address",
      hosts({ name: "node-1", address: "10.0.0.11" }, { name: "node-2", address: "10.0.0.11" }),
      {},
      "node-1 and node-2 have the same address",
    ],
    [
      "two hosts with the same IPv6 address in two spellings",
      hosts({ name: "node-1", address: "fd00::11" }, { name: "node-2", address: "FD00:0:0:0::0011" }),
      {},
      "node-1 and node-2 have the same address",
    ],
    [
      "a node that is not in the inventory",
      hosts({}),
      { node: "node-7" },
      'the var "node" is not a host of the inventory',
    ],
  ])("is refused: %s", (_what, allHosts, more, what) => {
    const own = { ...vars, ...more };
    expect(errorOf(() => refuseHosts({ vars: own, allHosts }))).toMatchObject({ what });
    expect(errorOf(() => refuseHosts({ vars, allHosts: hosts({}, { groups: ["agents"] }) }))).toBeUndefined();
  });

  test("is refused: a machine with the address of a host, of the cluster or of a node", () => {
    const allHosts = hosts({});
    expect(errorOf(() => refuseTaken({ vars, allHosts: hosts({ address: "192.168.101.11" }) }))).toMatchObject({
      what: 'the address in the var "machines.vm1.nics.0.address" is already taken: the host node-1 has it',
      current: "192.168.101.11/24",
    });
    expect(errorOf(() => refuseTaken({ vars, allHosts: hosts({ address: "192.168.101.12" }) }))).toBeUndefined();
    for (const name of ["serverAddress", "nodeIp"])
      expect(errorOf(() => refuseTaken({ vars: { ...vars, [name]: "192.168.101.11" }, allHosts }))?.what).toMatch(name);
    expect(errorOf(() => refuseTaken({ vars, allHosts }))).toBeUndefined();
  });
});

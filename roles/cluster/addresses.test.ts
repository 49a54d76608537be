import { expect, test } from "vitest";
import { clusterSchema } from "./cluster.ts";

const given = { disks: ["/dev/a"], nodes: 3, token: "t", password: "p" };
const issues = (vars: object): string[] =>
  clusterSchema
    .safeParse({ ...given, ...vars })
    .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test.each([
  [
    "a virtual address that is a node's",
    { vip: "192.168.130.12" },
    "network.vip: an address other than 192.168.130.12, which the node harvester-2 gets",
  ],
  [
    "a first node that gives another node the virtual address",
    { firstNode: "192.168.130.118" },
    "network.vip: an address other than 192.168.130.120, which the node harvester-3 gets",
  ],
  [
    "a first node that gives another node the broadcast address",
    { firstNode: "192.168.130.253" },
    "network.firstNode: another address, because harvester-3 would get 192.168.130.255, but machines in 192.168.130.0/24 can only have addresses from 192.168.130.1 to 192.168.130.254",
  ],
  [
    "a first node that puts another node outside the subnet",
    { firstNode: "192.168.130.254" },
    "network.firstNode: another address, because harvester-2 would get 192.168.130.255, but machines in 192.168.130.0/24 can only have addresses from 192.168.130.1 to 192.168.130.254",
  ],
  [
    "a first node that gives another node the host's own address",
    { address: "192.168.130.13" },
    "network.firstNode: another address, because harvester-3 would get 192.168.130.13, but the host (network.address) has that address too",
  ],
  [
    "the broadcast address as the virtual address",
    { vip: "192.168.130.255" },
    "network.vip: an address in 192.168.130.0/24, from 192.168.130.1 to 192.168.130.254, that is not the host's own",
  ],
  [
    "the subnet's own address as the host's",
    { address: "192.168.130.0" },
    "network.address: an address in 192.168.130.0/24, from 192.168.130.1 to 192.168.130.254",
  ],
])("refuses %s", (_, network, says) => {
  expect(issues({ network })).toEqual([says]);
});

test("refuses two nodes with the same address, if one is adopted", () => {
  const adopted = [{ mac: "52:54:00:ab:cd:ef", address: "192.168.130.12" }];
  expect(issues({ adopted })).toEqual([
    "network.firstNode: another address, because harvester-2 would get 192.168.130.12, but the node harvester-1 has that address too",
  ]);
  expect(issues({ adopted: [{ mac: "52:54:00:ab:cd:ef", address: "10.0.0.7" }] })[0]).toContain(
    "adopted.0.address: another address, because harvester-1 would get 10.0.0.7",
  );
});

test("a removed node has no address", () => {
  expect(issues({ network: { vip: "192.168.130.12" }, removedNodes: [2] })).toEqual([]);
});

test.each([
  [{ prefix: 33 }, ["network.prefix: a prefix length from 16 to 29"]],
  [{ prefix: 0 }, ["network.prefix: a prefix length from 16 to 29"]],
  [{ prefix: -1 }, ["network.prefix: a prefix length from 16 to 29"]],
  [{ prefix: 20.5 }, ["network.prefix: a prefix length from 16 to 29"]],
  [{ prefix: "24" }, ["network.prefix: a prefix length from 16 to 29"]],
  [{ address: "192.168.130" }, ["network.address: an IPv4 address, like 192.168.130.1"]],
])("reports a wrong value of the network instead of throwing: %j", (network, says) => {
  expect(issues({ network })).toEqual(says);
});

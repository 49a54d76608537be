import { expect, test } from "vitest";
import { clusterNodes, clusterSchema } from "./cluster.ts";
import { artifactsBelow, releaseOf } from "./releases.ts";

const given = { disks: ["/dev/disk/by-id/a"], token: "t", password: "p" };

test("defaults to one small node under KVM if only disks and secrets are given", () => {
  const cluster = clusterSchema.parse(given);
  expect(cluster).toMatchObject({ version: "v1.8.1", nodes: 1, size: "small", emulation: "kvm", firmware: "uefi" });
  expect(clusterNodes(cluster)).toEqual([
    {
      index: 1,
      name: "harvester-1",
      mac: "52:54:00:68:76:01",
      address: "192.168.130.11",
      device: "/dev/disk/by-id/a",
      mountPoint: "/mnt/datadisk1",
      role: "default",
      extraDisks: [],
      processors: 8,
      memoryMiB: 32_768,
      diskGiB: 315,
    },
  ]);
});

test("gives three nodes consecutive addresses, MACs and names", () => {
  const nodes = clusterNodes(clusterSchema.parse({ ...given, nodes: 3, prefix: "lab" }));
  expect(nodes.map(({ name, mac, address }) => [name, mac, address])).toEqual([
    ["lab-1", "52:54:00:68:76:01", "192.168.130.11"],
    ["lab-2", "52:54:00:68:76:02", "192.168.130.12"],
    ["lab-3", "52:54:00:68:76:03", "192.168.130.13"],
  ]);
});

test.each([
  { wrong: { nodes: 2 }, says: "1, 3 or 5" },
  { wrong: { version: "1.8.1" }, says: "a Harvester version" },
  { wrong: { prefix: "Harvester" }, says: "RFC 1123" },
  { wrong: { prefix: "My_Cluster" }, says: "RFC 1123" },
  { wrong: { adopted: [{ mac: "52:54", address: "192.168.130.9" }] }, says: "a MAC address" },
  {
    wrong: {
      adopted: [
        { mac: "52:54:00:00:00:01", address: "192.168.130.9" },
        { mac: "52:54:00:00:00:02", address: "192.168.130.8" },
      ],
    },
    says: "one for each node",
  },
  { wrong: { network: { vip: "10.0.0.1" } }, says: "192.168.130.0/24" },
  { wrong: { network: { vip: "192.168.130.1" } }, says: "not the host's own" },
  { wrong: { disks: ["sdb"] }, says: "absolute path" },
  { wrong: { nodes: 4 }, says: "1, 3 or 5" },
  { wrong: { witness: true }, says: "the third of 3 nodes" },
  { wrong: { witness: true, nodes: 5 }, says: "the third of 3 nodes" },
  { wrong: { firmware: "bios" }, says: "Harvester v1.8.1 supports no other firmware" },
  { wrong: { nodes: 3, ready: false }, says: "the first node must answer" },
  { wrong: { extraDisks: [{ node: 2, device: "/dev/disk/by-id/b" }] }, says: "nodes from 1 to 1" },
  { wrong: { config: { system_settings: { colour: "green" } } }, says: "a Harvester setting" },
  { wrong: { config: { os: { persistent_state_paths: ["/tmp/x"] } } }, says: "not below /tmp" },
  { wrong: { config: { os: { labels: { zone: "a b" } } } }, says: "the value of a label" },
  { wrong: { rancher: { url: "rancher.example.com", token: "t" } }, says: "the URL of Rancher" },
  { wrong: { mirror: "ftp://x" }, says: "a URL for the artifacts" },
  { wrong: { exposure: { from: ["everybody"] } }, says: "a subnet" },
  {
    wrong: {
      artifacts: {
        kernel: { url: "http://x/k" },
        initrd: { url: "http://x/i" },
        rootfs: { url: "http://x/r" },
        iso: { url: "http://x/o" },
      },
    },
    says: "checksum",
  },
])("refuses $wrong", ({ wrong, says }) => {
  const result = clusterSchema.safeParse({ ...given, ...wrong });
  expect(JSON.stringify(result.error?.issues)).toContain(says);
});

test("always makes five nodes small, unless the size is custom", () => {
  const disks = ["/dev/a", "/dev/b", "/dev/c", "/dev/d", "/dev/e"];
  expect(clusterNodes(clusterSchema.parse({ ...given, disks, nodes: 5, size: "medium" }))[4]).toMatchObject({
    memoryMiB: 32_768,
  });
  const own = { processors: 1, memoryMiB: 512, diskGiB: 2 };
  expect(clusterNodes(clusterSchema.parse({ ...given, disks, nodes: 5, size: own }))[4]).toMatchObject(own);
});

test("keeps the addresses of adopted nodes, and gives additional nodes furrow's addresses", () => {
  const adopted = [{ mac: "52:54:00:AB:CD:EF", address: "192.168.130.201" }];
  const nodes = clusterNodes(clusterSchema.parse({ ...given, nodes: 3, adopted }));
  expect(nodes.map(({ mac, address }) => [mac, address])).toEqual([
    ["52:54:00:ab:cd:ef", "192.168.130.201"],
    ["52:54:00:68:76:02", "192.168.130.12"],
    ["52:54:00:68:76:03", "192.168.130.13"],
  ]);
});

test("makes the third of three nodes the witness, and gives a node's extra disks names that never change", () => {
  const cluster = clusterSchema.parse({
    ...given,
    nodes: 3,
    witness: true,
    extraDisks: [
      { node: 2, device: "/dev/x" },
      { node: 1, device: "/dev/y" },
      { node: 2, device: "/dev/z", sizeGiB: 50 },
    ],
  });
  expect(
    clusterNodes(cluster).map(({ role, extraDisks }) => [role, extraDisks.map((disk) => disk.mountPoint)]),
  ).toEqual([
    ["default", ["/mnt/datadisk1-2"]],
    ["default", ["/mnt/datadisk2-2", "/mnt/datadisk2-3"]],
    ["witness", []],
  ]);
  const wwns = clusterNodes(cluster).flatMap(({ extraDisks }) => extraDisks.map(({ wwn }) => wwn));
  expect(wwns).toEqual(["5000c50015687612", "5000c50015687622", "5000c50015687623"]);
});

test.each([
  ["v1.4.3", ["uefi", "bios"], "url"],
  ["v1.7.3", ["uefi", "bios"], "url"],
  ["v1.8.0", ["uefi"], "json"],
  ["v1.10.0-rc1", ["uefi"], "json"],
  ["v2.0.0", ["uefi"], "json"],
])("boots %s by %s and registers it by %s", (version, firmware, registration) => {
  expect(releaseOf(version)).toMatchObject({ firmware, registration });
});

test("replaces {version} in a mirror's URL with the version", () => {
  expect(artifactsBelow("http://mirror/h/{version}/", "v9.9.9")).toMatchObject({
    iso: { url: "http://mirror/h/v9.9.9/harvester-v9.9.9-amd64.iso" },
    checksums: "http://mirror/h/v9.9.9/harvester-v9.9.9-amd64.sha512",
  });
});

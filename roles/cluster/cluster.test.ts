import { expect, test } from "vitest";
import { clusterNodes, clusterSchema } from "./cluster.ts";

const given = { disks: ["/dev/disk/by-id/a"], token: "t", password: "p" };

test("a cluster with nothing but disks and secrets is one small node under KVM", () => {
  const cluster = clusterSchema.parse(given);
  expect(cluster).toMatchObject({ version: "v1.8.1", nodes: 1, size: "small", emulation: "kvm", firmware: "uefi" });
  expect(clusterNodes(cluster)).toEqual([
    {
      index: 1,
      name: "harvester-1",
      mac: "52:54:00:68:76:01",
      address: "192.168.130.11",
      mountPoint: "/mnt/datadisk1",
      processors: 8,
      memoryMiB: 32_768,
      diskGiB: 315,
    },
  ]);
});

test("three nodes have addresses, MACs and names that follow one another", () => {
  const nodes = clusterNodes(clusterSchema.parse({ ...given, nodes: 3, prefix: "lab" }));
  expect(nodes.map(({ name, mac, address }) => [name, mac, address])).toEqual([
    ["lab-1", "52:54:00:68:76:01", "192.168.130.11"],
    ["lab-2", "52:54:00:68:76:02", "192.168.130.12"],
    ["lab-3", "52:54:00:68:76:03", "192.168.130.13"],
  ]);
});

test.each([
  { wrong: { nodes: 2 }, says: "nodes" },
  { wrong: { version: "1.8.1" }, says: "a Harvester version" },
  { wrong: { prefix: "Harvester" }, says: "RFC 1123" },
  { wrong: { network: { vip: "10.0.0.1" } }, says: "192.168.130.0/24" },
  { wrong: { network: { vip: "192.168.130.1" } }, says: "not the host's own" },
  { wrong: { disks: ["sdb"] }, says: "absolute path" },
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

import { expect, test } from "vitest";
import addDisk from "../../playbooks/harvester-add-disk.ts";
import addNode from "../../playbooks/harvester-add-node.ts";
import console_ from "../../playbooks/harvester-console.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import status from "../../playbooks/harvester-status.ts";
import harvester from "../../playbooks/harvester.ts";
import { playbook, secret } from "../../src/authoring.ts";
import { checkVars } from "../../src/load/vars/check-vars.ts";
import { mergeHosts, type Settings } from "../../src/load/vars/precedence.ts";
import { clusterNodes, clusterSchema, preparedSchema } from "./cluster.ts";
import { artifactsBelow, releaseOf } from "./releases.ts";

/** A static address for the first node. */
const fixed = {
  method: "static",
  ip: "192.168.130.11",
  subnetMask: "255.255.255.0",
  gateway: "192.168.130.1",
};
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
  { wrong: { version: "v1.8.1garbage/../x" }, says: "a Harvester version" },
  { wrong: { version: "v1.8.1-rc1/.." }, says: "a Harvester version" },
  { wrong: { version: "v1.8.1\n" }, says: "a Harvester version" },
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
  { wrong: { removedNodes: [3] }, says: "an empty list, because a cluster of one node" },
  { wrong: { removedNodes: [1] }, says: "an empty list, because a cluster of one node" },
  { wrong: { nodes: 4 }, says: "1, 3 or 5" },
  { wrong: { witness: true }, says: "the third of 3 nodes" },
  { wrong: { witness: true, nodes: 5 }, says: "the third of 3 nodes" },
  { wrong: { firmware: "bios" }, says: "Harvester v1.8.1 supports no other firmware" },
  { wrong: { nodes: 3, ready: false }, says: "the first node must answer" },
  { wrong: { extraDisks: [{ node: 2, device: "/dev/disk/by-id/b" }] }, says: "nodes from 1 to 1" },
  { wrong: { config: { system_settings: { colour: "green" } } }, says: "a Harvester setting" },
  { wrong: { config: { os: { persistent_state_paths: ["/tmp/x"] } } }, says: "not below /tmp" },
  { wrong: { config: { os: { labels: { zone: "a b" } } } }, says: "the value of a label" },
  { wrong: { config: { os: { hostname: "a" } } }, says: "no hostname: set `prefix` instead" },
  { wrong: { config: { install: { isoUrl: "http://a/b" } } }, says: "no isoUrl: set `version`" },
  {
    wrong: { nodes: 3, disks: ["/dev/a", "/dev/b", "/dev/c"], config: { install: { managementInterface: fixed } } },
    says: "each node has a reserved address",
  },
  { wrong: { rancher: { url: "rancher.example.com", token: "t" } }, says: "the URL of Rancher" },
  { wrong: { mirror: "ftp://x" }, says: "a URL for the artifacts" },
  { wrong: { exposure: { from: ["everybody"] } }, says: "a subnet" },
  { wrong: { exposure: { from: [] } }, says: "omit `from` for everyone, or set `exposure: false` for nobody" },
  { wrong: { exposure: { ports: [] } }, says: "set `exposure: false` to forward none" },
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

test.each([
  { wrong: { prefix: "Harvester_1" }, path: ["prefix"] },
  { wrong: { version: "v1.8", firmware: "bios" }, path: ["version"] },
  { wrong: { exposure: { from: ["203.0.113.7/24"] } }, path: ["exposure", "from", 0] },
])("reports $wrong once, and nothing that only follows from it", ({ wrong, path }) => {
  const result = clusterSchema.safeParse({ ...given, ...wrong });
  expect(result.error?.issues.map((issue) => issue.path)).toEqual([path]);
});

test("names the subnet of an address with a prefix length", () => {
  const result = clusterSchema.safeParse({ ...given, exposure: { from: ["203.0.113.7/24", "10.0.0.0/8"] } });
  expect(result.error?.issues[0]?.message).toBe("the subnet 203.0.113.0/24, or 203.0.113.7/32 for one address");
});

test.each([
  ["os.hostname", { os: { hostname: "x" } }, "set `prefix` instead"],
  ["install.vip", { install: { vip: "192.168.130.9" } }, "set `network.vip` instead"],
  ["os.ssh_authorized_keys", { os: { ssh_authorized_keys: ["k"] } }, "set `sshAuthorizedKeys` instead"],
  ["token", { token: "abcdefgh" }, "set the var `token` instead"],
])("names the var to set for config.%s, and does not suggest omitting config", async (path, config, says) => {
  const book = { path: "harvester.ts", playbook: playbook({ name: "Harvester", vars: clusterSchema, plays: [] }) };
  const given_ = Object.entries({ ...given, config }).map(([name, value]) => [name, { value, origin: "--var" }]);
  const hosts = mergeHosts({ hosts: { metal: {} } }, { vars: Object.fromEntries(given_) as Settings, connection: {} });
  await expect(checkVars(book, hosts, "inventory.ts")).rejects.toMatchObject({
    failure: {
      expected: expect.stringContaining(says) as string,
      hint: `Remove "config.${path}" from --var config`,
    },
  });
});

test.each(["v1.4.0", "v1.8.1", "v1.10.0-rc1", "v1.9.0-rc.2"])("accepts the version %s", (version) => {
  expect(clusterSchema.parse({ ...given, version })).toMatchObject({ version });
});

test("accepts a static address for a cluster's only node, if it is the address that furrow uses", () => {
  const config = (ip: string) => ({
    os: { dns_nameservers: ["192.168.130.1"] },
    install: { managementInterface: { ...fixed, ip } },
  });
  expect(clusterSchema.safeParse({ ...given, config: config("192.168.130.11") }).error).toBeUndefined();
  expect(clusterSchema.safeParse({ ...given, config: config("192.168.130.12") }).success).toBe(false);
});

test.each([
  [3, ["/dev/a"], "3 nodes need 3 data disks, but only 1 is given"],
  [5, ["/dev/a", "/dev/b"], "5 nodes need 5 data disks, but only 2 are given"],
])(
  "refuses %i nodes with too few disks before it connects, but only where disks are prepared",
  (nodes, disks, says) => {
    const vars = { ...given, nodes, disks };
    expect(JSON.stringify(preparedSchema.safeParse(vars).error?.issues)).toContain(says);
    for (const { vars: schema } of [harvester, addNode, addDisk]) expect(schema?.safeParse(vars).success).toBe(false);
    for (const { vars: schema } of [status, shutdown, console_]) expect(schema?.safeParse(vars).success).toBe(true);
  },
);

test.each([
  [{ nodes: 3, disks: ["/dev/a", "/dev/a", "/dev/c"] }, "disks.1: a disk of its own: disks.0 already uses /dev/a"],
  [
    { extraDisks: [{ node: 1, device: "/dev/disk/by-id/a" }] },
    "extraDisks.0.device: a disk of its own: disks.0 already uses",
  ],
  [
    { extraDisks: ["x", "y", "x"].map((name) => ({ node: 1, device: `/dev/${name}` })) },
    "extraDisks.2.device: a disk of its own: extraDisks.0 already uses /dev/x",
  ],
])("refuses a disk that is listed twice, but only where disks are prepared: %j", (vars, says) => {
  const issues = preparedSchema.safeParse({ ...given, ...vars }).error?.issues ?? [];
  expect(issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([expect.stringContaining(says)]);
  for (const { vars: schema } of [status, shutdown, console_])
    expect(schema?.safeParse({ ...given, ...vars }).success).toBe(true);
});

test("refuses a password of one character, which would hide ordinary text, but only for a deployment", () => {
  const short = { ...given, password: "p" };
  expect(harvester.vars?.safeParse(short).error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [["password"], "at least 8 characters"],
  ]);
  for (const { vars: schema } of [status, addNode, shutdown]) expect(schema?.safeParse(short).error).toBeUndefined();
  expect(harvester.vars?.safeParse({ ...given, password: "12345678" }).error).toBeUndefined();
  expect(harvester.vars?.safeParse({ ...given, password: secret.env("NODE_PASSWORD") }).error).toBeUndefined();
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
])("%s boots with the firmware %s and registers by %s", (version, firmware, registration) => {
  expect(releaseOf(version)).toMatchObject({ firmware, registration });
});

test("replaces {version} in a mirror's URL with the version", () => {
  expect(artifactsBelow("http://mirror/h/{version}/", "v9.9.9")).toMatchObject({
    iso: { url: "http://mirror/h/v9.9.9/harvester-v9.9.9-amd64.iso" },
    checksums: "http://mirror/h/v9.9.9/harvester-v9.9.9-amd64.sha512",
  });
});

test("leaves out removed nodes, and keeps the names, addresses and disks of the others", () => {
  const disks = ["/dev/a", "/dev/b", "/dev/c"];
  const left = (removedNodes: number[], more: object = {}) =>
    preparedSchema.safeParse({ ...given, disks, nodes: 3, removedNodes, ...more });
  const nodes = clusterNodes(preparedSchema.parse({ ...given, disks, nodes: 3, removedNodes: [2] }));
  expect(nodes.map(({ name, address, device, mountPoint }) => [name, address, device, mountPoint])).toEqual([
    ["harvester-1", "192.168.130.11", "/dev/a", "/mnt/datadisk1"],
    ["harvester-3", "192.168.130.13", "/dev/c", "/mnt/datadisk3"],
  ]);
  expect(left([3], { disks: disks.slice(0, 2) }).error).toBeUndefined();
  expect(left([3], { witness: true }).error).toBeUndefined();
  expect(JSON.stringify(left([2], { disks: disks.slice(0, 2) }).error?.issues)).toContain("need 3 data disks");
  for (const wrong of [[4], [1, 2, 3]])
    expect(JSON.stringify(left(wrong).error?.issues)).toContain("numbers from 1 to 3, but not all");
  const extra = { extraDisks: [{ node: 3, device: "/dev/x" }] };
  expect(JSON.stringify(left([3], extra).error?.issues)).toContain("no disks of nodes in removedNodes");
});

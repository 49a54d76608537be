import { expect, test } from "vitest";
import type { HostFacts } from "../../src/authoring.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { diskChecks, networkChecks, sizeChecks, virtualisationChecks } from "./role.ts";

const cluster = clusterSchema.parse({ nodes: 3, disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p" });
const host: HostFacts = {
  hostname: "cloud",
  os: { id: "debian", version: "12", like: ["debian"] },
  architecture: "x86_64",
  kernel: "6.1",
  processors: 32,
  memoryBytes: 128 * 2 ** 30,
  kvm: true,
  addresses: { lo: ["127.0.0.1/8"], eth0: ["10.0.0.5/24"], virbr1: ["192.168.130.1/24"] },
};

const complaints = (checks: readonly { check: boolean; message: string }[]): string[] =>
  checks.filter(({ check }) => !check).map(({ message }) => message);
const all = (change: Partial<HostFacts>, clusterChange: Partial<typeof cluster> = {}): string[] => {
  const facts = { ...host, ...change };
  const wanted = { ...cluster, ...clusterChange };
  return complaints([
    ...sizeChecks(wanted, facts),
    ...virtualisationChecks(wanted, facts),
    ...networkChecks(wanted, facts),
    ...diskChecks(wanted),
  ]);
};

test("a host of 32 processors and 128 GiB carries three small nodes", () => {
  expect(all({})).toEqual([]);
});

test.each([
  { name: "too few processors", change: { processors: 16 }, says: "need 24, and the host has 16" },
  {
    name: "too little memory",
    change: { memoryBytes: 96 * 2 ** 30 },
    says: "need 102400 MiB, and the host has 98304 MiB",
  },
  { name: "no KVM", change: { kvm: false }, says: "/dev/kvm cannot be opened" },
  { name: "another architecture", change: { architecture: "aarch64" }, says: "the host is aarch64" },
  {
    name: "a subnet in use",
    change: { addresses: { virbr0: ["192.168.130.1/24"] } },
    says: "virbr0 has 192.168.130.1/24",
  },
])("says in one sentence: $name", ({ change, says }) => {
  const [first, ...rest] = all(change);
  expect(first).toContain(says);
  expect(rest).toEqual([]);
});

test("software emulation shares processors and needs no KVM, but no memory is conjured up", () => {
  expect(all({ kvm: false, processors: 2 }, { emulation: "software" })).toEqual([]);
  expect(all({ memoryBytes: 2 ** 32 }, { emulation: "software" })).toHaveLength(1);
});

test("nodes need a disk each, named once, and a virtual address of their own", () => {
  expect(all({}, { disks: ["/dev/a", "/dev/a"] })).toHaveLength(2);
  expect(all({}, { network: { ...cluster.network, vip: "192.168.130.12" } })[0]).toContain(
    "among the nodes' addresses",
  );
});

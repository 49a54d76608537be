import { expect, test } from "vitest";
import { explain, simulate } from "../../src/testing/index.ts";
import { absent, type HostFacts, playbook } from "../../src/authoring.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { disksThere } from "./disks-there.ts";
import { forwardingAllowed } from "./forwarding-allowed.ts";
import { portsFree } from "./ports-free.ts";
import { sameMachines } from "./same-machines.ts";
import { carried, diskChecks, networkChecks, sizeChecks, virtualizationChecks } from "./role.ts";

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
const hints = (checks: readonly { check: boolean; hint?: string }[]): (string | undefined)[] =>
  checks.filter(({ check }) => !check).map(({ hint }) => hint);
const all = (change: Partial<HostFacts>, clusterChange: Partial<typeof cluster> = {}): string[] => {
  const facts = { ...host, ...change };
  const wanted = { ...cluster, ...clusterChange };
  return complaints([
    ...sizeChecks(wanted, facts),
    ...virtualizationChecks(wanted, facts),
    ...networkChecks(wanted, facts),
    ...diskChecks(wanted),
  ]);
};

test("accepts three small nodes on a host with 32 processors and 128 GiB", () => {
  expect(all({})).toEqual([]);
});

test.each([
  { name: "too few processors", change: { processors: 16 }, says: "need 24, but the host has 16" },
  {
    name: "too little memory",
    change: { memoryBytes: 96 * 2 ** 30 },
    says: "need 102400 MiB, but the host has 98304 MiB",
  },
  { name: "no KVM", change: { kvm: false }, says: "/dev/kvm cannot be opened" },
  { name: "another architecture", change: { architecture: "aarch64" }, says: "the host is aarch64" },
  {
    name: "a subnet in use",
    change: { addresses: { virbr0: ["192.168.130.1/24"] } },
    says: "virbr0 has 192.168.130.1/24",
  },
])("reports $name as the only problem", ({ change, says }) => {
  const [first, ...rest] = all(change);
  expect(first).toContain(says);
  expect(rest).toEqual([]);
});

test("refuses three medium nodes on a host with 32 processors and 128 GiB, and reports the totals", () => {
  expect(all({}, { size: "medium" })).toEqual([
    "3 nodes with 16 processors each need 48, but the host has 32",
    "3 nodes with 65536 MiB each and 4096 MiB for the host need 200704 MiB, but the host has 131072 MiB",
  ]);
});

test("counts one node, one processor and one disk in the singular", () => {
  expect(all({ processors: 4, memoryBytes: 8 * 2 ** 30 }, { nodes: 1 })).toEqual([
    "1 node with 8 processors needs 8, but the host has 4",
    "1 node with 32768 MiB and 4096 MiB for the host need 36864 MiB, but the host has 8192 MiB",
  ]);
  expect(all({}, { disks: ["/dev/a"] })).toEqual(["3 nodes need 3 data disks, but only 1 is given: /dev/a"]);
  const size = { processors: 1, memoryMiB: 512, diskGiB: 2 };
  expect(carried({ ...cluster, nodes: 1, size })).toBe("1 node with 1 processor and 512 MiB");
});

test("if medium nodes are requested, notes in the title that five nodes are always small", () => {
  expect(carried({ ...cluster, nodes: 5, size: "medium" })).toBe(
    "5 nodes with 8 processors and 32768 MiB each (five nodes are always small, not medium)",
  );
  expect(carried({ ...cluster, nodes: 5 })).toBe("5 nodes with 8 processors and 32768 MiB each");
});

test("names each cloud's setting for nested virtualization if it is missing", () => {
  const [hint] = hints(virtualizationChecks(cluster, { ...host, kvm: false }));
  for (const name of ["enableNestedVirtualization", "cpuOptions.nestedVirtualization", "Dsv5"])
    expect(hint).toContain(name);
});

test("waits for missing disks, and names the missing and the existing disks", () => {
  const devices = ["/dev/a", "/dev/b"].map((path) => ({ path, imageGiB: 1 }));
  const call = disksThere({ devices, deadlineSeconds: 90 });
  const disk = { type: "disk", path: "/dev/sdb", sizeBytes: 2 * 2 ** 30 };
  expect(explain(call, { devices: [disk, disk] }).refusal).toBeUndefined();
  const list = [{ path: "/dev/sdb", sizeBytes: 2 ** 30, serial: "one", ids: ["virtio-one"] }];
  expect(explain(call, { devices: [disk, absent], disks: list }).refusal?.message).toBe(
    "disk /dev/b does not exist; the host has /dev/sdb (1 GiB, serial one, /dev/disk/by-id/virtio-one)",
  );
});

test("notes that a disk listed by its kernel name may be a different one after the next boot", () => {
  const notes = (...paths: string[]): readonly string[] => {
    const call = disksThere({ devices: paths.map((path) => ({ path, imageGiB: 0 })), deadlineSeconds: 90 });
    return explain(call, { devices: paths.map((path) => ({ type: "disk", path, sizeBytes: 2 ** 30 })) }).notes;
  };
  expect(notes("/dev/disk/by-id/google-a", "/dev/mapper/data")).toEqual([]);
  expect(notes("/dev/disk/by-id/google-a", "/dev/sdb", "/dev/nvme1n1")).toEqual([
    "/dev/sdb, /dev/nvme1n1 may be a different disk after the next boot: list disks by their paths under /dev/disk",
  ]);
});

test("refuses a disk on which the node's image would not fit once the file system has taken its share", () => {
  const call = disksThere({ devices: [{ path: "/dev/a", imageGiB: 315 }], deadlineSeconds: 90 });
  const disk = (gib: number): object => ({ type: "disk", path: "/dev/sda", sizeBytes: gib * 2 ** 30 });
  expect(explain(call, { devices: [disk(350)] }).refusal).toBeUndefined();
  expect(explain(call, { devices: [disk(320)] }).refusal).toMatchObject({
    code: "too-small",
    final: true,
    message: expect.stringMatching(/^\/dev\/a has 320 GiB, but an image of 315 GiB needs 33\d(\.\d)? GiB: /) as string,
  });
});

test.each(["check", "apply"] as const)(
  "in mode %s, gives the same message about a disk that is too small",
  async (mode) => {
    const devices = [{ path: "/dev/disk/by-id/a", imageGiB: 300 }];
    const tasks = () => [disksThere({ devices, deadlineSeconds: 90 })];
    const { result } = await simulate(playbook({ name: "disks", plays: [{ hosts: "all", tasks }] }), {
      hosts: ["metal"],
      mode,
      state: {
        metal: { "block-device:/dev/disk/by-id/a": { type: "disk", path: "/dev/sdb", sizeBytes: 8 * 2 ** 30 } },
      },
    });
    expect(result.errors[0]).toMatchObject({
      code: "E_WAIT",
      failure: {
        what: expect.stringMatching(
          /^\/dev\/disk\/by-id\/a has 8 GiB, but an image of 300 GiB needs 322 GiB/,
        ) as string,
        hint: expect.stringContaining("sizeGiB") as string,
      },
    });
  },
);

test("accepts ports that are free or already used by the cluster, and refuses ports on which anything else listens", () => {
  const ports = [443, 6443].map((port) => ({ port, unit: `harvester-expose-${port}.service` }));
  const call = portsFree({ ports, former: "socat-proxy.service" });
  const [up, down] = [{ state: "started" }, { state: "stopped" }];
  const refusal = (units: unknown[], taken: object[], former: unknown = absent): string | undefined =>
    explain(call, { units, former, taken }).refusal?.message;
  expect(refusal([absent, absent], [{ open: false }, { open: false }])).toBeUndefined();
  expect(refusal([absent, down], [{ open: true }, { open: false }])).toBe(
    "something on the host listens on port 443, which the cluster needs",
  );
  expect(refusal([up, up], [])).toBeUndefined();
  expect(refusal([up, absent], [{ open: true }])).toContain("port 6443");
  expect(refusal([absent, absent], [], up)).toBeUndefined();
});

test("refuses to change the MAC address of an existing node", () => {
  const call = sameMachines({ nodes: [{ name: "harvester-1", mac: "52:54:00:68:76:01" }] });
  const refusal = (domain: unknown): object | undefined => explain(call, { domains: [domain] }).refusal;
  expect(refusal(absent)).toBeUndefined();
  expect(refusal({ interfaces: {} })).toBeUndefined();
  expect(refusal({ interfaces: { "52:54:00:68:76:01": {} } })).toBeUndefined();
  expect(refusal({ interfaces: { "52:54:00:12:34:56": {} } })).toMatchObject({
    code: "other-mac",
    hint: expect.stringContaining('adopted: [{ mac: "52:54:00:12:34:56"') as string,
  });
});

test("refuses a host whose sshd forwards no connections, instead of failing after the installation", () => {
  const refusal = (exitCode: number) => explain(forwardingAllowed({}), { sshd: { exitCode } }).refusal;
  expect(refusal(1)).toBeUndefined();
  expect(refusal(0)).toMatchObject({ code: "no-forwarding", expected: "AllowTcpForwarding yes or local" });
});

test("needs no KVM and no spare processors for software emulation, but still needs the memory", () => {
  expect(all({ kvm: false, processors: 2 }, { emulation: "software" })).toEqual([]);
  expect(all({ memoryBytes: 2 ** 32 }, { emulation: "software" })).toHaveLength(1);
});

test("requires one disk per node, listed once, and a separate virtual address", () => {
  expect(all({}, { disks: ["/dev/a", "/dev/a"] })).toHaveLength(2);
  expect(all({}, { network: { ...cluster.network, vip: "192.168.130.12" } })[0]).toContain(
    "one of the nodes' addresses",
  );
});

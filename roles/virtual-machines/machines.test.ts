import { describe, expect, test } from "vitest";
import { secret } from "../../src/authoring.ts";
import { faults } from "../../src/load/playbook/issues.ts";
import { machinesSchema } from "./machines.ts";
import { claimTemplates, cloudInitObject, machineObject } from "./objects.ts";

const machine = {
  cores: 4,
  memory: "16Gi",
  disks: [{ image: "talos-1-9", size: "50Gi" }],
  networks: [{ network: "platform", mac: "52:54:00:30:00:02" }],
};
const parse = (machines: unknown) => machinesSchema.safeParse({ kubeconfig: "k", machines });

test.each([
  ["a machine without a disk, as in the original project", { ...machine, disks: [] }, "disks: at least one disk"],
  [
    "a machine without a network, as in the original project",
    { ...machine, networks: [] },
    "networks: at least one network",
  ],
  ["memory without a unit", { ...machine, memory: "16" }, "memory: a size, like 50Gi"],
  ["a size in decimal units", { ...machine, disks: [{ size: "50GB" }] }, "disks.0.size: a size, like 50Gi"],
  [
    "a storage class for an image",
    { ...machine, disks: [{ image: "a", storageClass: "fast", size: "1Gi" }] },
    "nothing",
  ],
  ["a multicast MAC address", { ...machine, networks: [{ network: "n", mac: "01:00:5e:00:00:01" }] }, "networks.0.mac"],
  ["`running`, which KubeVirt no longer wants", { ...machine, running: true }, "machines.cp-2"],
  [
    "two disks with the same name",
    {
      ...machine,
      disks: [
        { name: "a", size: "1Gi" },
        { name: "a", size: "2Gi" },
      ],
    },
    "disks with",
  ],
  [
    "two disks with the same volume",
    { ...machine, disks: [{ size: "1Gi", volume: "cp-2-disk-1" }, { size: "2Gi" }] },
    "disks.1.volume: a volume that no other disk has",
  ],
  [
    "a MAC address that YAML reads as a number",
    { ...machine, networks: [{ network: "n", mac: 525400300002 }] },
    "in quotes",
  ],
  ["half a processor", { ...machine, cores: 0.5 }, "machines.cp-2.cores"],
])("refuses %s", (_what, one, says) => {
  const [issue] = parse({ "cp-2": one }).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
});

test("shows no user data in any error", () => {
  const wrong = [
    { "cp-2": { ...machine, userData: ["LEAK-seed-1"] } },
    { Bad_Name: { ...machine, userData: "LEAK-seed-2" } },
    [{ ...machine, userData: "LEAK-seed-3" }],
  ];
  for (const machines of wrong) {
    const data = { kubeconfig: "k", machines };
    const issues = machinesSchema.safeParse(data).error?.issues ?? [];
    expect(JSON.stringify(faults(machinesSchema, issues, data))).not.toContain("LEAK");
  }
});

test("refuses the same MAC address for two machines", () => {
  const [issue] = parse({ "cp-2": machine, "cp-3": machine }).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toBe(
    "machines.cp-3.networks.0.mac: a MAC address that cp-2 does not have",
  );
});

describe("two machines of a file cannot get one volume", () => {
  const withDisks = (...names: string[]) => ({ ...machine, networks: [{ network: "n" }], disks: names.map(sized) });
  const sized = (name: string) => ({ name, size: "1Gi" });
  const issuesOf = (machines: unknown): string[] =>
    (parse(machines).error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);

  test("whose name is the same although machine and disk have other names", () => {
    expect(issuesOf({ a: withDisks("x", "b-c"), "a-b": withDisks("c") })).toEqual([
      "machines.a-b.disks.0.name: another name: its volume would be a-b-c, which is also a volume of a",
    ]);
  });

  test("but volumes in two namespaces may have the same name", () => {
    expect(issuesOf({ a: withDisks("b-c"), "a-b": { ...withDisks("c"), namespace: "lab" } })).toEqual([]);
  });
});

describe("a disk with the name of a volume that the machine gets anyway is refused", () => {
  const called = (name: string, more: object) =>
    parse({ a: { ...machine, disks: [{ name, size: "1Gi" }], ...more } }).error?.issues.map(
      ({ path, message }) => `${path.join(".")}: ${message}`,
    );

  test.each([
    ["cloud-init, beside userData", "cloud-init", { userData: "#cloud-config" }],
    ["cloud-init, beside networkData", "cloud-init", { networkData: "version: 2" }],
    ["drivers, beside driverDisk", "drivers", { driverDisk: "registry/vmdp" }],
  ])("%s", (_what, name, more) => {
    expect(called(name, more)).toEqual([
      `machines.a.disks.0.name: another name: the machine has another volume named ${name}`,
    ]);
    expect(called(name, {})).toBeUndefined();
  });
});

test("a disk of a restored machine has the volume that the file names", () => {
  const disks = [{ image: "talos-1-9", size: "50Gi", volume: "restore-db-1-0f7c-disk-0" }, { size: "1Gi" }];
  const { machines } = machinesSchema.parse({ kubeconfig: "k", machines: { "cp-2": { ...machine, disks } } });
  const one = { name: "cp-2", machine: machines["cp-2"] as never };
  const templates = claimTemplates(one, { "default/talos-1-9": "lh-123" });
  const names = ["restore-db-1-0f7c-disk-0", "cp-2-disk-1"];
  expect(JSON.parse(templates)).toMatchObject(names.map((name) => ({ metadata: { name } })));
  expect(machineObject(one, templates).spec.template.spec.volumes).toEqual(
    names.map((claimName, index) => ({ name: `disk-${index}`, persistentVolumeClaim: { claimName } })),
  );
});

test("a machine's object has disks made from images, networks with their namespaces, and no `running` field", () => {
  const { machines } = machinesSchema.parse({
    kubeconfig: "k",
    machines: {
      "cp-2": {
        ...machine,
        namespace: "tenants",
        disks: [...machine.disks, { size: "100Gi", bus: "scsi" }],
        networks: [...machine.networks, { network: "default/cluster" }],
        firmware: "uefi-secure-boot",
        tpm: true,
      },
    },
  });
  const one = { name: "cp-2", machine: machines["cp-2"] as never };
  const templates = claimTemplates(one, { "tenants/talos-1-9": "lh-123" });
  expect(JSON.parse(templates)).toEqual([
    {
      metadata: { name: "cp-2-disk-0", annotations: { "harvesterhci.io/imageId": "tenants/talos-1-9" } },
      spec: {
        accessModes: ["ReadWriteMany"],
        resources: { requests: { storage: "50Gi" } },
        volumeMode: "Block",
        storageClassName: "lh-123",
      },
    },
    {
      metadata: { name: "cp-2-disk-1" },
      spec: {
        accessModes: ["ReadWriteMany"],
        resources: { requests: { storage: "100Gi" } },
        volumeMode: "Block",
        storageClassName: "harvester-longhorn",
      },
    },
  ]);
  expect(machineObject(one, templates)).toEqual({
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachine",
    metadata: {
      name: "cp-2",
      namespace: "tenants",
      annotations: { "harvesterhci.io/volumeClaimTemplates": templates },
    },
    spec: {
      runStrategy: "RerunOnFailure",
      template: {
        metadata: { labels: { "harvesterhci.io/vmName": "cp-2" } },
        spec: {
          hostname: "cp-2",
          evictionStrategy: "LiveMigrateIfPossible",
          terminationGracePeriodSeconds: 120,
          domain: {
            machine: { type: "q35" },
            cpu: { cores: 4, sockets: 1, threads: 1 },
            resources: { limits: { cpu: "4", memory: "16Gi" } },
            features: { acpi: {}, smm: { enabled: true } },
            firmware: { bootloader: { efi: { secureBoot: true } } },
            devices: {
              disks: [
                { name: "disk-0", bootOrder: 1, disk: { bus: "virtio" } },
                { name: "disk-1", bootOrder: 2, disk: { bus: "scsi" } },
              ],
              interfaces: [
                { name: "nic-0", model: "virtio", bridge: {}, macAddress: "52:54:00:30:00:02" },
                { name: "nic-1", model: "virtio", bridge: {} },
              ],
              tpm: {},
            },
          },
          networks: [
            { name: "nic-0", multus: { networkName: "tenants/platform" } },
            { name: "nic-1", multus: { networkName: "default/cluster" } },
          ],
          volumes: [
            { name: "disk-0", persistentVolumeClaim: { claimName: "cp-2-disk-0" } },
            { name: "disk-1", persistentVolumeClaim: { claimName: "cp-2-disk-1" } },
          ],
        },
      },
    },
  });
});

test("cloud-init's data is in a Secret, in base64, and stays secret", () => {
  process.env["MACHINES_TEST"] = "s3cret-value";
  const userData = secret.env("MACHINES_TEST").map((password) => `#cloud-config\npassword: ${password}\n`);
  const { machines } = machinesSchema.parse({
    kubeconfig: "k",
    machines: { "cp-2": { ...machine, userData, networkData: "version: 2\n" } },
  });
  const one = { name: "cp-2", machine: machines["cp-2"] as never };
  const object = cloudInitObject(one);
  expect(object).toMatchObject({
    kind: "Secret",
    metadata: { name: "cp-2-cloud-init", namespace: "default" },
    data: { networkdata: expect.stringMatching(/^«secret /) as string },
  });
  expect(object?.data.userdata).toMatch(/^«secret MACHINES_TEST [0-9a-f]{16}»$/);
  const { volumes } = machineObject(one, "").spec.template.spec;
  const ref = { name: "cp-2-cloud-init" };
  expect(volumes.at(-1)).toEqual({
    name: "cloud-init",
    cloudInitNoCloud: { secretRef: ref, networkDataSecretRef: ref },
  });
});

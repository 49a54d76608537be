import { describe, expect, test } from "vitest";
import {
  answersOf,
  attachedMachineOf,
  instanceOf,
  pciClaimOf,
  pciDeviceOf,
  soundCluster,
} from "../../test/guards/examples.ts";
import { addonOf } from "../../test/guards/report-examples.ts";
import { explain } from "../../src/testing/index.ts";
import { attached, devicesFit } from "./devices-fit.ts";
import { machinesSchema } from "./machines.ts";
import { migrationShown } from "./migration-shown.ts";
import { machineObject } from "./objects.ts";
import { restartShown } from "./restart-shown.ts";

const gpu = "harvester-1-000001000";
const addon = "harvester-system/pcidevices-controller";

/** A machine with devices in its definition, and the devices that it was actually given. */
function holder(name: string, devices: readonly string[], given: readonly string[] = [], model = "nvidia.com/GA102") {
  const details = JSON.stringify({ hostdevices: { [model]: given } });
  return {
    metadata: {
      namespace: "default",
      name,
      ...(given.length > 0 && { annotations: { "harvesterhci.io/deviceAllocationDetails": details } }),
    },
    spec: {
      template: {
        spec: { domain: { devices: { hostDevices: devices.map((one) => ({ name: one, deviceName: model })) } } },
      },
    },
  };
}

const ask = (objects: Partial<typeof soundCluster>, devices: readonly string[] = [gpu]) =>
  explain(devicesFit({ kubeconfig: "k", machines: [{ name: "default/gaming", devices: [...devices] }] }), {
    ...answersOf({ ...soundCluster, ...objects }),
  });
const said = (objects: Partial<typeof soundCluster>, devices?: readonly string[]): string | undefined =>
  ask(objects, devices).refusal?.message;

describe("the devices of a machine", () => {
  test("fit if they are claimed and belong to no machine", () => {
    expect(said({ machines: [] })).toBeUndefined();
    expect(said({ machines: [holder("gaming", [gpu])] })).toBeUndefined();
  });

  test("are refused, and named, if the add-on is off or does not exist", () => {
    expect(said({ addons: [addonOf(addon, false)], pciDevices: [], pciClaims: [] })).toBe(
      `the add-on ${addon}, which passes devices through, is off; default/gaming needs ${gpu}`,
    );
    expect(said({ addons: [] })).toContain("does not exist");
  });

  test("are refused, and named, if one does not exist or is not claimed", () => {
    expect(said({}, [gpu, "harvester-1-000009000"])).toBe(
      "the device harvester-1-000009000 of default/gaming does not exist",
    );
    const what = `the device ${gpu} (VGA: nvidia.com/GA102, on harvester-1) of default/gaming`;
    expect(said({ pciClaims: [] })).toBe(`${what} is not claimed`);
    expect(said({ pciClaims: [pciClaimOf("harvester-1", "000001000", false)] })).toBe(
      `${what} is claimed, but its passthrough is not enabled yet`,
    );
    const claim = pciClaimOf("harvester-1", "000001000") as { metadata: object };
    const metadata = { ...claim.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(said({ pciClaims: [{ ...claim, metadata }] })).toBe(`the claim of ${what} is being deleted`);
  });

  test("are refused, and named, if one belongs to another machine, running or not", () => {
    expect(said({ machines: [holder("render", [gpu])] })).toContain("belongs to default/render");
    expect(said({ machines: [holder("render", ["other"], [gpu])] })).toContain("belongs to default/render");
  });

  test("are refused if they are on two nodes", () => {
    const pciDevices = [pciDeviceOf("harvester-1", "000001000"), pciDeviceOf("harvester-2", "000001000")];
    const pciClaims = [pciClaimOf("harvester-1", "000001000"), pciClaimOf("harvester-2", "000001000")];
    expect(said({ pciDevices, pciClaims }, [gpu, "harvester-2-000001000"])).toBe(
      "the devices of default/gaming are on harvester-1 and harvester-2: a machine runs on one node",
    );
  });

  test("are refused if another device in the same IOMMU group is not listed, because Harvester would add it automatically", () => {
    const pciDevices = [
      pciDeviceOf("harvester-1", "000001000", { iommuGroup: "16" }),
      pciDeviceOf("harvester-1", "000001001", { iommuGroup: "16", model: "nvidia.com/AUDIO" }),
      pciDeviceOf("harvester-2", "000001000", { iommuGroup: "16" }),
    ];
    const pciClaims = [pciClaimOf("harvester-1", "000001000"), pciClaimOf("harvester-1", "000001001")];
    expect(said({ pciDevices, pciClaims })).toContain(
      "shares its IOMMU group 16 with harvester-1-000001001, so list that one too",
    );
    expect(said({ pciDevices, pciClaims }, [gpu, "harvester-1-000001001"])).toBeUndefined();
  });

  test("stay as they are if the machine was given the other of two identical devices on the node", () => {
    const resource = "nvidia.com/GA102";
    const deviceOf = (node: string, address: string) => ({
      name: `${node}-${address}`,
      node,
      resource,
      description: "",
      group: undefined,
    });
    const pciDevices = [
      deviceOf("harvester-1", "000001000"),
      deviceOf("harvester-1", "000002000"),
      deviceOf("harvester-2", "000002000"),
    ];
    const hasNow = (device: string) =>
      attached(
        { name: "default/gaming", devices: [gpu] },
        { pciDevices, machines: [{ name: "default/gaming", devices: [{ name: device, resource }] }] },
      );
    const [same, other] = ["harvester-1-000002000", "harvester-2-000002000"];
    expect(hasNow(same)).toEqual({ node: "harvester-1", devices: [{ name: same, deviceName: resource }] });
    expect(hasNow(other)).toEqual({ node: "harvester-1", devices: [{ name: gpu, deviceName: resource }] });
  });

  test("are in the definition with their node, and Windows gets the settings of Harvester's template", () => {
    const { machines } = machinesSchema.parse({
      kubeconfig: "k",
      machines: {
        gaming: {
          cores: 8,
          memory: "32Gi",
          disks: [
            { image: "windows-11", size: "20Gi", type: "cd-rom" },
            { size: "200Gi", storageClass: "fast" },
          ],
          networks: [{ network: "platform", model: "e1000" }],
          firmware: "uefi-secure-boot",
          tpm: true,
          os: "windows",
          driverDisk: "registry.suse.com/suse/vmdp/vmdp:2.5.4.3",
          devices: [gpu],
        },
      },
    });
    const one = { name: "gaming", machine: machines["gaming"] as never };
    const devices = [{ name: gpu, deviceName: "nvidia.com/GA102" }];
    const { metadata, spec } = machineObject(one, "[]", { node: "harvester-1", devices });
    expect(metadata.labels).toEqual({ "harvesterhci.io/os": "windows" });
    expect(metadata.annotations).toMatchObject({ "harvesterhci.io/reservedMemory": "256Mi" });
    expect(spec.template.spec.nodeSelector).toEqual({ "kubernetes.io/hostname": "harvester-1" });
    const { domain, volumes } = spec.template.spec;
    expect(domain.devices).toMatchObject({
      disks: [
        { name: "disk-0", bootOrder: 1, cdrom: { bus: "sata" } },
        { name: "disk-1", bootOrder: 2, disk: { bus: "virtio" } },
        { name: "drivers", cdrom: { bus: "sata" } },
      ],
      inputs: [{ name: "tablet", type: "tablet", bus: "usb" }],
      hostDevices: devices,
      tpm: {},
    });
    expect(domain.features).toEqual({ acpi: {}, smm: { enabled: true } });
    expect(volumes.at(-1)).toEqual({
      name: "drivers",
      containerDisk: { image: "registry.suse.com/suse/vmdp/vmdp:2.5.4.3" },
    });
  });

  test("may not be those of another machine in the file, nor may a CD-ROM be on virtio", () => {
    const machine = (more: object) => ({
      cores: 1,
      memory: "1Gi",
      disks: [{ size: "1Gi" }],
      networks: [{ network: "n" }],
      ...more,
    });
    const issueOf = (machines: object) => machinesSchema.safeParse({ kubeconfig: "k", machines }).error?.issues[0];
    expect(issueOf({ a: machine({ devices: [gpu] }), b: machine({ devices: [gpu] }) })?.message).toBe(
      "a device that a does not have",
    );
    const disks = [{ size: "1Gi", type: "cd-rom", bus: "virtio" }];
    expect(issueOf({ a: machine({ disks }) })?.message).toBe("sata or scsi for a cd-rom");
  });
});

describe("the report on migrations", () => {
  const notes = (instances: readonly object[], devices: string[] = []): readonly string[] =>
    explain(migrationShown({ kubeconfig: "k", machines: [{ name: "default/gaming", devices }] }), {
      ...answersOf({ ...soundCluster, instances }),
    }).notes;
  const running = (condition?: object, spec: object = {}): object => {
    const one = instanceOf("gaming", "harvester-1", "Running", undefined, spec) as { status: object };
    return { ...one, status: { ...one.status, conditions: condition === undefined ? [] : [condition] } };
  };

  test("says that a machine with a device cannot be live-migrated, even before it runs", () => {
    expect(notes([], [gpu])).toEqual([
      `default/gaming cannot be live-migrated: it uses ${gpu} of its node; it is shut down when its node is emptied`,
    ]);
  });

  test("gives KubeVirt's and Harvester's reasons for other machines, and says what is not known yet", () => {
    const type = "LiveMigratable";
    expect(notes([running({ type, status: "True" })])).toEqual([]);
    const no = { type, status: "False", reason: "DisksNotLiveMigratable", message: "PVC x is not shared" };
    expect(notes([running(no)])[0]).toContain("cannot be live-migrated: DisksNotLiveMigratable: PVC x is not shared;");
    expect(notes([running({ type, status: "True" }, { nodeSelector: { a: "b" } })])[0]).toContain(
      "it has a node selector",
    );
    expect(notes([running()])).toEqual(["KubeVirt has not reported yet whether default/gaming can be live-migrated"]);
  });
});

describe("the report on restarts", () => {
  const machine = (generation: number, status: object): object => ({
    ...attachedMachineOf("web", "default/platform"),
    metadata: { namespace: "default", name: "web", generation },
    status,
  });
  const notes = (...machines: object[]): readonly string[] =>
    explain(restartShown({ kubeconfig: "k", machines: ["default/web"] }), answersOf({ ...soundCluster, machines }))
      .notes;
  const required = { type: "RestartRequired", status: "True" };

  test("names a machine that is running with an older definition, and says how to restart it", () => {
    expect(notes(machine(2, { desiredGeneration: 2, conditions: [required] }))).toEqual([
      "default/web applies its changes at its next start: restart it, for example with virtctl restart web -n default",
    ]);
    expect(notes(machine(2, { desiredGeneration: 2, conditions: [{ ...required, status: "False" }] }))).toEqual([]);
  });

  test("does not mention other machines, and is empty if KubeVirt is too old to tell", () => {
    const other = { ...machine(2, { conditions: [required] }), metadata: { namespace: "default", name: "db" } };
    expect(notes(other, machine(2, {}))).toEqual([]);
  });

  test("says that KubeVirt has not looked at the newest definition yet", () => {
    expect(notes(machine(3, { created: true, desiredGeneration: 2 }))).toEqual([
      "KubeVirt has not reported yet whether default/web must be restarted to apply its changes",
    ]);
  });

  test("does not mention a stopped machine, which starts with its newest definition", () => {
    expect(notes(machine(3, { created: false, desiredGeneration: 2 }))).toEqual([]);
  });
});

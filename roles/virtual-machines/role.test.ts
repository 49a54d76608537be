import { describe, expect, test } from "vitest";
import { answersOf, attachedMachineOf, machineOf, soundCluster } from "../../test/guards/examples.ts";
import { claimOf } from "../../test/guards/operation-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { imageClasses } from "./image-classes.ts";
import { machinesFit } from "./machines-fit.ts";
import { fit, wish } from "../../test/guards/one-machine.ts";

describe("machines", () => {
  const ask = (machines: object[]): string | undefined => fit(wish, machines).refusal?.message;
  const own = attachedMachineOf("cp-2", "default/platform");
  const withMac = (name: string, macAddress: string): object => ({
    metadata: { namespace: "default", name },
    spec: { template: { spec: { domain: { devices: { interfaces: [{ name: "n", macAddress }] } } } } },
  });

  test("are accepted whether or not the cluster already has them", () => {
    expect(ask([])).toBeUndefined();
    expect(ask([own])).toBeUndefined();
    expect(ask([withMac("cp-2", "52:54:00:30:00:02")])).toBeUndefined();
  });

  test("are refused if another owner would change them back", () => {
    const metadata = {
      namespace: "default",
      name: "cp-2",
      ownerReferences: [{ kind: "HarvesterMachine", name: "tenant-1-abc" }],
    };
    expect(ask([{ ...own, metadata }])).toBe(
      "default/cp-2 belongs to HarvesterMachine tenant-1-abc, which would change it back",
    );
  });

  test("are refused if another machine has the MAC address, in upper or lower case", () => {
    expect(ask([withMac("db", "52:54:00:30:00:02".toUpperCase())])).toBe(
      "52:54:00:30:00:02 of default/cp-2 is already the MAC address of default/db",
    );
  });

  test("are refused if a network or a storage class does not exist", () => {
    const answers = { ...answersOf({ ...soundCluster, machines: [], vmNetworks: [] }), classes: [{ found: false }] };
    const own = { acceptVolumes: [], volumesBy: "Harvester" as const };
    const task = machinesFit({ kubeconfig: "k", machines: [wish], classes: ["fats"], ...own });
    expect(explain(task, answers).refusal?.message).toBe(
      "the storage class fats does not exist; the network default/platform of default/cp-2 does not exist",
    );
  });
});

describe("a machine with RerunOnFailure that is off", () => {
  const off = (status: object, runStrategy = "RerunOnFailure"): object => {
    const { metadata, spec } = attachedMachineOf("cp-2", "default/platform") as { metadata: object; spec: object };
    return { metadata, spec: { ...spec, runStrategy }, status: { printableStatus: "Stopped", ...status } };
  };
  const ask = (status: object, runStrategy?: string): string | undefined =>
    fit(wish, [off(status, runStrategy)]).refusal?.message;
  const says =
    "default/cp-2 was shut down, and KubeVirt starts a machine with RerunOnFailure only on request: start it with virtctl start cp-2 -n default, or set `run: Halted`";

  test("because its guest shut down is refused, instead of a wait that can only fail", () => {
    expect(ask({})).toBe(says);
    expect(ask({ runStrategy: "RerunOnFailure" })).toBe(says);
  });

  test("is not refused if KubeVirt is about to start it", () => {
    expect(ask({ stateChangeRequests: [{ action: "Stop" }, { action: "Start" }] })).toBeUndefined();
    expect(ask({ runStrategy: "Halted" })).toBeUndefined();
    expect(ask({}, "Halted")).toBeUndefined();
    expect(ask({ printableStatus: "Starting" })).toBeUndefined();
  });

  test("is not refused if the file wants it off, or always running", () => {
    expect(fit({ ...wish, run: "Halted" }, [off({})]).refusal).toBeUndefined();
    expect(fit({ ...wish, run: "Always" }, [off({})]).refusal).toBeUndefined();
  });
});

describe("an existing volume with the name of a new machine's disk", () => {
  const disks = [{ claim: "cp-2-disk-0", size: "80Gi", image: "default/ubuntu-24" }] as never;
  const old = claimOf("cp-2-disk-0", "50Gi", { image: "default/ubuntu-20" });
  const same = claimOf("cp-2-disk-0", "50Gi", { image: "default/ubuntu-24" });
  const accepted = { acceptVolumes: ["default/cp-2-disk-0"] };

  test("is refused with its image, size and age, because the machine would get its data", () => {
    expect(fit({ ...wish, disks }, [], { claims: [old] }).refusal?.message).toBe(
      "the volume default/cp-2-disk-0 (from the image default/ubuntu-20, 50Gi, created 2026-03-01T00:00:00Z) exists, and default/cp-2 would get it with its data: give the disk another name, delete the volume, or list it in acceptVolumes",
    );
  });

  test("is refused too if the disk is new but the machine is not", () => {
    const live = attachedMachineOf("cp-2", "default/platform");
    expect(fit({ ...wish, disks }, [live], { claims: [same] }).refusal?.message).toContain("list it in acceptVolumes");
  });

  test("is used if acceptVolumes lists it, and a note says so", () => {
    const { refusal, notes } = fit({ ...wish, disks }, [], { claims: [same], ...accepted });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      "default/cp-2 gets the existing volume default/cp-2-disk-0 (from the image default/ubuntu-24, 50Gi, created 2026-03-01T00:00:00Z) with its data",
    ]);
  });

  test("is refused even then if it has another image, or if another machine uses it, or if it is being deleted", () => {
    const ask = (claims: object[], machines: object[] = []): string | undefined =>
      fit({ ...wish, disks }, machines, { claims, ...accepted }).refusal?.message;
    expect(ask([old])).toContain("was made from the image default/ubuntu-20, and cannot become the image");
    const { metadata, spec } = same as { metadata: object; spec: object };
    expect(ask([{ metadata: { ...metadata, deletionTimestamp: "2026-03-02T00:00:00Z" }, spec }])).toContain(
      "is being deleted: wait until it is gone",
    );
    expect(ask([same], [machineOf("db", "cp-2-disk-0")])).toBe(
      "the volume default/cp-2-disk-0 of default/cp-2 is used by default/db",
    );
  });

  test("does not matter if the machine already has it, even without Harvester's annotation", () => {
    const live = machineOf("cp-2", "cp-2-disk-0");
    expect(fit({ ...wish, disks }, [live], { claims: [same] }).refusal).toBeUndefined();
  });
});

describe("a volume that another machine's definition has, although it does not exist yet", () => {
  const disks = [{ claim: "a-b-c", size: "1Gi" }] as never;
  const says = "the volume default/a-b-c of default/cp-2 is used by default/a";
  const ask = (other: object, wanted: object = { disks }): string | undefined =>
    fit({ ...wish, ...wanted }, [other], { acceptVolumes: ["default/a-b-c"] }).refusal?.message;

  test("is refused, even if that machine is off", () => {
    expect(ask(machineOf("a", "a-b-c"))).toBe(says);
  });

  test("is refused if Harvester's annotation or KubeVirt's template describes it", () => {
    const resources = { requests: { storage: "1Gi" } };
    const template = { metadata: { name: "a-b-c" }, spec: { resources } };
    const annotations = { "harvesterhci.io/volumeClaimTemplates": JSON.stringify([template]) };
    const { metadata, spec } = machineOf("a") as { metadata: object; spec: object };
    expect(ask({ metadata: { ...metadata, annotations }, spec })).toBe(says);
    const dataVolumeTemplates = [{ metadata: { name: "a-b-c" }, spec: { source: { blank: {} }, pvc: { resources } } }];
    expect(ask({ metadata, spec: { ...spec, dataVolumeTemplates } })).toBe(says);
    expect(ask({ metadata: { ...metadata, namespace: "lab", annotations }, spec })).toBeUndefined();
  });
});

describe("the disks of a machine", () => {
  const template = (claim: string, size: string, imageId?: string): object => ({
    metadata: { name: claim, ...(imageId && { annotations: { "harvesterhci.io/imageId": imageId } }) },
    spec: { resources: { requests: { storage: size } }, storageClassName: imageId ? "lh-1" : "fast" },
  });
  const templates = [template("cp-2-disk-0", "10Gi", "default/deb"), template("cp-2-disk-1", "200Gi")];
  const annotations = { "harvesterhci.io/volumeClaimTemplates": JSON.stringify(templates) };
  const live = {
    ...attachedMachineOf("cp-2", "default/platform"),
    metadata: { namespace: "default", name: "cp-2", annotations },
  };
  const disk = (claim: string, size: string, image?: string, storageClass?: string) => ({
    claim,
    size,
    ...(image && { image }),
    ...(storageClass && { storageClass }),
  });
  const ask = (...disks: ReturnType<typeof disk>[]): Explanation => fit({ ...wish, disks: disks as never }, [live]);

  test("stay as they are, or grow", () => {
    expect(ask(disk("cp-2-disk-0", "10Gi", "default/deb"), disk("cp-2-disk-1", "300Gi")).refusal).toBeUndefined();
  });

  test("are not mixed up if the first one is removed from the list", () => {
    expect(ask(disk("cp-2-disk-0", "200Gi")).refusal?.message).toBe(
      "the volume cp-2-disk-0 of default/cp-2 was made from the image default/deb, and cannot become an empty disk: give the new disk another name",
    );
  });

  test("do not shrink", () => {
    expect(ask(disk("cp-2-disk-0", "500Mi", "default/deb")).refusal?.message).toContain(
      "the volume cp-2-disk-0 of default/cp-2 has 10Gi, and cannot shrink to 500Mi",
    );
  });

  test("do not move to another storage class", () => {
    expect(ask(disk("cp-2-disk-1", "200Gi", undefined, "fast")).refusal).toBeUndefined();
    expect(ask(disk("cp-2-disk-1", "200Gi", undefined, "slow")).refusal?.message).toBe(
      "the volume cp-2-disk-1 of default/cp-2 has the storage class fast, and cannot move to slow: give the new disk another name",
    );
  });

  test("are reported if the machine loses one", () => {
    expect(ask(disk("cp-2-disk-0", "10Gi", "default/deb")).notes).toEqual([
      "default/cp-2 loses cp-2-disk-1 (200Gi); the volume stays in the cluster",
    ]);
  });
});

describe("the images of a machine", () => {
  const images = [
    { namespace: "default", name: "talos" },
    { namespace: "lab", name: "debian" },
  ];
  const image = (name: string, status: object): object => ({
    found: true,
    object: { kind: "VirtualMachineImage", metadata: { name }, spec: { url: "https://x" }, status },
  });
  const ask = (...answers: object[]): string | undefined =>
    explain(imageClasses({ kubeconfig: "k", machine: "cp-2", images }), { images: answers }).refusal?.message;

  test("may still be downloading, because the run waits for them", () => {
    expect(ask(image("talos", { progress: 60 }), image("debian", { progress: 10 }))).toBeUndefined();
  });

  test("are named if they do not exist", () => {
    expect(ask(image("talos", { progress: 60 }), { found: false })).toBe(
      "lab/debian: the cluster does not have this image",
    );
  });
});

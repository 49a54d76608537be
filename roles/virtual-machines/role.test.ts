import { describe, expect, test } from "vitest";
import { answersOf, attachedMachineOf, soundCluster } from "../../test/guards/examples.ts";
import { vmNetworkOf } from "../../test/guards/network-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { imageClasses } from "./image-classes.ts";
import { machinesFit } from "./machines-fit.ts";

const wish = { name: "default/cp-2", networks: ["default/platform"], macs: ["52:54:00:30:00:02"], disks: [] };
const fit = (machine: typeof wish, machines: object[]): Explanation =>
  explain(machinesFit({ kubeconfig: "k", machines: [machine], classes: [] }), {
    ...answersOf({ ...soundCluster, machines, vmNetworks }),
    classes: [],
  });
const vmNetworks = [vmNetworkOf("platform", "vm", 30)];

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
    const task = machinesFit({ kubeconfig: "k", machines: [wish], classes: ["fats"] });
    expect(explain(task, answers).refusal?.message).toBe(
      "the storage class fats does not exist; the network default/platform of default/cp-2 does not exist",
    );
  });
});

describe("the disks of a machine", () => {
  const template = (claim: string, size: string, imageId?: string): object => ({
    metadata: { name: claim, ...(imageId && { annotations: { "harvesterhci.io/imageId": imageId } }) },
    spec: { resources: { requests: { storage: size } } },
  });
  const templates = [template("cp-2-disk-0", "10Gi", "default/deb"), template("cp-2-disk-1", "200Gi")];
  const annotations = { "harvesterhci.io/volumeClaimTemplates": JSON.stringify(templates) };
  const live = {
    ...attachedMachineOf("cp-2", "default/platform"),
    metadata: { namespace: "default", name: "cp-2", annotations },
  };
  const disk = (claim: string, size: string, image?: string) => ({ claim, size, ...(image && { image }) });
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

import { describe, expect, test } from "vitest";
import { answersOf, attachedMachineOf, soundCluster, vmNetworkOf } from "../../test/guards/examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { imagesReady } from "./images-ready.ts";
import { machinesFit } from "./machines-fit.ts";

const wish = { name: "default/cp-2", networks: ["default/platform"], macs: ["52:54:00:30:00:02"] };
const vmNetworks = [vmNetworkOf("platform", "vm", 30)];

describe("machines", () => {
  const ask = (machines: object[]): string | undefined =>
    explain(machinesFit({ kubeconfig: "k", machines: [wish] }), answersOf({ ...soundCluster, machines, vmNetworks }))
      .refusal?.message;
  const own = attachedMachineOf("cp-2", "default/platform");
  const withMac = (name: string, macAddress: string): object => ({
    metadata: { namespace: "default", name },
    spec: { template: { spec: { domain: { devices: { interfaces: [{ name: "n", macAddress }] } } } } },
  });

  test("fit a cluster that does not have them, or has them already", () => {
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

  test("are refused if another machine has the MAC address, in whatever case", () => {
    expect(ask([withMac("db", "52:54:00:30:00:02".toUpperCase())])).toBe(
      "52:54:00:30:00:02 of default/cp-2 is already the MAC address of default/db",
    );
  });

  test("are refused if a network does not exist", () => {
    const answers = answersOf({ ...soundCluster, machines: [], vmNetworks: [] });
    expect(explain(machinesFit({ kubeconfig: "k", machines: [wish] }), answers).refusal?.message).toBe(
      "the network default/platform of default/cp-2 does not exist",
    );
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
  const imported = { progress: 100, storageClassName: "lh-1", conditions: [{ type: "Imported", status: "True" }] };
  const ask = (...answers: object[]): Explanation =>
    explain(imagesReady({ kubeconfig: "k", machine: "cp-2", images }), { images: answers });

  test("are there when all are imported", () => {
    expect(ask(image("talos", imported), image("debian", imported)).refusal).toBeUndefined();
  });

  test("are waited for, each with its progress", () => {
    const { refusal } = ask(image("talos", { progress: 60 }), image("debian", { progress: 10 }));
    expect(refusal?.message).toBe("default/talos: 60 % are downloaded; lab/debian: 10 % are downloaded");
    expect(refusal?.final).toBeUndefined();
  });

  test("end the wait at once if one does not exist", () => {
    const { refusal } = ask(image("talos", imported), { found: false });
    expect(refusal).toMatchObject({ final: true, message: "lab/debian: the cluster does not have this image" });
  });
});

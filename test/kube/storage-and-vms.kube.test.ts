import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { machinesSchema } from "../../roles/virtual-machines/machines.ts";
import { virtualMachines } from "../../roles/virtual-machines/role.ts";
import { vmStorage } from "../../roles/vm-storage/role.ts";
import { vmStorageSchema } from "../../roles/vm-storage/storage.ts";
import { pciClaimOf, pciDeviceOf } from "../guards/examples.ts";
import { vmNetworkOf } from "../guards/network-examples.ts";
import { claimOf } from "../guards/operation-examples.ts";
import { addonOf } from "../guards/report-examples.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply, backupTargetController, kubeVirt, makeNodes, patch, play, read } from "./actors.ts";
import { addonKind, deviceKinds } from "./device-kinds.ts";
import { imageKind, networkKinds, runningKinds, settingKind } from "./harvester-kinds.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;

beforeAll(async () => {
  server = await ApiServer.up();
  apply(server, ...networkKinds, ...runningKinds, imageKind, settingKind, addonKind);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  makeNodes(server, { "harvester-1": {}, "harvester-2": {} });
  apply(
    server,
    { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition", ...vmNetworkOf("platform", "vm", 30) },
    { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting", metadata: { name: "backup-target" } },
    {
      apiVersion: "harvesterhci.io/v1beta1",
      kind: "VirtualMachineImage",
      metadata: { name: "talos", namespace: "default" },
      spec: { displayName: "talos", sourceType: "download", url: "https://x.example.org/talos.raw.xz" },
      status: { progress: 100, storageClassName: "lh-7", conditions: [{ type: "Imported", status: "True" }] },
    },
  );
  controllers = play(server, stop.signal, kubeVirt, backupTargetController);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !one.endsWith(": ok"));

describe("the storage of a cluster", () => {
  const storage = (replicas: number, backupTarget = "nfs://nas:/backups") =>
    vmStorage(
      vmStorageSchema.parse({ kubeconfig: server.kubeconfig(), storageClasses: { fast: { replicas } }, backupTarget }),
    );

  test("is set up: check mode says what the run will do, and a second run changes nothing", async () => {
    const checked = await host.check(storage(2));
    const applied = await host.apply(storage(2));
    expect(outcomes(applied)).toEqual([
      "the cluster has a node for each replica of the storage classes: ok",
      "Harvester accepts nfs://nas:/backups for backups: ok",
      "kubeObject StorageClass fast: changed",
      "backups go to nfs://nas:/backups: changed",
      "Harvester reaches nfs://nas:/backups: ok",
    ]);
    expect(outcomes(checked).slice(0, -1)).toEqual(outcomes(applied).slice(0, -1));
    expect(changedIn(await host.apply(storage(2)))).toEqual([]);
  });

  test("is refused, in check mode and in a run, if a class would change or requires too many replicas", async () => {
    for (const mode of ["check", "apply"] as const) {
      expect(changedIn(await host[mode](storage(1))).join()).toContain("kubeObject StorageClass fast: failed");
      expect(changedIn(await host[mode](storage(3))).join()).toContain("the cluster has 2 nodes with storage");
      expect(changedIn(await host[mode](storage(2, "nfs://other:/x"))).join()).toContain(
        "the cluster backs up to nfs://nas:/backups",
      );
    }
  });
});

describe("the machines of a cluster", () => {
  type Vars = z.input<typeof machinesSchema>["machines"];
  const machines = (vars: Vars, more: object = {}) =>
    virtualMachines(
      machinesSchema.parse({ kubeconfig: server.kubeconfig(), machines: vars, deadlineSeconds: 120, ...more }),
    );
  const password = secretOf("s3cret-value", "password");
  const wanted = (): Vars => ({
    "cp-2": {
      cores: 4,
      memory: "16Gi",
      disks: [{ image: "talos", size: "50Gi" }],
      networks: [{ network: "platform", mac: "52:54:00:30:00:02" }],
      userData: password.map((one) => `#cloud-config\npassword: ${one}\n`),
    },
    spare: {
      cores: 1,
      memory: "512Mi",
      disks: [{ size: "1Gi" }],
      networks: [{ network: "platform" }],
      run: "Halted",
    },
  });

  test("are created from their images and run; a second run changes nothing; no output shows their secrets", async () => {
    const checked = await host.check(machines(wanted()));
    const applied = await host.apply(machines(wanted()));
    expect(outcomes(applied)).toEqual([
      "the machines fit the cluster: ok",
      "the cluster has the images default/talos: ok",
      "the storage classes of the images of cp-2: ok",
      "kubeObject Secret default/cp-2-cloud-init: changed",
      "kubeObject VirtualMachine default/cp-2: changed",
      "kubeWait VirtualMachine default/cp-2: ok",
      "kubeObject VirtualMachine default/spare: changed",
      "machines that need a restart: ok",
      "Secrets for cloud-init that no machine needs: ok",
      "machines that cannot be live-migrated: ok",
    ]);
    expect(outcomes(checked).toSpliced(5, 1)).toEqual(outcomes(applied).toSpliced(5, 1));
    expect(JSON.stringify([checked, applied])).not.toMatch(/s3cret-value|cGFzc3dvcmQ6/);
    const again = [...(await host.check(machines(wanted()))), ...(await host.apply(machines(wanted())))];
    expect(changedIn(again)).toEqual([]);
    const made = read(server, "virtualmachine", "cp-2") as { metadata: { annotations: Record<string, string> } };
    expect(made.metadata.annotations["harvesterhci.io/volumeClaimTemplates"]).toContain('"storageClassName":"lh-7"');
    const { data } = read(server, "secret", "cp-2-cloud-init") as { data: { userdata: string } };
    expect(Buffer.from(data.userdata, "base64").toString()).toBe("#cloud-config\npassword: s3cret-value\n");
  });

  test("that would get a volume of a deleted machine are refused, and nothing changes, unless the volume is accepted", async () => {
    apply(server, { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claimOf("web-disk-0", "1Gi") });
    const web: Vars = {
      web: { cores: 1, memory: "512Mi", disks: [{ size: "1Gi" }], networks: [{ network: "platform" }], run: "Halted" },
    };
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](machines(web));
      expect(ends[0]?.error?.message).toContain("the volume default/web-disk-0 (1Gi, created 20");
      expect(ends).toHaveLength(1);
    }
    const accepted = { acceptVolumes: ["default/web-disk-0"] };
    expect(changedIn(await host.apply(machines(web, accepted)))).toEqual([
      "kubeObject VirtualMachine default/web: changed",
    ]);
    expect(changedIn([...(await host.check(machines(web))), ...(await host.apply(machines(web)))])).toEqual([]);
  });

  test("that were shut down in the guest are refused at once, in check mode and in a run", async () => {
    patch(server, "virtualmachine", "cp-2", { status: { printableStatus: "Stopped" } });
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](machines(wanted()));
      expect(ends[0]?.error?.message).toContain("default/cp-2 was shut down");
      expect(ends).toHaveLength(1);
    }
    patch(server, "virtualmachine", "cp-2", { status: { printableStatus: "Running" } });
  });

  test("that belong to another owner are refused, and nothing changes", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "tenant-1", uid: "1" };
    patch(server, "virtualmachine", "spare", { metadata: { ownerReferences: [owner] } });
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](machines(wanted()));
      expect(ends[0]?.error?.message).toContain("default/spare belongs to ConfigMap tenant-1");
      expect(ends).toHaveLength(1);
    }
  });

  describe("with a device of a node", () => {
    const device = "harvester-1-000001000";
    const gaming: Vars = {
      gaming: {
        cores: 8,
        memory: "32Gi",
        disks: [
          { image: "talos", size: "20Gi", type: "cd-rom" },
          { name: "root", size: "100Gi" },
        ],
        networks: [{ network: "platform", model: "e1000" }],
        firmware: "uefi-secure-boot",
        tpm: true,
        os: "windows",
        driverDisk: "registry.suse.com/suse/vmdp/vmdp:2.5.4.3",
        devices: [device],
      },
    };
    const devicesOf = (api: string, kind: string) => ({ apiVersion: `${api}/v1beta1`, kind });

    /** What check mode and a run report before anything is created. */
    async function refusals(): Promise<string[]> {
      const ends = [await host.check(machines(gaming)), await host.apply(machines(gaming))];
      for (const { length } of ends) expect(length).toBe(2);
      expect(JSON.stringify(read(server, "virtualmachines"))).not.toContain("gaming");
      return ends.map((one) => one.at(-1)?.error?.message ?? "");
    }
    const twice = (says: string): unknown[] => [expect.stringContaining(says), expect.stringContaining(says)];

    test("are refused, and nothing changes, while the add-on is off, or the device is missing or not claimed", async () => {
      const addon = "harvester-system/pcidevices-controller";
      const addonIs = (enabled: boolean): void =>
        apply(server, { ...devicesOf("harvesterhci.io", "Addon"), ...addonOf(addon, enabled) });
      server.kubectl(["create", "namespace", "harvester-system"]);
      addonIs(false);
      expect(await refusals()).toEqual(twice(`the add-on ${addon}, which passes devices through, is off`));
      addonIs(true);
      expect(await refusals()).toEqual(twice("the PCI devices of the nodes"));
      apply(server, ...deviceKinds);
      server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
      expect(await refusals()).toEqual(twice(`the device ${device} of default/gaming does not exist`));
      const kind = devicesOf("devices.harvesterhci.io", "PCIDevice");
      apply(server, { ...kind, ...pciDeviceOf("harvester-1", "000001000") });
      expect(await refusals()).toEqual(twice("is not claimed"));
    });

    test("are created on that node; the run says that they cannot be live-migrated; a second run changes nothing", async () => {
      const kind = devicesOf("devices.harvesterhci.io", "PCIDeviceClaim");
      apply(server, { ...kind, ...pciClaimOf("harvester-1", "000001000") });
      const checked = await host.check(machines(gaming));
      const applied = await host.apply(machines(gaming));
      expect(outcomes(applied)).toEqual([
        "the machines fit the cluster: ok",
        "the devices of default/gaming: ok",
        "the cluster has the images default/talos: ok",
        "the storage classes of the images of gaming: ok",
        "kubeObject VirtualMachine default/gaming: changed",
        "kubeWait VirtualMachine default/gaming: ok",
        "machines that need a restart: ok",
        "Secrets for cloud-init that no machine needs: ok",
        "machines that cannot be live-migrated: ok",
      ]);
      expect(outcomes(checked).toSpliced(5, 1)).toEqual(outcomes(applied).toSpliced(5, 1));
      expect(JSON.stringify(applied.at(-1))).toContain(
        `default/gaming cannot be live-migrated: it uses ${device} of its node`,
      );
      const { spec } = read(server, "virtualmachine", "gaming") as {
        spec: { template: { spec: { nodeSelector: object; domain: { devices: { hostDevices: object[] } } } } };
      };
      expect(spec.template.spec.nodeSelector).toEqual({ "kubernetes.io/hostname": "harvester-1" });
      expect(spec.template.spec.domain.devices.hostDevices).toEqual([{ name: device, deviceName: "nvidia.com/GA102" }]);
      expect(changedIn([...(await host.check(machines(gaming))), ...(await host.apply(machines(gaming)))])).toEqual([]);
    });

    test("are refused, and nothing changes, if another machine has the device", async () => {
      const { gaming: same } = gaming;
      for (const mode of ["check", "apply"] as const) {
        const ends = await host[mode](machines({ render: same as NonNullable<typeof same> }));
        expect(ends.at(-1)?.error?.message).toContain("of default/render belongs to default/gaming");
      }
      expect(JSON.stringify(read(server, "virtualmachines"))).not.toContain("render");
    });
  });
});

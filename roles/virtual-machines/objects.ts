import type { V1VirtualMachine } from "@kubevirt-ui-ext/kubevirt-api/kubevirt";
import type { ISecret } from "kubernetes-models/v1/Secret";
import type { Given, Text } from "../../src/kubernetes/index.ts";
import { mapTexts, type Secret } from "../../src/authoring.ts";
import { claimName, diskName, type Machine, otherVolumes, placeOf } from "./machines.ts";

/** A machine with its name. */
interface Named {
  readonly name: string;
  readonly machine: Machine;
}

/** Storage classes of images by `NAMESPACE/NAME`. */
type ImageClasses = Readonly<Record<string, string>>;

const base64 = (plain: Secret | string): string =>
  mapTexts([String(plain)], ([value]) => Buffer.from(value).toString("base64"));

/** The Secret with cloud-init's data; undefined for a machine without any. */
export function cloudInitObject({ name, machine: { namespace, userData, networkData } }: Named) {
  if (userData === undefined && networkData === undefined) return undefined;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName(name), namespace },
    data: {
      userdata: base64(userData ?? "#cloud-config\n"),
      ...(networkData !== undefined && { networkdata: base64(networkData) }),
    },
  } satisfies ISecret;
}

/** The name of the Secret with a machine's data for cloud-init. */
export const secretName = (name: string): string => `${name}-cloud-init`;

/** The storage class of an empty disk. */
export const defaultClass = "harvester-longhorn";

/**
 * Harvester's description of the claims that it makes for a machine (annotation harvesterhci.io/volumeClaimTemplates,
 * pkg/controller/master/virtualmachine in harvester/harvester).
 */
export function claimTemplates({ name, machine: { namespace, disks } }: Named, classes: ImageClasses): string {
  const templates = disks.map((disk, index) => {
    const { image, size, storageClass } = disk;
    const place = image === undefined ? undefined : placeOf(image, namespace);
    const id = place && `${place.namespace}/${place.name}`;
    return {
      metadata: {
        name: claimName(name, disk, index),
        ...(id !== undefined && { annotations: { "harvesterhci.io/imageId": id } }),
      },
      spec: {
        accessModes: ["ReadWriteMany"],
        resources: { requests: { storage: size } },
        volumeMode: "Block",
        storageClassName: id === undefined ? (storageClass ?? defaultClass) : (classes[id] ?? ""),
      },
    };
  });
  return JSON.stringify(templates);
}

/** Where a machine with devices runs, and the devices in its definition. */
interface Attached {
  readonly node: Text;
  readonly devices: readonly { readonly name: Text; readonly deviceName: Text }[];
}

/**
 * The virtual machine (KubeVirt's VirtualMachine, kubevirt.io, v1). `templates` is the string that {@link
 * claimTemplates} returns. A Windows machine has the features of Harvester's own templates for Windows
 * (pkg/data/template.go in harvester/harvester), which enable no Hyper-V features.
 */
export function machineObject({ name, machine }: Named, templates: Text, attached?: Attached) {
  const { namespace, description, cores, memory, disks, networks, firmware, tpm, run, os, driverDisk } = machine;
  const hasCloudInit = machine.userData !== undefined || machine.networkData !== undefined;
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachine",
    metadata: {
      name,
      namespace,
      ...(os !== undefined && { labels: { "harvesterhci.io/os": os } }),
      annotations: {
        "harvesterhci.io/volumeClaimTemplates": templates,
        ...(os === "windows" && { "harvesterhci.io/reservedMemory": "256Mi" }),
        ...(description !== undefined && { "field.cattle.io/description": description }),
      },
    },
    spec: {
      runStrategy: run,
      template: {
        metadata: { labels: { "harvesterhci.io/vmName": name } },
        spec: {
          hostname: name,
          // KubeVirt gives the machine any device of the model, on any node, unless the definition names a node.
          ...(attached !== undefined && { nodeSelector: { "kubernetes.io/hostname": attached.node } }),
          // A machine that cannot be migrated is shut down when its node is drained.
          evictionStrategy: "LiveMigrateIfPossible",
          terminationGracePeriodSeconds: 120,
          domain: {
            machine: { type: "q35" },
            cpu: { cores, sockets: 1, threads: 1 },
            resources: { limits: { cpu: String(cores), memory } },
            ...(firmware === "uefi-secure-boot" && { features: { acpi: {}, smm: { enabled: true } } }),
            ...(firmware !== "bios" && {
              firmware: { bootloader: { efi: { secureBoot: firmware === "uefi-secure-boot" } } },
            }),
            devices: {
              disks: [
                ...disks.map((disk, index) => ({
                  name: diskName(disk, index),
                  bootOrder: index + 1,
                  [disk.type === "disk" ? "disk" : "cdrom"]: { bus: busOf(disk) },
                })),
                ...(driverDisk === undefined ? [] : [{ name: otherVolumes.drivers, cdrom: { bus: "sata" } }]),
                ...(hasCloudInit ? [{ name: otherVolumes.cloudInit, disk: { bus: "virtio" } }] : []),
              ],
              interfaces: networks.map(({ mac, model }, index) => ({
                name: `nic-${index}`,
                model,
                bridge: {},
                ...(mac !== undefined && { macAddress: mac }),
              })),
              ...(os === "windows" && { inputs: [{ name: "tablet", type: "tablet", bus: "usb" }] }),
              ...(attached !== undefined && { hostDevices: attached.devices }),
              ...(tpm && { tpm: {} }),
            },
          },
          networks: networks.map(({ network }, index) => {
            const place = placeOf(network, namespace);
            return { name: `nic-${index}`, multus: { networkName: `${place.namespace}/${place.name}` } };
          }),
          volumes: [
            ...disks.map((disk, index) => ({
              name: diskName(disk, index),
              persistentVolumeClaim: { claimName: claimName(name, disk, index) },
            })),
            ...(driverDisk === undefined ? [] : [{ name: otherVolumes.drivers, containerDisk: { image: driverDisk } }]),
            ...(hasCloudInit ? [{ name: otherVolumes.cloudInit, cloudInitNoCloud: cloudInit(name, machine) }] : []),
          ],
        },
      },
    },
  } satisfies Given<V1VirtualMachine>;
}

function busOf({ type, bus }: Machine["disks"][number]): "virtio" | "sata" | "scsi" {
  return bus ?? (type === "disk" ? "virtio" : "sata");
}

function cloudInit(name: string, { networkData }: Machine) {
  const ref = { name: secretName(name) };
  return { secretRef: ref, ...(networkData !== undefined && { networkDataSecretRef: ref }) };
}

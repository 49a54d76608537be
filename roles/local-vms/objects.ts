import type {
  V1beta1DataVolume,
  V1beta1StorageSpecAccessModesEnum,
} from "@kubevirt-ui-ext/kubevirt-api/containerized-data-importer";
import type { V1VirtualMachine } from "@kubevirt-ui-ext/kubevirt-api/kubevirt";
import type { ISecret } from "kubernetes-models/v1/Secret";
import { mapTexts } from "../../src/authoring.ts";
import type { Given, NetworkAttachmentDefinition } from "../../src/kubernetes/index.ts";
import { networkText, userText } from "./cloud-init.ts";
import { macOf } from "./mac.ts";
import type { LocalVm, LocalVms } from "./vms.ts";

/** The storage class of local-path-provisioner (deploy/local-path-storage.yaml). */
export const storageClass = "local-path";

/**
 * A network for machines: the `bridge` CNI plug-in attaches them to a bridge of the node on which they run
 * (cni.dev/plugins/current/main/bridge).
 */
export function networkObject(name: string, { bridge, vlan }: LocalVms["networks"][string], namespace: string) {
  return {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: { name, namespace },
    spec: {
      config: JSON.stringify({
        cniVersion: "0.3.1",
        name,
        type: "bridge",
        bridge,
        ...(vlan !== undefined && { vlan }),
        ipam: {},
      }),
    },
  } satisfies NetworkAttachmentDefinition;
}

const volume = (request: string) => ({
  accessModes: ["ReadWriteOnce" as V1beta1StorageSpecAccessModesEnum],
  resources: { requests: { storage: request } },
  storageClassName: storageClass,
});

/** The source from which CDI fills a volume. */
export function imageSource({ source }: Pick<LocalVms["images"][string], "source">) {
  return source.startsWith("docker://") ? { registry: { url: source } } : { http: { url: source } };
}

/**
 * An image in its own volume. It is downloaded at once, even though no machine uses the volume itself
 * (doc/waitforfirstconsumer-storage-handling.md), and CDI does not remove the object when it has finished
 * (doc/datavolumes.md, both in kubevirt/containerized-data-importer).
 */
export function imageObject(name: string, image: LocalVms["images"][string], namespace: string) {
  return {
    apiVersion: "cdi.kubevirt.io/v1beta1",
    kind: "DataVolume",
    metadata: {
      name,
      namespace,
      annotations: {
        "cdi.kubevirt.io/storage.bind.immediate.requested": "",
        "cdi.kubevirt.io/storage.deleteAfterCompletion": "false",
      },
    },
    spec: { contentType: "kubevirt", source: imageSource(image), storage: volume(image.size) },
  } satisfies V1beta1DataVolume;
}

/** The name of a disk's volume. */
export const volumeName = (machine: string, index: number): string => `${machine}-disk-${index}`;

/** The name of the Secret with cloud-init's data. */
export const secretName = (machine: string): string => `${machine}-cloud-init`;

/** The Secret with cloud-init's data. */
export function cloudInitObject(name: string, machine: LocalVm, namespace: string) {
  const base64 = (plain: string): string => mapTexts([plain], ([value]) => Buffer.from(value).toString("base64"));
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName(name), namespace },
    data: {
      userdata: base64(userText(name, machine)),
      networkdata: base64(networkText(name, machine, namespace)),
    },
  } satisfies ISecret;
}

/**
 * A machine (KubeVirt's VirtualMachine). KubeVirt creates its volumes along with it: copies of images, or empty ones. A
 * machine with local volumes can run on only one node, so it is shut down, not migrated, when that node is drained.
 */
export function machineObject(name: string, machine: LocalVm, namespace: string) {
  const { cores, memory, disks, nics, run } = machine;
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachine",
    metadata: { name, namespace, labels: { "kubevirt.io/os": "linux" } },
    spec: {
      runStrategy: run,
      dataVolumeTemplates: disks.map(({ image, size }, index) => ({
        metadata: { name: volumeName(name, index) },
        spec: {
          source: image === undefined ? { blank: {} } : { pvc: { namespace, name: image } },
          storage: volume(size),
        },
      })),
      template: {
        metadata: { labels: { "kubevirt.io/domain": name } },
        spec: {
          hostname: name,
          evictionStrategy: "None",
          terminationGracePeriodSeconds: 120,
          domain: {
            machine: { type: "q35" },
            cpu: { cores, sockets: 1, threads: 1 },
            resources: { requests: { memory } },
            devices: {
              disks: [
                ...disks.map((_, index) => ({
                  name: `disk-${index}`,
                  bootOrder: index + 1,
                  disk: { bus: "virtio" },
                })),
                { name: "cloud-init", cdrom: { bus: "sata", readonly: true } },
              ],
              interfaces: nics.map((_, index) => ({
                name: `nic-${index}`,
                model: "virtio",
                bridge: {},
                macAddress: macOf(name, namespace, index),
              })),
            },
          },
          networks: nics.map(({ network }, index) => ({
            name: `nic-${index}`,
            multus: { networkName: `${namespace}/${network}` },
          })),
          volumes: [
            ...disks.map((_, index) => ({ name: `disk-${index}`, dataVolume: { name: volumeName(name, index) } })),
            {
              name: "cloud-init",
              cloudInitNoCloud: {
                secretRef: { name: secretName(name) },
                networkDataSecretRef: { name: secretName(name) },
              },
            },
          ],
        },
      },
    },
  } satisfies Given<V1VirtualMachine>;
}

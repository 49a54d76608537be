import { z } from "../../src/authoring.ts";

const name = z.string().min(1);
/** The controller's definitions allow null for any string. */
const text = z.string().nullish();

const metadata = z.looseObject({ name, deletionTimestamp: z.string().optional() });

/**
 * A PCI device of a node (pkg/apis/devices.harvesterhci.io/v1beta1/pcidevice.go in harvester/pcidevices, commit
 * e6f3599f). Until the node has described the device, the object has no status, and guards cannot use a list that
 * contains it.
 */
export const pciDeviceSchema = z
  .looseObject({
    metadata,
    status: z.looseObject({ nodeName: name, resourceName: name, description: text, iommuGroup: text }),
  })
  .transform(({ metadata: own, status }) => ({
    name: own.name,
    node: status.nodeName,
    /** The name under which KubeVirt assigns the device to machines; all devices of a model share the name. */
    resource: status.resourceName,
    description: status.description ?? "",
    /** The IOMMU group, whose devices can be assigned only together; undefined if the node reports none. */
    group: status.iommuGroup || undefined,
  }));

/** The parts of a PCI device that the guards use. */
export type PciDeviceObject = z.output<typeof pciDeviceSchema>;

/**
 * A claim on a PCI device for use by machines (pcideviceclaim.go in the same folder, commit 3c6d2eb7). The claim has
 * the same name as the device.
 */
export const pciClaimSchema = z
  .looseObject({
    metadata,
    spec: z.looseObject({ nodeName: name }),
    status: z.looseObject({ passthroughEnabled: z.boolean().default(false) }).default({ passthroughEnabled: false }),
  })
  .transform(({ metadata: own, status }) => ({
    name: own.name,
    isDeleted: own.deletionTimestamp !== undefined,
    /** True if the node's own driver has released the device. */
    isReady: status.passthroughEnabled,
  }));

/**
 * The node devices in a machine's definition: their names, and the names under which KubeVirt assigns them. A device
 * from a Kubernetes resource claim has no such name (V1HostDevice in kubevirt/kubevirt).
 */
export const hostDevices = z.array(z.looseObject({ name, deviceName: z.string().default("") })).default([]);

const allocation = z.looseObject({ hostdevices: z.record(z.string(), z.array(z.string())).default({}) });

/**
 * Returns the devices that a machine actually got: KubeVirt assigns any device of the model, and the controller then
 * records which one in an annotation (common.go and pkg/controller/virtualmachine in harvester/pcidevices).
 */
export function givenDevices(annotations: Readonly<Record<string, string>>): string[] {
  try {
    const noted: unknown = JSON.parse(annotations["harvesterhci.io/deviceAllocationDetails"] ?? "{}");
    return Object.values(allocation.parse(noted).hostdevices).flat();
  } catch {
    return [];
  }
}

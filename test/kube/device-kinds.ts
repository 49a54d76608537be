import { definition } from "./harvester-kinds.ts";

const text = { type: "string", nullable: true };
const texts = (...names: string[]): object => Object.fromEntries(names.map((one) => [one, text]));
const object = (properties: object): object => ({ type: "object", properties });

const kind = (name: string, spec: object, status: object): object =>
  definition("devices.harvesterhci.io", "v1beta1", name, `${name.toLowerCase()}s`, "Cluster", object({ spec, status }));

/**
 * The definitions of PCIDevice and PCIDeviceClaim (charts/templates/crds.yaml in harvester/pcidevices, commit
 * cbb7e646).
 */
export const deviceKinds: readonly object[] = [
  kind(
    "PCIDevice",
    { type: "object" },
    object({
      ...texts("address", "classId", "description", "deviceId", "iommuGroup"),
      ...texts("kernelDriverInUse", "nodeName", "resourceName", "vendorId"),
    }),
  ),
  kind(
    "PCIDeviceClaim",
    object(texts("address", "nodeName", "userName")),
    object({ ...texts("kernelDriverToUnbind"), passthroughEnabled: { type: "boolean" } }),
  ),
];

/** The definition of an add-on; the tests need only that the server stores it unchanged. */
export const addonKind: object = definition("harvesterhci.io", "v1beta1", "Addon", "addons", "Namespaced", {
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
});

/**
 * The kinds of Harvester's network controller and of Multus, as definitions for a real API server. The fields, enums,
 * minimums and defaults are those of manifests/crds/network.harvesterhci.io_*.yaml in harvester/network-controller-harvester
 * (commits 1bbe07f8, 2f45d9cc and 0a06c6f2), and of the network-attachment-definition-client of Multus.
 */
const text = { type: "string" };
const texts = { type: "object", additionalProperties: text };
const integer = { type: "integer" };
const list = (items: object): object => ({ type: "array", items });
const object = (properties: object, required: string[] = []): object => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
});

const conditions = list(
  object({ type: text, status: text, reason: text, message: text, lastTransitionTime: text, lastUpdateTime: text }, [
    "status",
    "type",
  ]),
);

const links = list(
  object(
    {
      name: text,
      index: integer,
      type: text,
      mac: text,
      promiscuous: { type: "boolean" },
      state: text,
      masterIndex: integer,
    },
    ["name"],
  ),
);

const bond = object({
  mode: {
    ...text,
    enum: ["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb"],
    default: "active-backup",
  },
  miimon: { ...integer, minimum: -1, default: -1 },
});

const linkAttributes = object({
  mtu: { ...integer, minimum: 0 },
  txQLen: { ...integer, minimum: -1, default: -1 },
  hardwareAddr: { ...text, format: "byte" },
});

/** The definition of a kind with one version. */
export function definition(
  group: string,
  version: string,
  kind: string,
  plural: string,
  scope: "Cluster" | "Namespaced",
  schema: object,
): object {
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const versions = [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names, versions },
  };
}

const network = "network.harvesterhci.io";

const strings = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, text]));

/**
 * The definition of VirtualMachineImage, with the fields, enums, limits and defaults of
 * pkg/apis/harvesterhci.io/v1beta1/image.go in harvester/harvester (commit eed8bcc8).
 */
export const imageKind: object = definition(
  "harvesterhci.io",
  "v1beta1",
  "VirtualMachineImage",
  "virtualmachineimages",
  "Namespaced",
  object(
    {
      spec: object(
        {
          ...strings(
            "description",
            "displayName",
            "pvcName",
            "pvcNamespace",
            "url",
            "checksum",
            "targetStorageClassName",
          ),
          backend: { ...text, enum: ["backingimage", "cdi"], default: "backingimage" },
          sourceType: { ...text, enum: ["download", "upload", "export-from-volume", "restore", "clone"] },
          storageClassParameters: texts,
          retry: { ...integer, minimum: 0, maximum: 10, default: 3 },
          securityParameters: object(
            {
              ...strings("sourceImageName", "sourceImageNamespace"),
              cryptoOperation: { ...text, enum: ["encrypt", "decrypt"] },
            },
            ["cryptoOperation", "sourceImageName", "sourceImageNamespace"],
          ),
        },
        ["displayName", "sourceType"],
      ),
      status: object({
        ...strings("appliedUrl", "storageClassName", "lastFailedTime", "targetStorageClassName"),
        progress: integer,
        size: integer,
        virtualSize: integer,
        failed: { ...integer, minimum: 0, default: 0 },
        conditions,
      }),
    },
    ["spec"],
  ),
);

/** The definition of Setting (pkg/apis/harvesterhci.io/v1beta1/setting.go in harvester/harvester). */
export const settingKind: object = definition(
  "harvesterhci.io",
  "v1beta1",
  "Setting",
  "settings",
  "Cluster",
  object({
    ...strings("value", "default", "source"),
    customized: { type: "boolean" },
    status: object({ conditions }),
  }),
);

/**
 * The definitions of ClusterNetwork, VlanConfig, VlanStatus, LinkMonitor, NetworkAttachmentDefinition and
 * VirtualMachine.
 */
export const networkKinds: readonly object[] = [
  definition(
    network,
    "v1beta1",
    "ClusterNetwork",
    "clusternetworks",
    "Cluster",
    object({ status: object({ conditions }) }),
  ),
  definition(
    network,
    "v1beta1",
    "VlanConfig",
    "vlanconfigs",
    "Cluster",
    object(
      {
        spec: object(
          {
            clusterNetwork: text,
            description: text,
            nodeSelector: texts,
            uplink: object({ nics: list(text), bondOptions: bond, linkAttributes }),
          },
          ["clusterNetwork", "uplink"],
        ),
      },
      ["spec"],
    ),
  ),
  definition(
    network,
    "v1beta1",
    "VlanStatus",
    "vlanstatuses",
    "Cluster",
    object(
      {
        status: object(
          {
            clusterNetwork: text,
            vlanConfig: text,
            node: text,
            linkStatus: links,
            localAreas: list(object({ vlanID: integer, cidr: text }, ["vlanID"])),
            conditions,
          },
          ["clusterNetwork", "node", "vlanConfig"],
        ),
      },
      ["status"],
    ),
  ),
  definition(
    network,
    "v1beta1",
    "LinkMonitor",
    "linkmonitors",
    "Cluster",
    object(
      {
        spec: object({ nodeSelector: texts, targetLinkRule: object({ nameRule: text, typeRule: text }) }),
        status: object({ conditions, linkStatus: { type: "object", additionalProperties: links } }),
      },
      ["spec"],
    ),
  ),
  definition(
    "k8s.cni.cncf.io",
    "v1",
    "NetworkAttachmentDefinition",
    "network-attachment-definitions",
    "Namespaced",
    object({ spec: object({ config: text }) }),
  ),
  // The tests need only that the server stores a virtual machine unchanged.
  definition("kubevirt.io", "v1", "VirtualMachine", "virtualmachines", "Namespaced", {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  }),
];

/** The definition of a kind whose objects the server only has to store unchanged. */
const kept = (group: string, version: string, kind: string, plural: string): object =>
  definition(group, version, kind, plural, "Namespaced", {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  });

/** The definitions of live migrations, of KubeVirt's configuration, and of migration policies. */
export const migrationKinds: readonly object[] = [
  kept("kubevirt.io", "v1", "VirtualMachineInstanceMigration", "virtualmachineinstancemigrations"),
  kept("kubevirt.io", "v1", "KubeVirt", "kubevirts"),
  definition("migrations.kubevirt.io", "v1alpha1", "MigrationPolicy", "migrationpolicies", "Cluster", {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  }),
];

/** The definitions of running machines, of Longhorn's volumes, replicas and nodes, and of Harvester's upgrades. */
export const runningKinds: readonly object[] = [
  kept("kubevirt.io", "v1", "VirtualMachineInstance", "virtualmachineinstances"),
  kept("longhorn.io", "v1beta2", "Volume", "volumes"),
  kept("longhorn.io", "v1beta2", "Replica", "replicas"),
  kept("longhorn.io", "v1beta2", "Node", "nodes"),
  kept("harvesterhci.io", "v1beta1", "Upgrade", "upgrades"),
];

/** All kinds whose fields are defined here. */
export const harvesterKinds: readonly object[] = [
  imageKind,
  settingKind,
  ...networkKinds.filter((kind) => !JSON.stringify(kind).includes("preserve-unknown-fields")),
];

import { cephDriver, csiNodeOf, storageClassOf } from "./ceph-examples.ts";

const gibibyte = 2 ** 30;

function placeOf(path: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = path.split("/");
  return { namespace, name };
}

/** A pod that requests a core and a gibibyte. */
export function podOf(
  path: string,
  nodeName: string | undefined,
  {
    cpu = "1",
    memory = "1Gi",
    owner = "ReplicaSet/own",
    phase = "Running",
    why = "",
    restarts = 0,
    selector,
  }: {
    readonly cpu?: string;
    readonly memory?: string;
    readonly owner?: string;
    readonly phase?: string;
    readonly why?: string;
    readonly restarts?: number;
    readonly selector?: object;
  } = {},
): object {
  const [kind, name] = owner.split("/");
  const state = why === "" ? { running: {} } : { waiting: { reason: why } };
  return {
    metadata: { ...placeOf(path), ownerReferences: [{ kind, name }] },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      ...(selector !== undefined && { nodeSelector: selector }),
      containers: [{ name: "main", resources: { requests: { cpu, memory } } }],
    },
    status: { phase, containerStatuses: [{ ready: why === "", restartCount: restarts, state }] },
  };
}

/** The pod in which a virtual machine runs. */
export function machinePodOf(machine: string, nodeName: string, cpu: string, memory: string): object {
  const { namespace, name } = placeOf(machine);
  const owner = `VirtualMachineInstance/${name}`;
  return podOf(`${namespace}/virt-launcher-${name}-x2x4z`, nodeName, { cpu, memory, owner });
}

const good = [
  { type: "Ready", status: "True" },
  { type: "Schedulable", status: "True" },
];

/** Longhorn's view of a node with one disk of 300 GiB. */
export function longhornNodeOf(
  name: string,
  {
    spec = {},
    disk = {},
    seen = {},
    conditions = good,
    zone = "",
  }: {
    readonly spec?: object;
    readonly disk?: object;
    readonly seen?: object | undefined;
    readonly conditions?: readonly object[];
    readonly zone?: string;
  } = {},
): object {
  const own = { path: "/var/lib/harvester/defaultdisk", diskType: "filesystem", allowScheduling: true, tags: [] };
  return {
    metadata: { name },
    spec: {
      name,
      allowScheduling: true,
      evictionRequested: false,
      tags: [],
      disks: { "default-disk": { ...own, evictionRequested: false, storageReserved: 30 * gibibyte, ...disk } },
      ...spec,
    },
    status: {
      conditions,
      zone,
      diskStatus: {
        "default-disk": {
          conditions: good,
          diskUUID: `disk-of-${name}`,
          storageMaximum: 300 * gibibyte,
          storageScheduled: 100 * gibibyte,
          storageAvailable: 200 * gibibyte,
          ...seen,
        },
      },
    },
  };
}

/** The file of an image, with a complete copy on each of these nodes. */
export function backingImageOf(image: string, ...nodes: string[]): object {
  const disks = nodes.map((node) => `disk-of-${node}`);
  return {
    metadata: { name: `vmi-${placeOf(image).name}`, annotations: { "harvesterhci.io/imageId": image } },
    spec: {
      sourceType: "upload",
      diskFileSpecMap: Object.fromEntries(disks.map((disk) => [disk, { dataEngine: "v1", evictionRequested: false }])),
    },
    status: {
      size: gibibyte,
      diskFileStatusMap: Object.fromEntries(disks.map((disk) => [disk, { state: "ready", progress: 100 }])),
    },
  };
}

/** A Longhorn setting. */
export function settingOf(name: string, value: string): object {
  return { metadata: { name }, value };
}

/** A snapshot of a volume. */
export function snapshotOf(name: string, volume: string, status: object = {}): object {
  return {
    metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { volume, createSnapshot: true },
    status: { creationTime: "2026-01-01T00:00:00Z", size: gibibyte, userCreated: false, readyToUse: true, ...status },
  };
}

/** A replica's directory that no volume owns. */
export function orphanOf(name: string, nodeID: string): object {
  return { metadata: { name }, spec: { nodeID, orphanType: "replica", parameters: {} } };
}

/** A Harvester add-on. */
export function addonOf(path: string, enabled: boolean, status: object = {}): object {
  return { metadata: placeOf(path), spec: { enabled, repo: "", chart: "", version: "", valuesContent: "" }, status };
}

/** An image that Harvester has downloaded. */
export function imageOf(path: string, status?: object): object {
  const conditions = [{ type: "Imported", status: "True" }];
  return {
    metadata: placeOf(path),
    spec: { displayName: placeOf(path).name, sourceType: "download", url: "https://x", retry: 3 },
    status: status ?? { progress: 100, conditions },
  };
}

/** RKE2's record of an etcd snapshot on a node's disk. */
export function etcdSnapshotOf(
  snapshotName: string,
  nodeName: string,
  creationTime: string,
  status: object = {},
): object {
  const location = `file:///var/lib/rancher/rke2/server/db/snapshots/${snapshotName}`;
  return {
    metadata: { name: `local-${snapshotName}` },
    spec: { snapshotName, nodeName, location },
    status: { readyToUse: true, creationTime, size: "40Mi", ...status },
  };
}

/** The objects of a healthy cluster in the lists that are queried only by reports. */
export const soundReports = {
  pods: [podOf("harvester-system/harvester-0", "harvester-1")],
  longhornNodes: [1, 2, 3].map((index) => longhornNodeOf(`harvester-${index}`)),
  longhornSettings: [
    settingOf("storage-over-provisioning-percentage", "200"),
    settingOf("storage-minimal-available-percentage", "25"),
    settingOf("replica-soft-anti-affinity", "false"),
    settingOf("snapshot-max-count", "250"),
  ],
  snapshots: [snapshotOf("snap-1", "pvc-1")],
  orphans: [orphanOf("orphan-1", "harvester-1")],
  etcdSnapshots: [etcdSnapshotOf("etcd-snapshot-harvester-1-1767225600", "harvester-1", "2026-01-01T00:00:00Z")],
  clusterNetworks: [{ metadata: { name: "mgmt" } }, { metadata: { name: "vm" } }],
  storageClasses: [storageClassOf("harvester-longhorn", true)],
  csiNodes: [1, 2, 3].map((index) => csiNodeOf(`harvester-${index}`, "driver.longhorn.io", cephDriver)),
  addons: [
    addonOf("harvester-system/vm-import-controller", false),
    addonOf("harvester-system/pcidevices-controller", true, { status: "AddonDeploySuccessful" }),
  ],
  images: [imageOf("default/talos")],
  backingImages: [backingImageOf("default/talos", "harvester-1", "harvester-2", "harvester-3")],
};

/** A backup of a machine in the namespace default; `status` is Harvester's. */
export function backupOf(
  name: string,
  machine: string,
  status: object = { readyToUse: true, progress: 100 },
  {
    type = "backup",
    schedule,
    created = "2026-01-01T00:00:00Z",
  }: { type?: string; schedule?: string; created?: string } = {},
): object {
  return {
    metadata: {
      name,
      namespace: "default",
      creationTimestamp: created,
      ...(schedule !== undefined && { annotations: { "harvesterhci.io/svmbackupId": schedule } }),
    },
    spec: { source: { apiGroup: "kubevirt.io", kind: "VirtualMachine", name: machine }, type },
    status,
  };
}

/** A schedule of backups in the namespace default. */
export function scheduleOf(name: string, machine: string, { retain = 8, status = {}, suspend = false } = {}): object {
  const vmbackup = { source: { apiGroup: "kubevirt.io", kind: "VirtualMachine", name: machine }, type: "backup" };
  return {
    metadata: { name, namespace: "default" },
    spec: { cron: "30 2 * * *", retain, maxFailure: 4, suspend, vmbackup },
    status,
  };
}

/** A restore of a machine in the namespace default. */
export function restoreOf(
  name: string,
  machine: string,
  backup: string,
  status: object = { complete: true, targetUID: `uid-of-${machine}` },
  created = "2026-01-02T00:00:00Z",
): object {
  return {
    metadata: { name, namespace: "default", creationTimestamp: created },
    spec: {
      target: { apiGroup: "kubevirt.io", kind: "VirtualMachine", name: machine },
      virtualMachineBackupName: backup,
      virtualMachineBackupNamespace: "default",
      newVM: true,
    },
    status,
  };
}

/** The live migration of a machine in the namespace default. */
export function migrationOf(name: string, vmiName: string, phase = "Succeeded", migrationState: object = {}): object {
  return { metadata: { name, namespace: "default" }, spec: { vmiName }, status: { phase, migrationState } };
}

/** A claim of a volume in the namespace default, made from an image or empty. */
export function claimOf(
  name: string,
  size: string,
  { image, storageClassName = "harvester-longhorn" }: { image?: string; storageClassName?: string } = {},
): object {
  return {
    metadata: {
      name,
      namespace: "default",
      creationTimestamp: "2026-03-01T00:00:00Z",
      ...(image !== undefined && { annotations: { "harvesterhci.io/imageId": image } }),
    },
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: size } }, storageClassName },
  };
}

/** The objects of a healthy cluster in the lists about volumes, backups and migrations. */
export const soundOperations = {
  claims: [claimOf("web-disk", "10Gi")],
  backups: [backupOf("web-1", "web")],
  schedules: [scheduleOf("nightly", "web")],
  restores: [restoreOf("web-2-from-web-1", "web-2", "web-1")],
  migrations: [migrationOf("web-furrow-1", "web")],
};

/** A Harvester upgrade; without a state, one that has just been created. */
export function upgradeOf(
  name: string,
  version: string,
  state?: string,
  {
    conditions = [],
    nodes = {},
    created = "2026-01-01T00:00:00Z",
  }: { conditions?: readonly object[]; nodes?: Readonly<Record<string, object>>; created?: string } = {},
): object {
  const labels = { "harvesterhci.io/upgradeState": state, "harvesterhci.io/latestUpgrade": "true" };
  return {
    metadata: {
      name,
      namespace: "harvester-system",
      creationTimestamp: created,
      ...(state !== undefined && { labels }),
    },
    spec: { version, image: "", logEnabled: false },
    ...(state !== undefined && { status: { conditions, nodeStatuses: nodes } }),
  };
}

/** The disk statistics that a node's kubelet reports, in GiB. */
export function spaceOf(nodeName: string, { capacity = 200, used = 60 } = {}): object {
  const gib = 2 ** 30;
  const fs = { capacityBytes: capacity * gib, usedBytes: used * gib, availableBytes: (capacity - used) * gib };
  return { node: { nodeName, fs }, pods: [] };
}

/** The URL with which the cluster has registered itself in Rancher. */
export const soundRegistration = "https://rancher.example.com/v3/import/x_c-m-1.yaml";

/** The version that the cluster reports. */
export const soundVersion = "v1.8.1";

/** The values of all settings that have a value. */
export const soundSettings: Readonly<Record<string, string>> = {
  "server-version": soundVersion,
  "cluster-registration-url": soundRegistration,
};

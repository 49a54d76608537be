import type { ListName } from "../../roles/cluster-answers/answers.ts";
import { type BadAnswer, changed, text } from "./bad-answers.ts";

/** The fields that guards need in the objects of each list. */
const demanded: Readonly<Record<ListName, readonly string[]>> = {
  nodes: ["metadata", "metadata.name", "metadata.labels", "spec", "status", "status.conditions", "status.conditions.1"],
  instances: ["metadata.name", "metadata.namespace", "spec", "status", "status.phase"],
  machines: ["metadata.name", "metadata.namespace", "spec", "spec.template", "spec.template.spec"],
  projects: ["metadata.name", "metadata.namespace", "spec"],
  applications: ["metadata.name", "metadata.namespace", "spec"],
  applicationSets: ["metadata.name", "metadata.namespace", "spec"],
  clusterRoleBindings: ["metadata.name", "roleRef", "roleRef.kind", "roleRef.name"],
  services: ["metadata.name", "metadata.namespace", "spec", "spec.type", "spec.clusterIP"],
  volumes: ["metadata.name", "spec", "spec.nodeID", "spec.size", "status", "status.state", "status.robustness"],
  replicas: [
    "metadata.name",
    "spec",
    "spec.volumeName",
    "spec.nodeID",
    "spec.diskID",
    "spec.failedAt",
    "spec.healthyAt",
    "spec.active",
    "status",
    "status.currentState",
  ],
  persistentVolumes: ["metadata.name", "spec", "spec.csi.driver", "spec.csi.volumeHandle", "spec.claimRef.name"],
  claims: [
    "metadata.name",
    "metadata.namespace",
    "spec",
    "spec.resources",
    "spec.resources.requests",
    "spec.resources.requests.storage",
  ],
  networkConfigs: ["metadata.name", "spec", "spec.clusterNetwork", "spec.uplink"],
  networkStatuses: ["metadata.name", "status", "status.clusterNetwork", "status.vlanConfig", "status.node"],
  linkMonitors: ["metadata.name"],
  vmNetworks: ["metadata.name", "metadata.namespace", "spec", "spec.config"],
  pods: ["metadata.name", "metadata.namespace", "spec", "spec.containers", "status", "status.phase"],
  longhornNodes: [
    "metadata.name",
    "spec",
    "spec.allowScheduling",
    "spec.disks",
    "spec.disks.default-disk.storageReserved",
    "status",
    "status.diskStatus.default-disk.storageMaximum",
    "status.diskStatus.default-disk.storageScheduled",
    "status.diskStatus.default-disk.storageAvailable",
  ],
  longhornSettings: ["metadata.name", "value"],
  snapshots: ["metadata.name", "spec", "spec.volume"],
  orphans: ["metadata.name", "spec", "spec.nodeID", "spec.orphanType"],
  etcdSnapshots: ["metadata.name", "spec", "spec.snapshotName", "spec.nodeName", "spec.location"],
  clusterNetworks: ["metadata.name"],
  daemonSets: ["metadata.name", "metadata.namespace"],
  storageClasses: ["metadata.name"],
  csiNodes: ["metadata.name", "spec"],
  addons: ["metadata.name", "metadata.namespace", "spec", "spec.enabled"],
  pciDevices: ["metadata.name", "status", "status.nodeName", "status.resourceName"],
  pciClaims: ["metadata.name", "spec", "spec.nodeName"],
  images: ["metadata.name", "metadata.namespace", "spec"],
  backingImages: ["metadata.name", "spec"],
  backups: ["metadata.name", "metadata.namespace", "spec", "spec.source", "spec.source.name"],
  schedules: [
    "metadata.name",
    "metadata.namespace",
    "spec",
    "spec.cron",
    "spec.vmbackup",
    "spec.vmbackup.source",
    "spec.vmbackup.source.name",
  ],
  restores: [
    "metadata.name",
    "metadata.namespace",
    "spec",
    "spec.target",
    "spec.target.name",
    "spec.virtualMachineBackupName",
    "spec.virtualMachineBackupNamespace",
  ],
  migrations: ["metadata.name", "metadata.namespace", "spec", "spec.vmiName"],
  upgrades: ["metadata.name", "metadata.creationTimestamp", "spec", "spec.version"],
};

/** Complete lists in which one object has a missing field, or a field with a wrong value. */
export function badObjects(list: ListName): BadAnswer[] {
  return demanded[list].flatMap((field) => [
    {
      name: `an object without ${field}`,
      cause: field.replace(/\.\d+$/, ""),
      instead: changed((body) => edited(body, field, undefined)),
    },
    {
      name: `an object with something else as ${field}`,
      cause: field.replace(/\.\d+$/, ""),
      instead: changed((body) => edited(body, field, (old) => (typeof old === "number" ? "7" : 7))),
    },
  ]);
}

/** Responses to a request for kubelet statistics that describe something else, or are incomplete. */
export const badStatistics: readonly BadAnswer[] = [
  ...["nodeName", "fs", "fs.capacityBytes", "fs.usedBytes", "fs.availableBytes"].map((field) => ({
    name: `statistics without ${field}`,
    cause: field,
    instead: changed((body) => replaced(body, ["node", ...field.split(".")], undefined)),
  })),
  {
    name: "statistics of another node",
    cause: "nodeName",
    instead: changed((body) => replaced(body, ["node", "nodeName"], "other")),
  },
  {
    name: "statistics of a disk without any size",
    cause: "capacityBytes",
    instead: changed((body) => replaced(body, ["node", "fs", "capacityBytes"], 0)),
  },
  {
    name: "a negative number of free bytes",
    cause: "availableBytes",
    instead: changed((body) => replaced(body, ["node", "fs", "availableBytes"], -1)),
  },
  {
    name: "a 404 about the node",
    cause: "HTTP 404",
    instead: text(JSON.stringify({ kind: "Status", reason: "NotFound", details: { name: "harvester-1" } }), 404),
  },
  {
    name: "a 404 about the statistics",
    cause: "no answer",
    instead: text(JSON.stringify({ kind: "Status", reason: "NotFound", details: { name: "summary" } }), 404),
  },
];

/** Replaces a field in the first object of a list; undefined removes it. */
function edited(body: Record<string, unknown>, field: string, value: undefined | ((old: unknown) => unknown)): object {
  const [item] = body["items"] as Record<string, unknown>[];
  const path = field.split(".");
  const old = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], item);
  replaced(item as Record<string, unknown>, path, value?.(old));
  return body;
}

function replaced(object: Record<string, unknown>, path: readonly string[], value: unknown): object {
  const field = path.join(".");
  const names = [...path];
  const last = names.pop() ?? "";
  let at = object;
  for (const name of names) at = at[name] as Record<string, unknown>;
  if (!(last in at)) throw new Error(`the example has no ${field}`);
  if (value !== undefined) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return object;
}

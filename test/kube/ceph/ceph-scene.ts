import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { apply, makeNodes } from "../actors.ts";
import { settingKind } from "../harvester-kinds.ts";
import type { ApiServer } from "../server/api-server.ts";
import { cephClusterKind, snapshotClassKind } from "./ceph-kinds.ts";

/** The default value of Harvester's setting for CSI drivers. */
export const longhorn = {
  "driver.longhorn.io": { volumeSnapshotClassName: "longhorn-snapshot", backupVolumeSnapshotClassName: "longhorn" },
};

/** The parts of Rook's manifests that the connection needs. */
const operator = [
  cephClusterKind,
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "rook-ceph" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "rook-ceph-system", namespace: "rook-ceph" } },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "rook-ceph-cluster-mgmt" },
    rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "rook-ceph-operator", namespace: "rook-ceph" },
    spec: {
      selector: { matchLabels: { app: "rook-ceph-operator" } },
      template: {
        metadata: { labels: { app: "rook-ceph-operator" } },
        spec: { containers: [{ name: "operator", image: "docker.io/rook/ceph:v1.12.2" }] },
      },
    },
  },
];

/** Harvester's default storage class, and its setting for CSI drivers. */
export const harvesterStorage: readonly object[] = [
  {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "Setting",
    metadata: { name: "csi-driver-config" },
    default: JSON.stringify(longhorn),
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "harvester-longhorn", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "driver.longhorn.io",
  },
];

/** Writes a manifest of Rook's operator. Returns its path. */
export function writeRook(server: ApiServer): string {
  const path = join(server.folder, "rook.yaml");
  writeFileSync(path, operator.map((one) => stringify(one)).join("---\n"));
  return path;
}

/**
 * Creates a cluster of two nodes with Harvester's setting for CSI drivers and its default storage class, and writes
 * `rook.yaml`.
 */
export function prepare(server: ApiServer): void {
  apply(server, settingKind, snapshotClassKind);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  makeNodes(server, { "harvester-1": {}, "harvester-2": {} });
  // The controller that removes this taint from ready nodes is not running here.
  server.kubectl(["taint", "nodes", "--all", "node.kubernetes.io/not-ready-"]);
  apply(server, ...harvesterStorage);
  writeRook(server);
}

import { definition } from "../harvester-kinds.ts";

const text = { type: "string" };
const flag = { type: "boolean" };
const object = (properties: object): object => ({ type: "object", properties });
const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/**
 * Rook's CephCluster, with the fields of a connection to an external Ceph cluster
 * (deploy/examples/cluster-external.yaml in rook/rook, commit 2cc90d19; ClusterSpec, ClusterStatus and CephStatus in
 * pkg/apis/ceph.rook.io/v1/types.go).
 */
export const cephClusterKind: object = definition("ceph.rook.io", "v1", "CephCluster", "cephclusters", "Namespaced", {
  ...object({
    spec: object({
      dataDirHostPath: text,
      external: { ...object({ enable: flag }), nullable: true },
      crashCollector: object({ disable: flag, daysToRetain: { type: "integer" } }),
      healthCheck: object({
        daemonHealth: object({ mon: object({ disabled: flag, interval: text, timeout: text }) }),
      }),
    }),
    status: free,
  }),
  required: ["spec"],
});

/**
 * VolumeSnapshotClass (client/config/crd/snapshot.storage.k8s.io_volumesnapshotclasses.yaml in
 * kubernetes-csi/external-snapshotter, commit 0e047595), without topologies.
 */
export const snapshotClassKind: object = {
  ...definition("snapshot.storage.k8s.io", "v1", "VolumeSnapshotClass", "volumesnapshotclasses", "Cluster", {
    ...object({
      driver: text,
      deletionPolicy: { ...text, enum: ["Delete", "Retain"] },
      parameters: { type: "object", additionalProperties: text },
    }),
    required: ["deletionPolicy", "driver"],
  }),
  metadata: {
    name: "volumesnapshotclasses.snapshot.storage.k8s.io",
    // Kubernetes requires this annotation for every custom kind whose API group is one of Kubernetes' own.
    annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/814" },
  },
};

/** The kinds of Rook and of the snapshot controller whose fields are defined here. */
export const cephKinds: readonly object[] = [cephClusterKind, snapshotClassKind];

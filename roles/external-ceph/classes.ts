import type { IStorageClass } from "kubernetes-models/storage.k8s.io/v1/StorageClass";
import type { VolumeSnapshotClass } from "../../src/kubernetes/index.ts";
import { driversOf, type ExternalCeph } from "./ceph.ts";
import { secretNames } from "./connection.ts";

interface Users {
  readonly node: string;
  readonly maker: string;
}

const usersOf = (kind: "rbd" | "cephfs"): Users => ({
  node: secretNames[`${kind}Node`],
  maker: secretNames[`${kind}Provisioner`],
});

function secretParameters(namespace: string, { node, maker }: Users): Record<string, string> {
  const uses = { provisioner: maker, "controller-expand": maker, "node-stage": node };
  return Object.fromEntries(
    Object.entries(uses).flatMap(([use, name]) => [
      [`csi.storage.k8s.io/${use}-secret-name`, name],
      [`csi.storage.k8s.io/${use}-secret-namespace`, namespace],
    ]),
  );
}

/** The storage classes, as created by deploy/examples/import-external-cluster.sh of rook/rook. */
export function storageClassObjects({ rook, ceph: { namespace }, rbd, cephfs }: ExternalCeph) {
  const drivers = driversOf({ rook });
  return [
    ...(rbd === undefined
      ? []
      : [
          {
            apiVersion: "storage.k8s.io/v1",
            kind: "StorageClass",
            metadata: { name: rbd.storageClass },
            provisioner: drivers.rbd,
            allowVolumeExpansion: true,
            reclaimPolicy: rbd.reclaim,
            parameters: {
              clusterID: namespace,
              ...(rbd.metadataPool === undefined ? { pool: rbd.pool } : { pool: rbd.metadataPool, dataPool: rbd.pool }),
              imageFormat: "2",
              imageFeatures: rbd.features,
              ...secretParameters(namespace, usersOf("rbd")),
              "csi.storage.k8s.io/fstype": "ext4",
            },
          } satisfies IStorageClass,
        ]),
    ...(cephfs === undefined
      ? []
      : [
          {
            apiVersion: "storage.k8s.io/v1",
            kind: "StorageClass",
            metadata: { name: cephfs.storageClass },
            provisioner: drivers.cephfs,
            allowVolumeExpansion: true,
            reclaimPolicy: cephfs.reclaim,
            parameters: {
              clusterID: namespace,
              fsName: cephfs.fileSystem,
              pool: cephfs.pool,
              ...secretParameters(namespace, usersOf("cephfs")),
            },
          } satisfies IStorageClass,
        ]),
  ];
}

/** The snapshot classes (deploy/examples/csi/rbd and cephfs/snapshotclass.yaml of rook/rook). */
export function snapshotClassObjects({ rook, ceph: { namespace }, rbd, cephfs }: ExternalCeph) {
  const drivers = driversOf({ rook });
  const snapshots = (name: string, kind: "rbd" | "cephfs") =>
    ({
      apiVersion: "snapshot.storage.k8s.io/v1",
      kind: "VolumeSnapshotClass",
      metadata: { name },
      driver: drivers[kind],
      deletionPolicy: "Delete",
      parameters: {
        clusterID: namespace,
        "csi.storage.k8s.io/snapshotter-secret-name": usersOf(kind).maker,
        "csi.storage.k8s.io/snapshotter-secret-namespace": namespace,
      },
    }) satisfies VolumeSnapshotClass;
  return [
    ...(rbd === undefined ? [] : [snapshots(rbd.snapshotClass, "rbd")]),
    ...(cephfs === undefined ? [] : [snapshots(cephfs.snapshotClass, "cephfs")]),
  ];
}

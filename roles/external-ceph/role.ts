import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { driversOf, externalCephSchema } from "./ceph.ts";
import { snapshotClassObjects, storageClassObjects } from "./classes.ts";
import { cephConnected, driversRegistered } from "./connected.ts";
import { clusterObject, namespaceObjects, secretObjects } from "./connection.ts";
import { defaultClass } from "./default-class.ts";
import { driverConfig, driverConfigReadable } from "./driver-config.ts";
import { monitorsKnown, sameMonitors } from "./monitors.ts";
import { rookDefined, sameCeph } from "./same-ceph.ts";

/**
 * Connects a Harvester cluster to an external Ceph cluster through Rook: storage classes, snapshots, and the Harvester
 * settings for them. It deletes nothing.
 */
export const externalCeph = role(
  {
    name: "external ceph",
    summary: "Connect a Harvester cluster to an external Ceph cluster through Rook",
    params: externalCephSchema,
  },
  (params) => {
    const { kubeconfig, fieldManager, force, rook, ceph, rbd, cephfs, deadlineSeconds } = params;
    const { namespace, name: cluster, fsid, monitors } = ceph;
    const drivers = driversOf(params);
    const classes = {
      ...(rbd !== undefined && { [drivers.rbd]: rbd.snapshotClass }),
      ...(cephfs !== undefined && { [drivers.cephfs]: cephfs.snapshotClass }),
    };
    const own = { kubeconfig, fieldManager, force };
    const readable = driverConfigReadable({ kubeconfig, classes });
    const defined = rookDefined({ kubeconfig }, onlyAfter(readable));
    // sameCeph may be skipped, so the next task depends on rookDefined instead.
    const same = sameMonitors({ kubeconfig, namespace, monitors }, onlyAfter(defined));
    const guarded = onlyAfter(same);
    return [
      readable,
      defined,
      sameCeph({ kubeconfig, namespace, cluster, fsid }, { when: defined.output }),
      same,
      rook.manifests.map((manifest) => t.kubeManifest({ ...own, ...manifest }, guarded)),
      t.kubeWait({
        kubeconfig,
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "rook-ceph-operator",
        namespace: rook.namespace,
        condition: "Available",
        deadlineSeconds,
      }),
      namespaceObjects(params).map((object) => t.kubeObject({ ...own, object }, guarded)),
      secretObjects(params).map((object) => t.kubeObject({ ...own, object }, guarded)),
      monitorsKnown({ kubeconfig, namespace, monitors }, guarded),
      t.kubeObject({ ...own, object: clusterObject(params) }, guarded),
      cephConnected({ kubeconfig, namespace, cluster, fsid, deadlineSeconds }),
      driversRegistered({ kubeconfig, drivers: Object.keys(classes), deadlineSeconds }),
      snapshotClassObjects(params).map((object) => t.kubeObject({ ...own, object }, guarded)),
      driverConfig({ kubeconfig, classes }, guarded),
      storageClassObjects(params).map((object) => t.kubeObject({ ...own, object }, guarded)),
      rbd?.isDefault === true && defaultClass({ kubeconfig, storageClass: rbd.storageClass }, guarded),
    ];
  },
);

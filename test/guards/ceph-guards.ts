import { settingPath } from "../../roles/cluster-answers/one-object.ts";
import { cephConnected, driversRegistered } from "../../roles/external-ceph/connected.ts";
import { clusterPath } from "../../roles/external-ceph/cluster-state.ts";
import { classPath, defaultClass } from "../../roles/external-ceph/default-class.ts";
import { driverConfig, driverConfigReadable, driverSetting } from "../../roles/external-ceph/driver-config.ts";
import { monitorsKnown, monitorsPath, sameMonitors } from "../../roles/external-ceph/monitors.ts";
import { definitionPath, rookDefined, sameCeph } from "../../roles/external-ceph/same-ceph.ts";
import { cephDriver, fsid } from "./ceph-examples.ts";
import type { Guard } from "./guard.ts";

const namespace = "rook-ceph-external";
const cluster = { namespace, cluster: namespace, fsid };
const classes = { [cephDriver]: "csi-rbdplugin-snapclass-external" };

/** Tasks that query a cluster: those for an external Ceph cluster. */
export const cephGuards: readonly Guard[] = [
  {
    name: "driverConfigReadable",
    module: driverConfigReadable,
    call: (kubeconfig) => driverConfigReadable({ kubeconfig, classes }),
    lists: [],
    object: settingPath(driverSetting),
    says: "guard",
  },
  {
    name: "driverConfig",
    module: driverConfig,
    call: (kubeconfig) => driverConfig({ kubeconfig, classes }),
    lists: [],
    object: settingPath(driverSetting),
    says: "guard",
  },
  {
    name: "rookDefined",
    module: rookDefined,
    call: (kubeconfig) => rookDefined({ kubeconfig }),
    lists: [],
    object: definitionPath,
    says: "guard",
  },
  {
    name: "sameCeph",
    module: sameCeph,
    call: (kubeconfig) => sameCeph({ kubeconfig, ...cluster }),
    lists: [],
    object: clusterPath(namespace, namespace),
    says: "guard",
  },
  {
    name: "sameMonitors",
    module: sameMonitors,
    call: (kubeconfig) => sameMonitors({ kubeconfig, namespace, monitors: { a: "192.168.5.99:6789" } }),
    lists: [],
    object: monitorsPath(namespace),
    says: "guard",
  },
  {
    name: "monitorsKnown",
    module: monitorsKnown,
    call: (kubeconfig) => monitorsKnown({ kubeconfig, namespace, monitors: { a: "192.168.5.99:6789" } }),
    lists: [],
    object: monitorsPath(namespace),
    says: "guard",
  },
  {
    name: "cephConnected",
    module: cephConnected,
    call: (kubeconfig) => cephConnected({ kubeconfig, ...cluster, deadlineSeconds: 1 }),
    lists: [],
    object: clusterPath(namespace, namespace),
    wait: { object: "cluster", others: {} },
    says: "wait",
  },
  {
    name: "driversRegistered",
    module: driversRegistered,
    call: (kubeconfig) => driversRegistered({ kubeconfig, drivers: [cephDriver], deadlineSeconds: 1 }),
    lists: ["nodes", "csiNodes"],
    says: "wait",
  },
  {
    name: "defaultClass",
    module: defaultClass,
    call: (kubeconfig) => defaultClass({ kubeconfig, storageClass: "ceph-rbd" }),
    lists: ["storageClasses"],
    object: classPath("harvester-longhorn"),
    says: "guard",
  },
];

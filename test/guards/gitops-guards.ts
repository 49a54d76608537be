import { settingPath } from "../../roles/cluster-answers/one-object.ts";
import { deviceLists, devicesFit } from "../../roles/virtual-machines/devices-fit.ts";
import { cloudInitShown } from "../../roles/virtual-machines/cloud-init-shown.ts";
import { imageClasses } from "../../roles/virtual-machines/image-classes.ts";
import { classPath, machineLists, machinesFit } from "../../roles/virtual-machines/machines-fit.ts";
import { migrationShown } from "../../roles/virtual-machines/migration-shown.ts";
import { restartShown } from "../../roles/virtual-machines/restart-shown.ts";
import { imagePath } from "../../roles/vm-images/image-state.ts";
import { imagesImported, noFailedImage } from "../../roles/vm-images/images-imported.ts";
import { backupTarget, backupTargetFits, backupTargetReady } from "../../roles/vm-storage/backup-target.ts";
import { replicasFit } from "../../roles/vm-storage/replicas-fit.ts";
import { networkLists } from "../../roles/vm-networks/conflicts.ts";
import { liveConfigs, networkPath } from "../../roles/vm-networks/live-config.ts";
import { networksFit } from "../../roles/vm-networks/networks-fit.ts";
import { networksReady } from "../../roles/vm-networks/networks-ready.ts";
import { placement } from "../../roles/vm-networks/placement.ts";
import { storageLists, storageNetwork, storageNetworkFits } from "../../roles/vm-networks/storage-network.ts";
import { storageNetworkReady } from "../../roles/vm-networks/storage-network-ready.ts";
import type { Guard } from "./guard.ts";
import { reportGuards } from "./report-guards.ts";

const uplinks = [
  { name: "vm-all", clusterNetwork: "vm", nodes: {}, nics: ["ens2"], mtu: 1500, bond: "active-backup" as const },
];
const storage = { clusterNetwork: "vm", vlan: 60, range: "10.10.60.0/24", exclude: [] };
const talos = { name: "talos", namespace: "default" };
const cp2 = {
  name: "default/cp-2",
  networks: ["default/platform"],
  macs: ["52:54:00:30:00:02"],
  disks: [],
  run: "Halted",
};
const endpoint = "nfs://nas:/backups";

/** Tasks that query a cluster: those of the playbooks in `gitops`. */
export const gitopsGuards: readonly Guard[] = [
  {
    name: "networksFit",
    module: networksFit,
    call: (kubeconfig) => networksFit({ kubeconfig, configs: uplinks }),
    lists: networkLists,
    says: "guard",
  },
  {
    name: "liveConfigs",
    module: liveConfigs,
    call: (kubeconfig) =>
      liveConfigs({
        kubeconfig,
        networks: [{ name: "platform", namespace: "default", clusterNetwork: "vm", labels: {}, config: "{}" }],
      }),
    lists: [],
    object: networkPath({ namespace: "default", name: "platform" }),
    says: "guard",
  },
  {
    name: "networksReady",
    module: networksReady,
    call: (kubeconfig) => networksReady({ kubeconfig, configs: uplinks, deadlineSeconds: 1 }),
    lists: ["nodes", "networkConfigs", "networkStatuses", "linkMonitors"],
    says: "wait",
  },
  {
    name: "storageNetwork",
    module: storageNetwork,
    call: (kubeconfig) => storageNetwork({ kubeconfig, storage, configs: [] }),
    lists: storageLists,
    object: settingPath("storage-network"),
    says: "guard",
  },
  {
    name: "storageNetworkFits",
    module: storageNetworkFits,
    call: (kubeconfig) => storageNetworkFits({ kubeconfig, storage, configs: [] }),
    lists: storageLists,
    object: settingPath("storage-network"),
    says: "guard",
  },
  {
    name: "storageNetworkReady",
    module: storageNetworkReady,
    call: (kubeconfig) => storageNetworkReady({ kubeconfig, storage, deadlineSeconds: 1 }),
    lists: ["vmNetworks"],
    object: settingPath("storage-network"),
    wait: { object: "setting", others: {} },
    says: "wait",
  },
  {
    name: "noFailedImage",
    module: noFailedImage,
    call: (kubeconfig) => noFailedImage({ kubeconfig, images: [talos] }),
    lists: [],
    object: imagePath(talos),
    says: "guard",
  },
  {
    name: "imagesImported",
    module: imagesImported,
    call: (kubeconfig) => imagesImported({ kubeconfig, images: [talos], deadlineSeconds: 1 }),
    lists: [],
    object: imagePath(talos),
    wait: { object: "images", listed: true, others: {} },
    says: "wait",
  },
  {
    name: "imageClasses",
    module: imageClasses,
    call: (kubeconfig) => imageClasses({ kubeconfig, machine: "cp-2", images: [talos] }),
    lists: [],
    object: imagePath(talos),
    says: "guard",
  },
  {
    name: "machinesFit",
    module: machinesFit,
    call: (kubeconfig) =>
      machinesFit({ kubeconfig, machines: [cp2], classes: ["fast"], acceptVolumes: [], volumesBy: "Harvester" }),
    lists: machineLists,
    object: classPath("fast"),
    says: "guard",
  },
  {
    name: "devicesFit",
    module: devicesFit,
    call: (kubeconfig) =>
      devicesFit({ kubeconfig, machines: [{ name: "default/cp-2", devices: ["harvester-1-000001000"] }] }),
    lists: deviceLists,
    says: "guard",
  },
  {
    name: "migrationShown",
    module: migrationShown,
    call: (kubeconfig) => migrationShown({ kubeconfig, machines: [{ name: "default/cp-2", devices: [] }] }),
    lists: ["instances"],
    says: "status",
  },
  {
    name: "restartShown",
    module: restartShown,
    call: (kubeconfig) => restartShown({ kubeconfig, machines: ["default/cp-2"] }),
    lists: ["machines"],
    says: "status",
  },
  {
    name: "cloudInitShown",
    module: cloudInitShown,
    call: (kubeconfig) => cloudInitShown({ kubeconfig, fieldManager: "furrow-machines", machines: ["default/cp-2"] }),
    lists: [],
    object: "/api/v1/namespaces/default/secrets/cp-2-cloud-init",
    says: "status",
  },
  {
    name: "replicasFit",
    module: replicasFit,
    call: (kubeconfig) => replicasFit({ kubeconfig, what: "images", replicas: { fast: 2 } }),
    lists: ["nodes"],
    says: "guard",
  },
  {
    name: "backupTarget",
    module: backupTarget,
    call: (kubeconfig) => backupTarget({ kubeconfig, endpoint }),
    lists: [],
    object: settingPath("backup-target"),
    says: "guard",
  },
  {
    name: "backupTargetFits",
    module: backupTargetFits,
    call: (kubeconfig) => backupTargetFits({ kubeconfig, endpoint }),
    lists: [],
    object: settingPath("backup-target"),
    says: "guard",
  },
  {
    name: "backupTargetReady",
    module: backupTargetReady,
    call: (kubeconfig) => backupTargetReady({ kubeconfig, endpoint, deadlineSeconds: 1 }),
    lists: [],
    object: settingPath("backup-target"),
    wait: { object: "setting", others: {} },
    says: "wait",
  },
  {
    name: "placement",
    module: placement,
    call: (kubeconfig) => placement({ kubeconfig }),
    lists: ["nodes", "machines", "vmNetworks", "networkStatuses"],
    says: "status",
  },
  ...reportGuards,
];

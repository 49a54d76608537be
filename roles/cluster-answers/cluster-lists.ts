import { applicationSchema, applicationSetSchema, appProjectSchema } from "./argo-objects.ts";
import { backupSchema, restoreSchema, scheduleSchema } from "./backup-objects.ts";
import { pciClaimSchema, pciDeviceSchema } from "./device-objects.ts";
import { claimSchema } from "./disks/claims.ts";
import { upgradeSchema } from "./harvester-objects.ts";
import { instanceSchema } from "./instance-objects.ts";
import { backingImageSchema } from "./longhorn/backing-images.ts";
import { longhornNodeSchema, longhornSettingSchema, orphanSchema, snapshotSchema } from "./longhorn/objects.ts";
import { replicaSchema, volumeSchema } from "./longhorn/volumes.ts";
import { migrationSchema } from "./migration-objects.ts";
import { linkMonitorSchema, networkConfigSchema, networkStatusSchema, vmNetworkSchema } from "./network-objects.ts";
import { machineSchema, nodeSchema, persistentVolumeSchema } from "./objects.ts";
import { csiNodeSchema, etcdSnapshotSchema, namedSchema, storageClassSchema } from "./rebuild-objects.ts";
import { clusterRoleBindingSchema } from "./rights-objects.ts";
import { serviceSchema } from "./service-objects.ts";
import { daemonSetSchema, addonSchema, imageSchema, podSchema } from "./workload-objects.ts";

/**
 * The lists that can be requested from a cluster: the path of each, its kind, its name in messages, and the fields that
 * its objects must have.
 */
export const clusterLists = {
  nodes: { path: "/api/v1/nodes", kind: "Node", what: "the cluster's nodes", schema: nodeSchema },
  instances: {
    path: "/apis/kubevirt.io/v1/virtualmachineinstances",
    kind: "VirtualMachineInstance",
    what: "the running virtual machines",
    schema: instanceSchema,
  },
  machines: {
    path: "/apis/kubevirt.io/v1/virtualmachines",
    kind: "VirtualMachine",
    what: "the virtual machines",
    schema: machineSchema,
  },
  clusterRoleBindings: {
    path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    kind: "ClusterRoleBinding",
    what: "the cluster-wide permissions",
    schema: clusterRoleBindingSchema,
  },
  services: { path: "/api/v1/services", kind: "Service", what: "the cluster's services", schema: serviceSchema },
  volumes: {
    path: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/volumes",
    kind: "Volume",
    what: "Longhorn's volumes",
    schema: volumeSchema,
  },
  replicas: {
    path: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/replicas",
    kind: "Replica",
    what: "Longhorn's replicas",
    schema: replicaSchema,
  },
  persistentVolumes: {
    path: "/api/v1/persistentvolumes",
    kind: "PersistentVolume",
    what: "the persistent volumes",
    schema: persistentVolumeSchema,
  },
  claims: {
    path: "/api/v1/persistentvolumeclaims",
    kind: "PersistentVolumeClaim",
    what: "the claims of volumes",
    schema: claimSchema,
  },
  pods: { path: "/api/v1/pods", kind: "Pod", what: "the pods", schema: podSchema },
  longhornNodes: {
    path: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/nodes",
    kind: "Node",
    what: "Longhorn's nodes and disks",
    schema: longhornNodeSchema,
  },
  backingImages: {
    path: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/backingimages",
    kind: "BackingImage",
    what: "the files of images",
    schema: backingImageSchema,
  },
  longhornSettings: {
    path: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/settings",
    kind: "Setting",
    what: "Longhorn's settings",
    schema: longhornSettingSchema,
  },
  snapshots: {
    path: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/snapshots",
    kind: "Snapshot",
    what: "Longhorn's snapshots",
    schema: snapshotSchema,
  },
  orphans: {
    path: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/orphans",
    kind: "Orphan",
    what: "Longhorn's orphans",
    schema: orphanSchema,
  },
  etcdSnapshots: {
    path: "/apis/k3s.cattle.io/v1/etcdsnapshotfiles",
    kind: "ETCDSnapshotFile",
    what: "the snapshots of etcd",
    schema: etcdSnapshotSchema,
  },
  clusterNetworks: {
    path: "/apis/network.harvesterhci.io/v1beta1/clusternetworks",
    kind: "ClusterNetwork",
    what: "the cluster networks",
    schema: namedSchema,
  },
  daemonSets: {
    path: "/apis/apps/v1/daemonsets",
    kind: "DaemonSet",
    what: "the DaemonSets",
    schema: daemonSetSchema,
  },
  storageClasses: {
    path: "/apis/storage.k8s.io/v1/storageclasses",
    kind: "StorageClass",
    what: "the storage classes",
    schema: storageClassSchema,
  },
  csiNodes: {
    path: "/apis/storage.k8s.io/v1/csinodes",
    kind: "CSINode",
    what: "the storage drivers of the nodes",
    schema: csiNodeSchema,
  },
  addons: {
    path: "/apis/harvesterhci.io/v1beta1/addons",
    kind: "Addon",
    what: "Harvester's add-ons",
    schema: addonSchema,
  },
  pciDevices: {
    path: "/apis/devices.harvesterhci.io/v1beta1/pcidevices",
    kind: "PCIDevice",
    what: "the PCI devices of the nodes",
    schema: pciDeviceSchema,
  },
  pciClaims: {
    path: "/apis/devices.harvesterhci.io/v1beta1/pcideviceclaims",
    kind: "PCIDeviceClaim",
    what: "the claims of PCI devices",
    schema: pciClaimSchema,
  },
  images: {
    path: "/apis/harvesterhci.io/v1beta1/virtualmachineimages",
    kind: "VirtualMachineImage",
    what: "the images of virtual machines",
    schema: imageSchema,
  },
  upgrades: {
    path: "/apis/harvesterhci.io/v1beta1/namespaces/harvester-system/upgrades",
    kind: "Upgrade",
    what: "Harvester's upgrades",
    schema: upgradeSchema,
  },
  networkConfigs: {
    path: "/apis/network.harvesterhci.io/v1beta1/vlanconfigs",
    kind: "VlanConfig",
    what: "Harvester's network configs",
    schema: networkConfigSchema,
  },
  networkStatuses: {
    path: "/apis/network.harvesterhci.io/v1beta1/vlanstatuses",
    kind: "VlanStatus",
    what: "the state of the cluster networks on the nodes",
    schema: networkStatusSchema,
  },
  linkMonitors: {
    path: "/apis/network.harvesterhci.io/v1beta1/linkmonitors",
    kind: "LinkMonitor",
    what: "the nodes' network interfaces",
    schema: linkMonitorSchema,
  },
  vmNetworks: {
    path: "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions",
    kind: "NetworkAttachmentDefinition",
    what: "the networks of virtual machines",
    schema: vmNetworkSchema,
  },
  projects: {
    path: "/apis/argoproj.io/v1alpha1/appprojects",
    kind: "AppProject",
    what: "Argo CD's projects",
    schema: appProjectSchema,
  },
  applications: {
    path: "/apis/argoproj.io/v1alpha1/applications",
    kind: "Application",
    what: "Argo CD's applications",
    schema: applicationSchema,
  },
  applicationSets: {
    path: "/apis/argoproj.io/v1alpha1/applicationsets",
    kind: "ApplicationSet",
    what: "Argo CD's sets of applications",
    schema: applicationSetSchema,
  },
  backups: {
    path: "/apis/harvesterhci.io/v1beta1/virtualmachinebackups",
    kind: "VirtualMachineBackup",
    what: "the backups of virtual machines",
    schema: backupSchema,
  },
  schedules: {
    path: "/apis/harvesterhci.io/v1beta1/schedulevmbackups",
    kind: "ScheduleVMBackup",
    what: "the backup schedules",
    schema: scheduleSchema,
  },
  restores: {
    path: "/apis/harvesterhci.io/v1beta1/virtualmachinerestores",
    kind: "VirtualMachineRestore",
    what: "the restores of virtual machines",
    schema: restoreSchema,
  },
  migrations: {
    path: "/apis/kubevirt.io/v1/virtualmachineinstancemigrations",
    kind: "VirtualMachineInstanceMigration",
    what: "the live migrations",
    schema: migrationSchema,
  },
} as const;

/** The name of a list that can be requested from a cluster. */
export type ListName = keyof typeof clusterLists;

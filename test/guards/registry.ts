import { absent } from "../../src/authoring.ts";
import type { TaskCall } from "../../src/core/authoring/call.ts";
import type { SimulatedState } from "../../src/testing/index.ts";
import type { ListName } from "../../roles/cluster-answers/answers.ts";
import { removedMarker } from "../../roles/cluster/places.ts";
import { versionPath } from "../../roles/identity/answers.ts";
import { requestedCluster } from "../../roles/identity/requested-cluster.ts";
import { sameCluster } from "../../roles/identity/same-cluster.ts";
import { servedAuthority, supervisorOpen } from "../../roles/identity/served.ts";
import { statisticsPath } from "../../roles/cluster-answers/node-space.ts";
import { mayUpgrade } from "../../roles/cluster-upgrade/may-upgrade.ts";
import { upgradeLists } from "../../roles/cluster-upgrade/obstacles.ts";
import { upgradeFinished } from "../../roles/cluster-upgrade/upgrade-finished.ts";
import { upgradePath, upgradeStarted } from "../../roles/cluster-upgrade/upgrade-started.ts";
import { offeredVersionPath, versionOffered } from "../../roles/cluster-upgrade/version-offered.ts";
import { alreadyRemoved } from "../../roles/node-removal/already-removed.ts";
import { clusterAnswers } from "../../roles/node-removal/cluster-answers.ts";
import { nodeGone, nodeReadyInCluster } from "../../roles/node-removal/node-gone.ts";
import { leaveLists, mayLeave } from "../../roles/node-removal/quorum.ts";
import { noWorkloads } from "../../roles/power/no-workloads.ts";
import { imageClasses, imagesReady } from "../../roles/virtual-machines/images-ready.ts";
import { machineLists, machinesFit } from "../../roles/virtual-machines/machines-fit.ts";
import { imageImported, imagePath } from "../../roles/vm-images/image-imported.ts";
import { harvesterSetting, settingPath } from "../../roles/rancher-import/tasks.ts";
import { kubernetesStatus } from "../../roles/status/cluster-nodes.ts";
import { backupTarget, backupTargetReady } from "../../roles/vm-storage/backup-target.ts";
import { replicasFit } from "../../roles/vm-storage/replicas-fit.ts";
import { networkLists } from "../../roles/vm-networks/conflicts.ts";
import { networksFit } from "../../roles/vm-networks/networks-fit.ts";
import { networksReady } from "../../roles/vm-networks/networks-ready.ts";
import { placement } from "../../roles/vm-networks/placement.ts";
import { storageLists, storageNetwork } from "../../roles/vm-networks/storage-network.ts";
import { storageNetworkReady } from "../../roles/vm-networks/storage-network-ready.ts";

/** A task that asks a cluster. */
export interface Guard {
  readonly name: string;
  readonly module: unknown;
  readonly call: (kubeconfig: string) => TaskCall;
  /** What it asks: lists, or the path of one object. */
  readonly lists: readonly ListName[];
  readonly object?: string;
  /** The path of a kubelet's statistics that it asks for, and the node's name. */
  readonly statistics?: { readonly path: string; readonly node: string };
  /** For a wait: the name of its fact about that object, and the values of its other facts. */
  readonly wait?: {
    readonly object: string;
    /** True if the fact is a list with this object alone. */
    readonly listed?: true;
    readonly others: Readonly<Record<string, unknown>>;
  };
  /**
   * How it says that it could not see something: a guard refuses in check mode and in a run, and a wait refuses until
   * its deadline. A report says so in a note, because nothing follows from it. A comparison says so in a note too,
   * although tasks follow: the cluster's CA certificate already proves which cluster it is, and a cluster that does not
   * answer must be deployable. A comparison alone must therefore never allow a loss: a playbook that has one and can
   * lose something also has a guard, which a test checks.
   */
  readonly says: "guard" | "wait" | "report" | "comparison";
  /** The host's state, if it matters, given the cluster's CA certificate. */
  readonly state?: (authority: string) => SimulatedState;
}

const at = { vip: "192.168.130.120", bridge: "virbr1" };

/** The state of a host whose cluster serves its CA certificate. */
export function authorityShownIn(authority: string): SimulatedState {
  return {
    [`port:${supervisorOpen(at).key}`]: { open: true },
    [`hostHttp:${servedAuthority(at).key}`]: { status: 200, headers: {}, body: authority },
  };
}

const compared = { vip: at.vip, version: "v1.8.1" };

/** The states of three nodes on a host, as the libvirtDomain fact reports them. */
export const threeRunning: SimulatedState = Object.fromEntries(
  [1, 2, 3].map((index) => [`libvirtDomain:harvester-${index}`, { state: "running" }]),
);

const uplinks = [
  { name: "vm-all", clusterNetwork: "vm", nodes: {}, nics: ["ens2"], mtu: 1500, bond: "active-backup" as const },
];

const endpoint = "nfs://nas:/backups";
const cp2 = { name: "default/cp-2", networks: ["default/platform"], macs: ["52:54:00:30:00:02"] };
const talos = { name: "talos", namespace: "default" };
const storage = { clusterNetwork: "vm", vlan: 60, range: "10.10.60.0/24", exclude: [] };

const nodes = ["harvester-3", "harvester-2", "harvester-1"];

/** Every task that asks a cluster. A test fails if one is missing here. */
export const guards: readonly Guard[] = [
  {
    name: "mayLeave",
    module: mayLeave,
    call: (kubeconfig) => mayLeave({ kubeconfig, node: "harvester-2", acceptLoss: [] }),
    lists: leaveLists,
    says: "guard",
  },
  {
    name: "noWorkloads",
    module: noWorkloads,
    call: (kubeconfig) => noWorkloads({ kubeconfig, nodes, order: "/etc/furrow-harvester/power-order" }),
    lists: ["instances", "volumes", "upgrades"],
    says: "guard",
    state: () => threeRunning,
  },
  {
    name: "nodeGone",
    module: nodeGone,
    call: (kubeconfig) => nodeGone({ kubeconfig, node: "harvester-2" }),
    lists: [],
    object: "/api/v1/nodes/harvester-2",
    says: "guard",
  },
  {
    name: "alreadyRemoved",
    module: alreadyRemoved,
    call: (kubeconfig) =>
      alreadyRemoved({
        kubeconfig,
        node: "harvester-2",
        by: "harvester-remove-node",
        marker: removedMarker("harvester-2"),
      }),
    lists: [],
    object: "/api/v1/nodes/harvester-2",
    says: "guard",
    state: () => ({ [`file:${removedMarker("harvester-2")}`]: { text: "" } }),
  },
  {
    name: "clusterAnswers",
    module: clusterAnswers,
    call: (kubeconfig) => clusterAnswers({ kubeconfig }),
    lists: ["nodes"],
    says: "wait",
  },
  {
    name: "nodeReadyInCluster",
    module: nodeReadyInCluster,
    call: (kubeconfig) => nodeReadyInCluster({ kubeconfig, node: "harvester-2", deadlineSeconds: 1 }),
    lists: ["nodes"],
    says: "wait",
  },
  {
    name: "harvesterSetting",
    module: harvesterSetting,
    call: (kubeconfig) => harvesterSetting({ kubeconfig, name: "cluster-registration-url", value: "https://x" }),
    lists: [],
    object: "/apis/harvesterhci.io/v1beta1/settings/cluster-registration-url",
    says: "guard",
  },
  {
    name: "mayUpgrade",
    module: mayUpgrade,
    call: (kubeconfig) => mayUpgrade({ kubeconfig, nodes, version: "v1.8.2", retry: false }),
    lists: upgradeLists,
    object: versionPath,
    statistics: { path: statisticsPath("harvester-1"), node: "harvester-1" },
    says: "guard",
  },
  {
    name: "versionOffered",
    module: versionOffered,
    call: (kubeconfig) =>
      versionOffered({ kubeconfig, version: "v1.8.2", iso: "/srv/x.iso", url: "http://192.168.130.1/x.iso" }),
    lists: [],
    object: offeredVersionPath("v1.8.2"),
    says: "guard",
    state: () => ({ "digest:/srv/x.iso": { sha512: "a".repeat(128) } }),
  },
  {
    name: "upgradeStarted",
    module: upgradeStarted,
    call: (kubeconfig) => upgradeStarted({ kubeconfig, version: "v1.8.2", name: "hvst-upgrade-v1-8-2-1" }),
    lists: [],
    object: upgradePath("hvst-upgrade-v1-8-2-1"),
    says: "guard",
  },
  {
    name: "upgradeFinished",
    module: upgradeFinished,
    call: (kubeconfig) =>
      upgradeFinished({ kubeconfig, version: "v1.8.1", name: "hvst-upgrade-x", deadlineSeconds: 1 }),
    lists: ["upgrades", "nodes"],
    object: versionPath,
    wait: { object: "running", others: {} },
    says: "wait",
  },
  {
    name: "kubernetesStatus",
    module: kubernetesStatus,
    call: (kubeconfig) => kubernetesStatus({ kubeconfig }),
    lists: ["nodes", "instances", "volumes"],
    says: "report",
  },
  {
    name: "networksFit",
    module: networksFit,
    call: (kubeconfig) => networksFit({ kubeconfig, configs: uplinks }),
    lists: networkLists,
    says: "guard",
  },
  {
    name: "networksReady",
    module: networksReady,
    call: (kubeconfig) => networksReady({ kubeconfig, configs: uplinks, deadlineSeconds: 1 }),
    lists: ["nodes", "networkStatuses", "linkMonitors"],
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
    name: "storageNetworkReady",
    module: storageNetworkReady,
    call: (kubeconfig) => storageNetworkReady({ kubeconfig, storage, deadlineSeconds: 1 }),
    lists: ["vmNetworks"],
    object: settingPath("storage-network"),
    wait: { object: "setting", others: {} },
    says: "wait",
  },
  {
    name: "imageImported",
    module: imageImported,
    call: (kubeconfig) => imageImported({ kubeconfig, ...talos, deadlineSeconds: 1 }),
    lists: [],
    object: imagePath(talos),
    wait: { object: "image", others: {} },
    says: "wait",
  },
  {
    name: "imagesReady",
    module: imagesReady,
    call: (kubeconfig) => imagesReady({ kubeconfig, machine: "cp-2", images: [talos], deadlineSeconds: 1 }),
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
    call: (kubeconfig) => machinesFit({ kubeconfig, machines: [cp2] }),
    lists: machineLists,
    says: "guard",
  },
  {
    name: "replicasFit",
    module: replicasFit,
    call: (kubeconfig) => replicasFit({ kubeconfig, replicas: { fast: 2 } }),
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
    says: "report",
  },
  {
    name: "sameCluster",
    module: sameCluster,
    call: (kubeconfig) =>
      sameCluster({
        ...compared,
        bridge: at.bridge,
        nodes: [{ name: "harvester-1", version: "v1.8.1", token: "t", password: "p", config: {} }],
        kubeconfig,
        installs: true,
        needsKubeconfig: false,
      }),
    lists: ["nodes"],
    object: versionPath,
    says: "comparison",
    state: authorityShownIn,
  },
  {
    name: "requestedCluster",
    module: requestedCluster,
    call: (kubeconfig) => requestedCluster({ ...compared, nodes: [{ name: "harvester-1" }], kubeconfig }),
    lists: ["nodes"],
    object: versionPath,
    wait: { object: "running", others: { record: absent, copy: absent } },
    says: "wait",
  },
];

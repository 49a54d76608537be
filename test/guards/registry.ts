import { absent } from "../../src/authoring.ts";
import type { SimulatedState } from "../../src/testing/index.ts";
import { powerOrder, removedMarker, shutdownChecked } from "../../roles/cluster/places.ts";
import { versionPath } from "../../roles/identity/answers.ts";
import { requestedCluster } from "../../roles/identity/requested-cluster.ts";
import { sameCluster } from "../../roles/identity/same-cluster.ts";
import { servedAuthority, supervisorOpen } from "../../roles/identity/served.ts";
import { statisticsPath } from "../../roles/cluster-answers/nodes/space.ts";
import { mayUpgrade } from "../../roles/cluster-upgrade/may-upgrade.ts";
import { upgradeLists } from "../../roles/cluster-upgrade/obstacles.ts";
import { upgradeFinished } from "../../roles/cluster-upgrade/upgrade-finished.ts";
import { upgradePath, upgradeStarted } from "../../roles/cluster-upgrade/upgrade-started.ts";
import { offeredVersionPath, versionOffered } from "../../roles/cluster-upgrade/version-offered.ts";
import { alreadyRemoved } from "../../roles/node-removal/already-removed.ts";
import { clusterAnswers } from "../../roles/node-removal/cluster-answers.ts";
import { nodeGone, nodeReadyInCluster } from "../../roles/node-removal/node-gone.ts";
import { leaveLists, mayLeave } from "../../roles/node-removal/quorum.ts";
import { metalIdle } from "../../roles/power/metal-idle.ts";
import { noWorkloads } from "../../roles/power/no-workloads.ts";
import { mayReinstall } from "../../roles/pxe-server/may-reinstall.ts";
import { registrationSetting } from "../../roles/rancher-import/registration.ts";
import { importedCluster, registrationSet } from "../../roles/rancher-import/tasks.ts";
import { settingPath } from "../../roles/cluster-answers/one-object.ts";
import { soundRegistration } from "./operation-examples.ts";
import { cephGuards } from "./ceph-guards.ts";
import { gitopsGuards } from "./gitops-guards.ts";
import { operationGuards } from "./operation-guards.ts";
import type { Guard } from "./guard.ts";
import { parvesterGuards } from "./parvester/guards.ts";
import { settingsGuards } from "./settings-guards.ts";
import { kubernetesStatus } from "../../roles/status/cluster-nodes.ts";

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

const rack = [1, 2, 3].map((index) => ({ name: `harvester-${index}`, address: `192.168.10.1${index}` }));

const nodes = ["harvester-3", "harvester-2", "harvester-1"];

/** Every task that queries a cluster. A test fails if a task is missing here. */
export const guards: readonly Guard[] = [
  {
    name: "mayLeave",
    module: mayLeave,
    call: (kubeconfig) => mayLeave({ kubeconfig, node: "harvester-2", acceptLoss: [] }),
    lists: leaveLists,
    says: "guard",
  },
  {
    name: "mayReinstall",
    module: mayReinstall,
    call: (kubeconfig) => mayReinstall({ kubeconfig, nodes: rack, reinstall: ["harvester-2"], acceptLoss: [] }),
    lists: leaveLists,
    says: "guard",
    state: () =>
      Object.fromEntries(rack.map(({ name }) => [`file:/var/lib/furrow-pxe/installed/${name}`, { type: "directory" }])),
  },
  {
    name: "noWorkloads",
    module: noWorkloads,
    call: (kubeconfig) => noWorkloads({ kubeconfig, nodes, order: powerOrder, record: shutdownChecked }),
    lists: ["instances", "volumes", "upgrades", "nodes"],
    says: "guard",
    state: () => threeRunning,
  },
  {
    name: "metalIdle",
    module: metalIdle,
    call: (kubeconfig) =>
      metalIdle({
        kubeconfig,
        record: "/root/shutdown",
        nodes: rack,
      }),
    lists: ["instances", "volumes", "upgrades", "nodes"],
    says: "guard",
    state: () => Object.fromEntries([1, 2, 3].map((index) => [`port:192.168.10.1${index} 22`, { open: true }])),
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
    name: "importedCluster",
    module: importedCluster,
    call: (kubeconfig) =>
      importedCluster({ kubeconfig, url: "https://rancher.example.com", token: "t", name: "harvester" }),
    lists: [],
    object: settingPath(registrationSetting),
    says: "guard",
    drivers: {
      rancher: () => ({
        found: true,
        id: "c-m-1",
        state: "active",
        isHarvester: true,
        isReady: true,
        registrations: [soundRegistration],
      }),
    },
  },
  {
    name: "registrationSet",
    module: registrationSet,
    call: (kubeconfig) => registrationSet({ kubeconfig, registration: soundRegistration, value: soundRegistration }),
    lists: [],
    object: settingPath(registrationSetting),
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
    says: "status",
  },
  ...gitopsGuards,
  ...settingsGuards,
  ...cephGuards,
  ...operationGuards,
  ...parvesterGuards,
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

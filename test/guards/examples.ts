import type { KubernetesListAnswer } from "../../src/authoring.ts";
import { soundOperations, soundSettings, spaceOf, upgradeOf } from "./operation-examples.ts";
import { clusterLists, type ListName } from "../../roles/cluster-answers/answers.ts";
import { linkMonitorOf, networkConfigOf, networkStatusOf, storageNetworkOf, vmNetworkOf } from "./network-examples.ts";
import { cephSingleOf } from "./ceph-examples.ts";
import { multusSet, parvesterSingleOf } from "./parvester/examples.ts";
import { soundReports } from "./report-examples.ts";

export { soundVersion, spaceOf, upgradeOf } from "./operation-examples.ts";

const reportedAt = "2026-01-01T00:00:00Z";

/** The condition in which RKE2 reports whether the etcd member of a node votes (pkg/etcd/etcd.go of k3s-io/k3s). */
export function etcdCondition(status: "True" | "False" = "True", more: object = {}): object {
  const voter = { reason: "MemberNotLearner", message: "Node is a voting member of the etcd cluster" };
  const ill = { reason: "Unhealthy", message: "Node is unhealthy" };
  return { type: "EtcdIsVoter", status, ...(status === "True" ? voter : ill), lastHeartbeatTime: reportedAt, ...more };
}

/** A node as the API describes it. */
export function nodeOf(
  name: string,
  {
    ready = true,
    votes = true,
    cordoned = false,
    maintained = false,
    address = "192.168.10.11",
    etcd = etcdCondition(),
  }: {
    ready?: boolean;
    votes?: boolean;
    cordoned?: boolean;
    maintained?: boolean;
    address?: string;
    etcd?: object | null;
  } = {},
): object {
  return {
    metadata: {
      name,
      ...(maintained && { annotations: { "harvesterhci.io/maintain-status": "completed" } }),
      labels: {
        "kubernetes.io/hostname": name,
        ...(votes && { "node-role.kubernetes.io/control-plane": "true", "node-role.kubernetes.io/etcd": "true" }),
      },
    },
    spec: { podCIDRs: ["10.52.0.0/24"], ...(cordoned && { unschedulable: true }) },
    status: {
      capacity: { cpu: "8", memory: "32Gi" },
      allocatable: { cpu: "7600m", memory: "30Gi" },
      addresses: [
        { type: "InternalIP", address },
        { type: "Hostname", address: name },
      ],
      conditions: [
        { type: "MemoryPressure", status: "False" },
        { type: "Ready", status: ready ? "True" : "Unknown", lastHeartbeatTime: reportedAt },
        ...(votes && etcd !== null ? [etcd] : []),
      ],
    },
  };
}

/** Three nodes with etcd votes; those in `down` are not ready. */
export function threeNodes(...down: number[]): object[] {
  return [1, 2, 3].map((at) => nodeOf(`harvester-${at}`, { ready: !down.includes(at), address: `192.168.10.1${at}` }));
}

/** A running virtual machine. */
export function instanceOf(
  name: string,
  nodeName: string | undefined,
  phase = "Running",
  claim?: string,
  spec: object = {},
): object {
  return {
    metadata: { namespace: "default", name },
    spec: {
      evictionStrategy: "LiveMigrateIfPossible",
      ...spec,
      volumes: claim === undefined ? [] : [{ name: "disk-0", persistentVolumeClaim: { claimName: claim } }],
    },
    status: {
      phase,
      ...(nodeName !== undefined && { nodeName }),
      ...(phase === "Running" && { conditions: [{ type: "LiveMigratable", status: "True" }] }),
    },
  };
}

/** The definition of a virtual machine. */
export function machineOf(name: string, ...claims: string[]): object {
  const volumes = claims.map((claimName, at) => ({ name: `disk-${at}`, persistentVolumeClaim: { claimName } }));
  const status = { printableStatus: "Stopped" };
  return { metadata: { namespace: "default", name }, spec: { template: { spec: { volumes } } }, status };
}

/** The definition of a virtual machine that is attached to these networks. */
export function attachedMachineOf(name: string, ...networks: string[]): object {
  const spec = { volumes: [], networks: networks.map((networkName) => ({ name: "n", multus: { networkName } })) };
  return { metadata: { namespace: "default", name }, spec: { template: { spec } } };
}

/** A PCI device of a node, by default the only one in its IOMMU group. */
export function pciDeviceOf(
  node: string,
  address: string,
  { model = "nvidia.com/GA102", iommuGroup = address }: { model?: string; iommuGroup?: string } = {},
): object {
  const status = { address, nodeName: node, resourceName: model, iommuGroup, description: `VGA: ${model}` };
  return { metadata: { name: `${node}-${address}` }, status };
}

/** A claim for a PCI device; `passthroughEnabled` is true once the node has released the device. */
export function pciClaimOf(node: string, address: string, passthroughEnabled = true): object {
  const spec = { address, nodeName: node, userName: "admin" };
  return { metadata: { name: `${node}-${address}` }, spec, status: { kernelDriverToUnbind: "", passthroughEnabled } };
}

/** A service with an address. */
export function serviceOf(name: string, clusterIP: string): object {
  return { metadata: { namespace: "default", name }, spec: { type: "ClusterIP", clusterIP, clusterIPs: [clusterIP] } };
}

/** A Longhorn volume of 10 GiB. */
export function volumeOf(
  name: string,
  state = "attached",
  robustness = state === "attached" ? "healthy" : "unknown",
): object {
  const spec = { nodeID: state === "attached" ? "harvester-1" : "", size: String(10 * 2 ** 30), numberOfReplicas: 3 };
  return { metadata: { name }, spec, status: { state, robustness } };
}

/** A replica of a Longhorn volume: healthy, rebuilding, or failed. */
export function replicaOf(
  volumeName: string,
  nodeID: string,
  {
    is = "healthy",
    currentState = "running",
  }: { is?: "healthy" | "rebuilding" | "failed"; currentState?: string } = {},
): object {
  return {
    metadata: { name: `${volumeName}-r-${nodeID}` },
    spec: {
      volumeName,
      nodeID,
      diskID: nodeID && `disk-of-${nodeID}`,
      healthyAt: is === "rebuilding" ? "" : "2026-01-01T00:00:00Z",
      failedAt: is === "failed" ? "2026-01-02T00:00:00Z" : "",
      active: true,
    },
    status: { currentState },
  };
}

/** A persistent volume that binds a claim to the Longhorn volume of the same name. */
export function persistentVolumeOf(volume: string, claim: string): object {
  return {
    metadata: { name: volume },
    spec: {
      claimRef: { namespace: "default", name: claim },
      csi: { driver: "driver.longhorn.io", volumeHandle: volume },
    },
  };
}

/** An Argo CD object in its namespace, with these parts. */
export function argoObjectOf(
  name: string,
  more: { metadata?: object; spec?: object; status?: object; operation?: object } = {},
): object {
  return { ...more, metadata: { name, namespace: "argocd", ...more.metadata }, spec: more.spec ?? {} };
}

/** A ClusterRoleBinding that gives a ServiceAccount of kube-system a role. */
export function clusterRoleBindingOf(name: string, role: string, account: string): object {
  return {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name: account, namespace: "kube-system" }],
  };
}

/** The objects in each of a cluster's lists. */
export type Objects = Readonly<Record<ListName, readonly object[]>>;

/** A cluster of three nodes in which every list has an object, and which tolerates the loss of any one node. */
export const soundCluster: Objects = {
  nodes: threeNodes(),
  instances: [instanceOf("done", "harvester-1", "Succeeded")],
  machines: [machineOf("web", "web-disk")],
  services: [serviceOf("kubernetes", "10.53.0.1")],
  volumes: [volumeOf("pvc-1", "detached")],
  replicas: [1, 2, 3].map((index) => replicaOf("pvc-1", `harvester-${index}`, { currentState: "stopped" })),
  persistentVolumes: [persistentVolumeOf("pvc-1", "web-disk")],
  upgrades: [upgradeOf("hvst-upgrade-x", "v1.8.1", "Succeeded")],
  clusterRoleBindings: [clusterRoleBindingOf("cluster-admin", "cluster-admin", "admin")],
  projects: [argoObjectOf("default")],
  applications: [argoObjectOf("guestbook")],
  applicationSets: [argoObjectOf("monitoring")],
  networkConfigs: [networkConfigOf("vm-all", "vm", ["ens2", "ens3"])],
  networkStatuses: [1, 2, 3].map((index) => networkStatusOf("vm", "vm-all", `harvester-${index}`)),
  linkMonitors: [linkMonitorOf([1, 2, 3].map((index) => `harvester-${index}`))],
  ...soundReports,
  ...soundOperations,
  vmNetworks: [vmNetworkOf("platform", "vm", 30), storageNetworkOf("vm", 60, "10.10.60.0/24")],
  pciDevices: [pciDeviceOf("harvester-1", "000001000")],
  pciClaims: [pciClaimOf("harvester-1", "000001000")],
  daemonSets: [multusSet],
};

/**
 * Returns an object that guards request by path instead of in a list: a setting, a version, or a kubelet's
 * statistics.
 */
export function singleOf(path: string): object | undefined {
  const name = path.split("/").at(-1) ?? "";
  const statistics = /^\/api\/v1\/nodes\/([^/]+)\/proxy\/stats\/summary$/.exec(path)?.[1];
  if (statistics !== undefined) return spaceOf(statistics);
  const other = cephSingleOf(path) ?? parvesterSingleOf(path);
  if (other !== undefined) return other;
  if (path.includes("/versions/")) return { kind: "Version", metadata: { name }, spec: {} };
  if (path.includes("/upgrades/")) return { kind: "Upgrade", ...upgradeOf(name, "v1.8.2") };
  if (path.includes("/supportbundles/")) {
    const status = { state: "ready", progress: 100, filename: "supportbundle.zip", filesize: 1 };
    return { kind: "SupportBundle", metadata: { name }, spec: { description: "no network" }, status };
  }
  if (path.includes("/kubevirts/"))
    return {
      kind: "KubeVirt",
      metadata: { name },
      spec: { configuration: { migrations: { parallelMigrationsPerCluster: 5, network: "default/own" } } },
    };
  if (path.includes("/migrationpolicies/"))
    return { kind: "MigrationPolicy", metadata: { name }, spec: { allowAutoConverge: true } };
  if (path.includes("/virtualmachines/"))
    return { kind: "VirtualMachine", metadata: { name }, spec: { runStrategy: "RerunOnFailure", template: {} } };
  if (path.includes("/storageclasses/")) return { kind: "StorageClass", metadata: { name } };
  if (path.includes("/virtualmachineimages/")) {
    const status = {
      progress: 100,
      storageClassName: `lh-${name}`,
      conditions: [{ type: "Imported", status: "True" }],
    };
    return { kind: "VirtualMachineImage", metadata: { name }, spec: { url: "https://x" }, status };
  }
  if (path.endsWith("/configmaps/vip"))
    return { kind: "ConfigMap", metadata: { name }, data: { enabled: "true", ip: "192.168.10.10", mode: "static" } };
  if (path.endsWith("/configmaps/kube-root-ca.crt"))
    return { kind: "ConfigMap", metadata: { name }, data: { "ca.crt": "PEM" } };
  if (!path.includes("/settings/")) return undefined;
  if (name === "vm-force-reset-policy")
    return { kind: "Setting", metadata: { name }, value: "", default: '{"enable":true,"period":300}' };
  if (name === "overcommit-config")
    return { kind: "Setting", metadata: { name }, value: "", default: '{"cpu":1600,"memory":150,"storage":200}' };
  if (["storage-network", "backup-target", "http-proxy", "ssl-certificates"].includes(name)) {
    const status = { conditions: [{ type: "configured", status: "True" }] };
    const value = name === "backup-target" ? '{"type":"nfs","endpoint":"nfs://nas:/backups"}' : "";
    return { kind: "Setting", metadata: { name }, value, status };
  }
  return { kind: "Setting", metadata: { name }, value: soundSettings[name] ?? "" };
}

/** The answers that the driver gives for a cluster. */
export function answersOf(cluster: Partial<Objects>): Record<ListName, KubernetesListAnswer> {
  const answers = (Object.keys(clusterLists) as ListName[]).map((name) => [
    name,
    { complete: true, kind: `${clusterLists[name].kind}List`, items: cluster[name] ?? [] } as const,
  ]);
  return Object.fromEntries(answers) as Record<ListName, KubernetesListAnswer>;
}

/** The answers that a simulated kubernetes driver gives for a cluster. */
export function answerFor(
  cluster: Partial<Objects>,
  { path, tried }: { readonly path: string; readonly tried?: string },
): unknown {
  if (tried !== undefined) return { accepted: true };
  const answers = answersOf(cluster);
  const list = (Object.keys(clusterLists) as ListName[]).find((name) => clusterLists[name].path === path);
  if (list !== undefined) return answers[list];
  const single = singleOf(path);
  if (single !== undefined) return { found: true, object: single };
  const name = path.split("/").at(-1);
  const found = (cluster.nodes ?? []).find((node) => (node as { metadata: { name: string } }).metadata.name === name);
  return found === undefined ? { found: false } : { found: true, object: { kind: "Node", ...found } };
}

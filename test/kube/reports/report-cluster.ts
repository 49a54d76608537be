import {
  instanceOf,
  nodeOf,
  type Objects,
  persistentVolumeOf,
  replicaOf,
  soundCluster,
  upgradeOf,
  volumeOf,
} from "../../guards/examples.ts";
import { networkStatusOf } from "../../guards/network-examples.ts";
import {
  addonOf,
  imageOf,
  longhornNodeOf,
  machinePodOf,
  orphanOf,
  podOf,
  settingOf,
  snapshotOf,
} from "../../guards/report-examples.ts";

const gibibyte = 2 ** 30;

const machine = (name: string, cores: number, memory: string, printableStatus: string): object => ({
  metadata: { namespace: "default", name },
  spec: {
    template: {
      spec: {
        domain: { cpu: { cores }, resources: { limits: { memory } } },
        volumes: [{ name: "disk-0", persistentVolumeClaim: { claimName: `${name}-disk-0` } }],
      },
    },
  },
  status: { printableStatus },
});

/** A cluster with many problems: a node is down, volumes are degraded, and more. */
export const troubledCluster: Partial<Objects> = {
  ...soundCluster,
  nodes: [nodeOf("harvester-1"), nodeOf("harvester-2"), nodeOf("harvester-3", { ready: false })],
  machines: [
    machine("db", 8, "16Gi", "Running"),
    machine("web", 2, "4Gi", "Running"),
    machine("build", 4, "8Gi", "Stopped"),
  ],
  instances: [
    instanceOf("db", "harvester-1", "Running", "db-disk-0"),
    instanceOf("web", "harvester-3", "Running", "web-disk-0"),
  ],
  pods: [
    machinePodOf("default/db", "harvester-1", "500m", "11Gi"),
    machinePodOf("default/web", "harvester-3", "125m", "3Gi"),
    podOf("harvester-system/harvester-7d4b9c-x2k4z", "harvester-2", { why: "CrashLoopBackOff", restarts: 12 }),
    podOf("kube-system/rke2-canal-8sjwl", "harvester-1", {
      owner: "DaemonSet/rke2-canal",
      cpu: "250m",
      memory: "256Mi",
    }),
  ],
  volumes: [
    volumeOf("pvc-2f6b0b1e-3c1d-4b52-9f0e-1c1fe0a3d6a1", "attached", "degraded"),
    volumeOf("pvc-8e1c7a52-0c1f-4f2e-8a3b-7d0c3b6a9e42", "attached", "degraded"),
    volumeOf("pvc-c3a9d4f0-51f7-4a36-b8d2-2a6e1f0b7c93", "detached"),
  ],
  replicas: [
    replicaOf("pvc-2f6b0b1e-3c1d-4b52-9f0e-1c1fe0a3d6a1", "harvester-1"),
    replicaOf("pvc-2f6b0b1e-3c1d-4b52-9f0e-1c1fe0a3d6a1", "harvester-2"),
    replicaOf("pvc-2f6b0b1e-3c1d-4b52-9f0e-1c1fe0a3d6a1", "harvester-3", { is: "failed", currentState: "error" }),
    replicaOf("pvc-8e1c7a52-0c1f-4f2e-8a3b-7d0c3b6a9e42", "harvester-1"),
    ...["harvester-1", "harvester-2", "harvester-3"].map((node) =>
      replicaOf("pvc-c3a9d4f0-51f7-4a36-b8d2-2a6e1f0b7c93", node, { currentState: "stopped" }),
    ),
  ],
  persistentVolumes: [
    persistentVolumeOf("pvc-2f6b0b1e-3c1d-4b52-9f0e-1c1fe0a3d6a1", "db-disk-0"),
    persistentVolumeOf("pvc-8e1c7a52-0c1f-4f2e-8a3b-7d0c3b6a9e42", "web-disk-0"),
    persistentVolumeOf("pvc-c3a9d4f0-51f7-4a36-b8d2-2a6e1f0b7c93", "build-disk-0"),
  ],
  longhornNodes: [
    longhornNodeOf("harvester-1"),
    longhornNodeOf("harvester-2", { seen: { storageScheduled: 600 * gibibyte } }),
    longhornNodeOf("harvester-3", {
      conditions: [
        { type: "Ready", status: "False", message: "Kubernetes node harvester-3 not ready: NodeStatusUnknown" },
      ],
    }),
  ],
  longhornSettings: [
    settingOf("storage-over-provisioning-percentage", "200"),
    settingOf("storage-minimal-available-percentage", "5"),
    settingOf("replica-soft-anti-affinity", "false"),
    settingOf("snapshot-max-count", "250"),
  ],
  snapshots: [
    snapshotOf("before-update", "pvc-2f6b0b1e-3c1d-4b52-9f0e-1c1fe0a3d6a1", { userCreated: true, size: 7 * gibibyte }),
  ],
  orphans: [orphanOf("orphan-1", "harvester-2")],
  addons: [
    addonOf("harvester-system/vm-import-controller", false),
    addonOf("cattle-monitoring-system/rancher-monitoring", true, { status: "AddonEnabling" }),
  ],
  images: [
    imageOf("default/talos"),
    imageOf("default/debian", {
      progress: 60,
      conditions: [
        { type: "RetryLimitExceeded", status: "True", message: "retry attempted 3/3: sha512 does not match" },
      ],
    }),
  ],
  upgrades: [upgradeOf("hvst-upgrade-x", "v1.8.1", "Succeeded")],
  networkStatuses: [1, 2].map((at) => networkStatusOf("vm", "vm-all", `harvester-${at}`)),
};

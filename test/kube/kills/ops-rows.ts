import { migrationOf } from "../../guards/operation-examples.ts";
import { bundleController } from "../bundle-actors.ts";
import { runningOn } from "../maintenance-actors.ts";
import { migrationControllers } from "../migration-actors.ts";
import { apiToken, RancherActor, rancherKubeconfig, tokenObject } from "../settings/rancher-actor.ts";
import { certificateRotation, settingsController } from "../settings/setting-actors.ts";
import { harvesterStorage, writeRook } from "../ceph/ceph-scene.ts";
import { cephPlayed, deployments, rookOperator } from "../ceph/rook-actors.ts";
import type { Row } from "./row.ts";
import { base64, setting, threeNodes, vip } from "./scene.ts";

const namespace = "harvester-system";

const migrating = [
  ...threeNodes,
  runningOn("web", "harvester-2", true),
  {
    apiVersion: "kubevirt.io/v1",
    kind: "KubeVirt",
    metadata: { name: "kubevirt", namespace },
    spec: { configuration: { migrations: { parallelMigrationsPerCluster: 5, network: "default/own" } } },
  },
  setting("kubevirt-migration"),
];

const dated = (node: object, days: number): object => {
  const { metadata, ...more } = node as { readonly metadata: object };
  const inDays = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString();
  const info = JSON.stringify({ closestExpiryTime: inDays(days), updatedAt: inDays(0) });
  return { ...more, metadata: { ...metadata, annotations: { "harvesterhci.io/rke2-cert-info": info } } };
};

const credential = (name: string, token: string): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "cattle-global-data", annotations: { "field.cattle.io/name": name } },
  data: {
    "harvestercredentialConfig-clusterId": base64("c-m-1"),
    "harvestercredentialConfig-clusterType": base64("imported"),
    "harvestercredentialConfig-kubeconfigContent": base64(rancherKubeconfig(token)),
  },
});

let rook: string;
let rancher: RancherActor;
let rancherUrl: string;

/** The playbooks of playbooks/ops that change a cluster. */
export const opsRows: readonly Row[] = [
  {
    playbook: "ops/certificates",
    actors: [settingsController, certificateRotation],
    objects: () => [
      ...threeNodes.map((node, at) => dated(node, at === 0 ? 5 : 300)),
      vip("127.0.0.1"),
      setting("auto-rotate-rke2-certs", { default: '{"enable":false,"expiringInHours":240}' }),
      { apiVersion: "kubevirt.io/v1", kind: "KubeVirt", metadata: { name: "kubevirt", namespace }, spec: {} },
    ],
    vars: ({ server }) => ({
      autoRotate: { enabled: true, expiringInHours: 240 },
      pagesPort: Number(new URL(server.url).port),
    }),
  },
  {
    playbook: "ops/cloud-credential",
    actors: [],
    up: async ({ server, proxy }) => {
      rancher = new RancherActor(server);
      rancherUrl = await proxy.alsoBefore(await rancher.up());
    },
    down: () => rancher.down(),
    objects: () => [
      tokenObject("kubeconfig-valid", { ttl: 0 }),
      tokenObject("kubeconfig-ended", { ttl: 1000, expiresAt: "2026-01-01T00:00:00Z" }),
      credential("cc-valid", "kubeconfig-valid:old-secret"),
      credential("cc-ended", "kubeconfig-ended:old-secret"),
      credential("cc-gone", "kubeconfig-gone:old-secret"),
    ],
    vars: () => ({ rancherUrl, rancherToken: apiToken }),
    // Rancher numbers its tokens; the second run asks whether they are valid.
    varies: [/"harvestercredentialConfig-kubeconfigContent":"[^"]*"/g],
    // If a run is killed before it writes the new token from Rancher, that token remains until it expires.
    leftovers: /^Token kubeconfig-user-/,
  },
  {
    playbook: "ops/external-ceph",
    actors: [deployments, rookOperator],
    up: ({ server }) => {
      rook = writeRook(server);
    },
    objects: () => [...threeNodes, ...harvesterStorage],
    // The controller that removes this taint from ready nodes is not running here.
    begin: ({ server }) => {
      server.kubectl(["taint", "nodes", "--all", "node.kubernetes.io/not-ready-"]);
    },
    vars: () => ({
      rook: { manifests: [{ path: rook }] },
      ceph: { fsid: cephPlayed.fsid, monitors: { "ceph-1": "192.168.5.99:6789" } },
      rbd: { pool: "vms", isDefault: true },
      keys: { healthChecker: "AQ-health-key==", rbdNode: "AQ-node-key==", rbdProvisioner: "AQ-maker-key==" },
    }),
  },
  {
    playbook: "ops/http-proxy",
    actors: [settingsController],
    objects: () => [...threeNodes, vip("192.168.10.10"), setting("http-proxy", { default: "{}" })],
    vars: () => ({ httpProxy: "http://me:pass@proxy:3128", noProxy: ["192.168.10.0/24"] }),
  },
  {
    playbook: "ops/migrate-vm",
    does: "migrate",
    actors: [migrationControllers],
    objects: () => migrating,
    vars: () => ({ machine: "default/web", from: "harvester-2" }),
  },
  {
    playbook: "ops/migrate-vm",
    does: "abort",
    actors: [migrationControllers],
    objects: () => [
      ...migrating,
      runningOn("slow", "harvester-2", true),
      {
        apiVersion: "kubevirt.io/v1",
        kind: "VirtualMachineInstanceMigration",
        ...migrationOf("slow-furrow-1", "slow", "Running"),
      },
    ],
    vars: () => ({ machine: "default/slow", action: "abort" }),
  },
  {
    playbook: "ops/live-migration",
    actors: [migrationControllers],
    objects: () => migrating,
    vars: () => ({
      settings: { allowAutoConverge: true },
      policies: {
        large: { machines: { size: "large" }, bandwidthPerMigration: "64Mi" },
        tenants: { namespaces: { tenant: "true" }, allowPostCopy: true },
      },
    }),
  },
  {
    playbook: "ops/support-bundle",
    actors: [bundleController],
    objects: () => [vip("192.168.10.10")],
    vars: () => ({ name: "issue-1", description: "no network" }),
  },
];

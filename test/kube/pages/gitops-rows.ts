import { linkMonitorOf, vmNetworkOf } from "../../guards/network-examples.ts";
import { backupOf } from "../../guards/operation-examples.ts";
import { pciClaimOf, pciDeviceOf } from "../../guards/examples.ts";
import { addonOf } from "../../guards/report-examples.ts";
import { gitopsRows } from "../kills/gitops-rows.ts";
import type { Rig } from "../kills/rig.ts";
import type { Row } from "../kills/row.ts";
import { harvester, machine, nodes, setting, threeNodes } from "../kills/scene.ts";
import { runningOn } from "../maintenance-actors.ts";
import type { PageRow } from "./row.ts";

/** The row of a playbook. */
export function rowOf(rows: readonly Row[], playbook: string, does?: string): Row {
  const found = rows.find((row) => row.playbook === playbook && row.does === does);
  if (found === undefined) throw new Error(`no row for ${playbook}`);
  return found;
}

const like = (playbook: string, does?: string): Row => rowOf(gitopsRows, playbook, does);

const names = ["harvester-1", "harvester-2", "harvester-3"];
const network = "network.harvesterhci.io/v1beta1";

/** Nodes in two racks; the interfaces in the second rack have different names. */
const racks = ((): readonly object[] => {
  const labelled = (nodes(...names) as { metadata: { name: string; labels: object } }[]).map((node) => {
    const rack = node.metadata.name === "harvester-3" ? "2" : "1";
    return { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, rack } } };
  });
  const monitor = linkMonitorOf(names) as { status: { linkStatus: Record<string, object[]> } };
  monitor.status.linkStatus["harvester-3"]?.push({ name: "eno2", index: 9, type: "device", state: "up" });
  const tenants = { apiVersion: "v1", kind: "Namespace", metadata: { name: "tenants" } };
  return [...labelled, { apiVersion: network, kind: "LinkMonitor", ...monitor }, tenants];
})();

const platform = {
  apiVersion: "k8s.cni.cncf.io/v1",
  kind: "NetworkAttachmentDefinition",
  ...vmNetworkOf("platform", "mgmt", 30),
};

/** An image that already exists. */
const image = (name: string): object =>
  harvester("VirtualMachineImage", {
    metadata: { name, namespace: "default" },
    spec: { displayName: name, sourceType: "download", url: `https://images.example.org/${name}.raw.xz` },
    status: { progress: 100, storageClassName: `lh-${name}`, conditions: [{ type: "Imported", status: "True" }] },
  });

const fast = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "fast" },
  provisioner: "driver.longhorn.io",
};

const devices = ["000001000", "000001001"].flatMap((slot) => [
  { apiVersion: "devices.harvesterhci.io/v1beta1", kind: "PCIDevice", ...pciDeviceOf("harvester-1", slot) },
  { apiVersion: "devices.harvesterhci.io/v1beta1", kind: "PCIDeviceClaim", ...pciClaimOf("harvester-1", slot) },
]);

const restored = (does: string) => ({
  page: "harvester/backups",
  like: like("gitops/restore", does),
  objects: (rig: Rig) => [
    ...like("gitops/backup").objects(rig),
    harvester("VirtualMachineBackup", backupOf("db-before-upgrade", "db")),
  ],
});
const restore = `npx furrow run playbooks/gitops/restore.ts -i local --var kubeconfig=harvester.kubeconfig \\
  --var backup=db-before-upgrade`;

const phases: PageRow = {
  page: "harvester/phases",
  start: "npx furrow run playbooks/gitops/networks.ts",
  like: { ...like("gitops/networks"), actors: [...like("gitops/networks").actors, ...like("gitops/storage").actors] },
  objects: () => [...racks, setting("backup-target")],
  filesOf: ["harvester/networks", "harvester/images"],
  says: [/changed .*kubeObject VlanConfig vm-rack-1/, /changed .*kubeObject StorageClass fast/],
};

/** The commands of the guides about playbooks/gitops. */
export const gitopsPageRows: readonly PageRow[] = [
  {
    page: "harvester/networks",
    start: "npx furrow check playbooks/gitops/networks.ts -i local --var @networks.yaml\n",
    like: like("gitops/networks"),
    objects: () => racks,
    says: [/would change/, /changed .*kubeObject VlanConfig vm-rack-2/, /LACP/],
  },
  {
    page: "harvester/networks",
    start: "npx furrow run playbooks/gitops/networks.ts -i local --var @networks.yaml --var @storage-network.yaml",
    like: like("gitops/networks", "with a network for Longhorn"),
    objects: () => [...racks, setting("storage-network")],
    says: [/changed .*Longhorn's replication on vm, VLAN 60/],
  },
  {
    page: "harvester/images",
    start: "npx furrow run playbooks/gitops/images.ts",
    like: like("gitops/images"),
    says: [/changed .*kubeObject VirtualMachineImage default\/talos-1-9/],
  },
  {
    page: "harvester/images",
    start: "npx furrow run playbooks/gitops/storage.ts",
    like: like("gitops/storage"),
    says: [/changed .*kubeObject StorageClass fast/, /changed .*backups go to nfs:/],
  },
  {
    page: "harvester/vms",
    start: "npx furrow run playbooks/gitops/vms.ts -i local --var @vms.yaml",
    like: like("gitops/vms"),
    objects: () => [...threeNodes, platform, image("talos-1-9"), fast],
    says: [/changed .*kubeObject VirtualMachine default\/cp-2/],
  },
  {
    page: "harvester/vms",
    start: "CP_PASSWORD=…",
    like: like("gitops/vms"),
    objects: () => [...threeNodes, platform, image("talos-1-9")],
    filled: () => [["CP_PASSWORD=…", "CP_PASSWORD=correct-horse-battery"]],
    says: [/changed .*kubeObject VirtualMachine default\/cp-2/],
  },
  {
    page: "harvester/vms",
    start: "npx furrow run playbooks/gitops/vms.ts -i local --var @gaming.yaml",
    like: like("gitops/vms"),
    objects: () => [
      ...threeNodes,
      platform,
      image("windows-11"),
      harvester("Addon", addonOf("harvester-system/pcidevices-controller", true)),
      ...devices,
    ],
    says: [/changed .*kubeObject VirtualMachine default\/gaming/, /default\/gaming cannot be live-migrated/],
  },
  {
    page: "harvester/backups",
    start: "npx furrow run playbooks/gitops/backup.ts",
    like: like("gitops/backup"),
    says: [/changed .*db-before-upgrade/, /changed .*db-nightly/],
  },
  {
    ...restored("as a new machine"),
    start: `${restore} --var newMachine=db-2`,
    says: [/changed .*db-2-from-db-before-upgrade/],
  },
  {
    ...restored("in place of a machine"),
    start: `${restore} --var replace=db`,
    says: [/changed .*db-from-db-before-upgrade/],
  },
  {
    page: "harvester/argo-cd",
    start: "npx furrow run playbooks/gitops/register.ts",
    like: like("gitops/register"),
    filled: (_, { server }) => [["https://harvester.example.org:6443", server.url]],
    says: [
      /changed .*kubeObject ServiceAccount kube-system\/argocd-manager/,
      /changed .*harvester is registered with Argo CD/,
    ],
  },
  {
    page: "harvester/argo-cd",
    start: "npx furrow run playbooks/gitops/apps.ts",
    like: like("gitops/apps"),
    says: [/changed .*ApplicationSet argocd\/monitoring/, /changed .*Application argocd\/guestbook/],
  },
  {
    page: "harvester/maintenance",
    start: "npx furrow check playbooks/gitops/node-maintenance.ts",
    like: like("gitops/node-maintenance", "enter"),
    objects: () => [...threeNodes, runningOn("web", "harvester-2", true)],
    says: [/default\/web.*migrates/],
  },
  {
    page: "harvester/maintenance",
    start: "npx furrow run playbooks/gitops/node-maintenance.ts",
    like: like("gitops/node-maintenance", "enter"),
    objects: (rig) => [
      ...like("gitops/node-maintenance", "enter").objects(rig),
      machine("router", "RerunOnFailure"),
      runningOn("router", "harvester-2", false),
    ],
    says: [/default\/gpu/, /default\/router/],
  },
  {
    page: "harvester/settings",
    start: "npx furrow run playbooks/gitops/ui.ts",
    like: like("gitops/ui"),
    filled: (vars) => [
      ["https://harvester.example.org", vars["url"] ?? ""],
      ["harvester.crt", vars["certificateFile"] ?? ""],
      ["harvester.key", vars["keyFile"] ?? ""],
      ["authority.crt", vars["caFile"] ?? ""],
    ],
    says: [/changed .*ssl-certificates/],
  },
  phases,
  {
    ...phases,
    start: "npx furrow check playbooks/gitops/networks.ts",
    after: phases.start,
    says: [/^0 would change/m],
  },
];

import { backupOf } from "../../guards/operation-examples.ts";
import { linkMonitorOf, storageNetworkOf, vmNetworkOf } from "../../guards/network-examples.ts";
import { type Actor, apply, backupTargetController, imageImporter, kubeVirt, networkController } from "../actors.ts";
import { backupControllers } from "../backup-actors.ts";
import { maintenanceControllers, runningOn } from "../maintenance-actors.ts";
import { applicationController, applicationSetController } from "../settings/argo-actors.ts";
import { settingsControllerWith } from "../settings/setting-actors.ts";
import { Pages } from "./pages.ts";
import type { Row } from "./row.ts";
import { authorityOf, base64, harvester, machine, setting, threeNodes, vip } from "./scene.ts";

const node = "harvester-2";
const maintained = [...threeNodes, machine("gpu", "RerunOnFailure"), runningOn("gpu", node, false)];
const enter = { node, action: "enter", shutDown: ["default/gpu"] };

const source = { repo: "https://git.example.org/lab.git", path: "apps", revision: "main" };
const app = { project: "lab", source, namespace: "monitoring" };

const network = { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition" };
const backedUp = [
  setting("backup-target", {
    value: '{"type":"nfs","endpoint":"nfs://nas:/backups"}',
    status: { conditions: [{ type: "configured", status: "True" }] },
  }),
  machine("db", "Halted"),
];

const linkMonitor = {
  apiVersion: "network.harvesterhci.io/v1beta1",
  kind: "LinkMonitor",
  ...linkMonitorOf(["harvester-1", node, "harvester-3"]),
};
const clusterNetworks = {
  vm: { uplinks: { all: { nics: ["ens2"] } }, networks: { seven: { vlan: 7 }, nine: { vlan: 9 } } },
};
const storageNetwork = { clusterNetwork: "vm", vlan: 60, range: "10.10.60.0/24" };

/** Harvester creates Longhorn's network before it reports that the setting has taken effect. */
const storageNetworkController: Actor = (server, done) =>
  settingsControllerWith((_name, value) => {
    const { clusterNetwork, vlan, range, exclude } = JSON.parse(value) as Record<"clusterNetwork" | "range", string> & {
      readonly vlan: number;
      readonly exclude?: string[];
    };
    apply(server, { ...network, ...storageNetworkOf(clusterNetwork, vlan, range, exclude) });
  })(server, done);

let pages: Pages;

/** The playbooks of playbooks/gitops that change a cluster. */
export const gitopsRows: readonly Row[] = [
  {
    playbook: "gitops/images",
    actors: [imageImporter],
    objects: () => threeNodes,
    vars: () => ({
      images: {
        debian: { url: "https://x.example.org/a.qcow2", replicas: 2 },
        talos: { url: "https://x.example.org/b" },
      },
    }),
  },
  {
    playbook: "gitops/vms",
    actors: [kubeVirt],
    objects: () => [...threeNodes, { ...network, ...vmNetworkOf("base", "mgmt", 30) }],
    vars: () => ({
      machines: {
        web: {
          cores: 1,
          memory: "512Mi",
          disks: [{ size: "1Gi" }],
          networks: [{ network: "base" }],
          userData: "#cloud-config\n",
        },
        spare: { cores: 1, memory: "512Mi", disks: [{ size: "1Gi" }], networks: [{ network: "base" }], run: "Halted" },
      },
    }),
  },
  {
    playbook: "gitops/networks",
    actors: [networkController],
    objects: () => [...threeNodes, linkMonitor],
    vars: () => ({ clusterNetworks }),
  },
  {
    playbook: "gitops/networks",
    does: "with a network for Longhorn",
    actors: [networkController, storageNetworkController],
    objects: () => [...threeNodes, linkMonitor, setting("storage-network")],
    vars: () => ({ clusterNetworks, storageNetwork }),
  },
  {
    playbook: "gitops/storage",
    actors: [backupTargetController],
    objects: () => [...threeNodes, setting("backup-target")],
    vars: () => ({ storageClasses: { fast: { replicas: 2 }, slow: {} }, backupTarget: "nfs://nas:/backups" }),
  },
  {
    playbook: "gitops/backup",
    actors: [backupControllers],
    objects: () => backedUp,
    vars: () => ({
      backups: { before: { machine: "db" }, snapshot: { machine: "db", type: "snapshot" } },
      schedules: { nightly: { machine: "db", cron: "30 2 * * *", retain: 5 } },
    }),
  },
  ...[{ newMachine: "db-2" }, { replace: "db" }].map((vars): Row => ({
    playbook: "gitops/restore",
    does: "replace" in vars ? "in place of a machine" : "as a new machine",
    actors: [backupControllers, kubeVirt],
    objects: () => [...backedUp, harvester("VirtualMachineBackup", backupOf("base", "db"))],
    vars: () => ({ backup: "base", ...vars }),
  })),
  {
    playbook: "gitops/register",
    actors: [],
    objects: ({ server }) => [...threeNodes, authorityOf(server)],
    vars: ({ server, kubeconfig }) => ({
      argoKubeconfig: kubeconfig,
      name: "harvester",
      server: server.url,
      labels: { tier: "lab" },
    }),
    // The config contains a token; the second run asks the cluster whether the token is valid.
    varies: [/"config":"[^"]*"/g],
  },
  {
    playbook: "gitops/apps",
    actors: [applicationSetController, applicationController],
    objects: () => [
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name: "harvester",
          namespace: "argocd",
          labels: { tier: "lab", "argocd.argoproj.io/secret-type": "cluster" },
        },
        data: { name: base64("harvester"), server: base64("https://192.168.10.10:6443"), config: base64("{}") },
      },
    ],
    vars: () => ({
      projects: { lab: { repos: ["*"], destinations: [{ cluster: "*", namespace: "*" }] } },
      applicationSets: { monitoring: { ...app, clusterLabels: { tier: "lab" } } },
      applications: { guestbook: { ...app, cluster: "harvester", createNamespace: true } },
    }),
  },
  {
    playbook: "gitops/node-maintenance",
    does: "enter",
    actors: [maintenanceControllers],
    objects: () => maintained,
    vars: () => enter,
    // The annotation names the user of the run and the time.
    varies: [/"furrow\/maintenance-asked-by":"[^"]*"/g],
  },
  {
    playbook: "gitops/node-maintenance",
    does: "leave",
    actors: [maintenanceControllers],
    objects: () => maintained,
    begin: async (rig, cast) => {
      await rig.run("gitops/node-maintenance", enter);
      await cast.settled();
    },
    vars: () => ({ node, action: "leave" }),
  },
  {
    playbook: "gitops/ui",
    actors: [settingsControllerWith((name, value) => pages.show(name, value))],
    up: async ({ server }) => {
      pages = await Pages.up(server.folder);
    },
    down: () => pages.down(),
    objects: () => [
      ...threeNodes,
      vip("127.0.0.1"),
      setting("ssl-certificates", { default: "{}" }),
      {
        apiVersion: "management.cattle.io/v3",
        kind: "Setting",
        metadata: { name: "server-url" },
        value: "https://127.0.0.1",
      },
    ],
    begin: () => pages.reset(),
    vars: () => ({
      url: pages.url,
      certificateFile: pages.issuer.path("ui.crt"),
      keyFile: pages.issuer.path("ui.key"),
      caFile: pages.issuer.path("root.crt"),
    }),
  },
];

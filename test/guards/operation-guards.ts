import { mayReturn, nodeReturned, requestForgotten } from "../../roles/node-maintenance/leave.ts";
import { machinePath, machinesHalted, machinesOff, machinesRestarted } from "../../roles/node-maintenance/machines.ts";
import { maintenanceAsked, nodeEmptied } from "../../roles/node-maintenance/maintenance.ts";
import { mayEnter } from "../../roles/node-maintenance/may-enter.ts";
import { enterLists } from "../../roles/node-maintenance/obstacles.ts";
import { backupLists, backupsFit } from "../../roles/vm-backups/backups-fit.ts";
import { backupsReady, schedulesShown } from "../../roles/vm-backups/backups-ready.ts";
import { mayRestore, restoreLists } from "../../roles/vm-restore/may-restore.ts";
import { restored, restoredLists } from "../../roles/vm-restore/restored.ts";
import { policiesSettled, policyPath } from "../../roles/live-migration/policies-settled.ts";
import { kubeVirtPath, migrationSettings, migrationSettingsReady } from "../../roles/live-migration/settings.ts";
import { runningMigration } from "../../roles/vm-migration/may-abort.ts";
import { mayMigrate, migrateLists } from "../../roles/vm-migration/may-migrate.ts";
import { machineMigrated } from "../../roles/vm-migration/migrated.ts";
import { bundlePath } from "../../roles/support-bundle/bundle.ts";
import { bundleFits } from "../../roles/support-bundle/bundle-fits.ts";
import { bundleReady } from "../../roles/support-bundle/bundle-ready.ts";
import { instanceOf, nodeOf, singleOf, threeNodes } from "./examples.ts";
import { settingPath } from "../../roles/cluster-answers/one-object.ts";
import type { Guard } from "./guard.ts";

const node = "harvester-2";
const nodePath = "/api/v1/nodes/harvester-2";

/** Tasks that query a cluster: those for node maintenance, backups and live migration. */
export const operationGuards: readonly Guard[] = [
  {
    name: "mayEnter",
    module: mayEnter,
    call: (kubeconfig) => mayEnter({ kubeconfig, node, shutDown: [], acceptOutOfReach: [] }),
    lists: enterLists,
    says: "guard",
  },
  {
    name: "machinesHalted",
    module: machinesHalted,
    call: (kubeconfig) => machinesHalted({ kubeconfig, node, machines: ["default/gpu"] }),
    lists: [],
    object: machinePath("default/gpu"),
    says: "guard",
  },
  {
    name: "machinesOff",
    module: machinesOff,
    call: (kubeconfig) => machinesOff({ kubeconfig, machines: ["default/gpu"], deadlineSeconds: 1 }),
    lists: ["instances"],
    says: "wait",
  },
  {
    name: "machinesRestarted",
    module: machinesRestarted,
    call: (kubeconfig) => machinesRestarted({ kubeconfig, machines: [{ machine: "default/gpu", strategy: "Always" }] }),
    lists: [],
    object: machinePath("default/gpu"),
    says: "guard",
  },
  {
    name: "maintenanceAsked",
    module: maintenanceAsked,
    call: (kubeconfig) => maintenanceAsked({ kubeconfig, node, shutDown: [], acceptOutOfReach: [] }),
    lists: enterLists,
    object: nodePath,
    says: "guard",
  },
  {
    name: "nodeEmptied",
    module: nodeEmptied,
    call: (kubeconfig) => nodeEmptied({ kubeconfig, node, deadlineSeconds: 1 }),
    allows: { nodes: [...threeNodes().toSpliced(1, 1), nodeOf(node, { maintained: true })] },
    lists: ["nodes", "instances"],
    says: "wait",
  },
  {
    name: "mayReturn",
    module: mayReturn,
    call: (kubeconfig) => mayReturn({ kubeconfig, node }),
    lists: ["nodes", "machines"],
    says: "guard",
  },
  {
    name: "nodeReturned",
    module: nodeReturned,
    call: (kubeconfig) => nodeReturned({ kubeconfig, node }),
    lists: [],
    object: nodePath,
    says: "guard",
  },
  {
    name: "requestForgotten",
    module: requestForgotten,
    call: (kubeconfig) => requestForgotten({ kubeconfig, node }),
    lists: [],
    object: nodePath,
    says: "guard",
  },
  {
    name: "backupsFit",
    module: backupsFit,
    call: (kubeconfig) =>
      backupsFit({
        kubeconfig,
        backups: [{ name: "default/web-3", machine: "default/web", type: "backup" }],
        schedules: [],
        acceptLoss: [],
      }),
    lists: backupLists,
    object: settingPath("backup-target"),
    says: "guard",
  },
  {
    name: "backupsReady",
    module: backupsReady,
    call: (kubeconfig) => backupsReady({ kubeconfig, backups: ["default/web-1"], deadlineSeconds: 1 }),
    lists: ["backups"],
    says: "wait",
  },
  {
    name: "schedulesShown",
    module: schedulesShown,
    call: (kubeconfig) => schedulesShown({ kubeconfig, schedules: ["default/nightly"] }),
    lists: ["backups", "schedules"],
    says: "status",
  },
  {
    name: "mayRestore",
    module: mayRestore,
    call: (kubeconfig) =>
      mayRestore({
        kubeconfig,
        restore: "default/web-3-from-web-1",
        backup: "default/web-1",
        target: "default/web-3",
        isNew: true,
      }),
    lists: restoreLists,
    object: settingPath("backup-target"),
    says: "guard",
  },
  {
    name: "restored",
    module: restored,
    call: (kubeconfig) =>
      restored({ kubeconfig, restore: "default/web-2-from-web-1", target: "default/web-2", deadlineSeconds: 1 }),
    lists: restoredLists,
    says: "wait",
  },
  {
    name: "bundleFits",
    module: bundleFits,
    call: (kubeconfig) => bundleFits({ kubeconfig, name: "issue-1", description: "no network" }),
    lists: [],
    object: bundlePath("issue-1"),
    says: "guard",
  },
  {
    name: "bundleReady",
    module: bundleReady,
    call: (kubeconfig) => bundleReady({ kubeconfig, name: "issue-1", address: "10.0.0.1", deadlineSeconds: 1 }),
    lists: [],
    object: bundlePath("issue-1"),
    wait: { object: "bundle", others: {} },
    says: "wait",
  },
  {
    name: "mayMigrate",
    module: mayMigrate,
    call: (kubeconfig) => mayMigrate({ kubeconfig, machine: "default/web", from: node }),
    lists: migrateLists,
    allows: { instances: [instanceOf("web", node)] },
    says: "guard",
  },
  {
    name: "machineMigrated",
    module: machineMigrated,
    call: (kubeconfig) =>
      machineMigrated({
        kubeconfig,
        machine: "default/web",
        from: node,
        migration: "default/web-furrow-1",
        deadlineSeconds: 1,
      }),
    lists: ["instances", "migrations"],
    allows: { instances: [instanceOf("web", "harvester-1")] },
    says: "wait",
  },
  {
    name: "runningMigration",
    module: runningMigration,
    call: (kubeconfig) => runningMigration({ kubeconfig, machine: "default/web" }),
    lists: ["migrations"],
    says: "guard",
  },
  {
    name: "migrationSettings",
    module: migrationSettings,
    call: (kubeconfig) => migrationSettings({ kubeconfig, settings: { parallelMigrationsPerCluster: 3 } }),
    lists: ["migrations"],
    object: settingPath("kubevirt-migration"),
    says: "guard",
  },
  {
    name: "migrationSettingsReady",
    module: migrationSettingsReady,
    call: (kubeconfig) =>
      migrationSettingsReady({ kubeconfig, settings: { parallelMigrationsPerCluster: 5 }, deadlineSeconds: 1 }),
    lists: [],
    object: kubeVirtPath,
    wait: {
      object: "kubeVirt",
      others: { setting: { found: true, object: singleOf(settingPath("kubevirt-migration")) } },
    },
    says: "wait",
  },
  {
    name: "policiesSettled",
    module: policiesSettled,
    call: (kubeconfig) =>
      policiesSettled({ kubeconfig, policies: [{ name: "slow", spec: { allowAutoConverge: false } }] }),
    lists: ["migrations"],
    object: policyPath("slow"),
    says: "guard",
  },
];

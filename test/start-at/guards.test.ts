import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import apps from "../../playbooks/gitops/apps.ts";
import backup from "../../playbooks/gitops/backup.ts";
import images from "../../playbooks/gitops/images.ts";
import networks from "../../playbooks/gitops/networks.ts";
import nodeMaintenance from "../../playbooks/gitops/node-maintenance.ts";
import register from "../../playbooks/gitops/register.ts";
import restore from "../../playbooks/gitops/restore.ts";
import storage from "../../playbooks/gitops/storage.ts";
import ui from "../../playbooks/gitops/ui.ts";
import vms from "../../playbooks/gitops/vms.ts";
import certificates from "../../playbooks/ops/certificates.ts";
import cloudCredential from "../../playbooks/ops/cloud-credential.ts";
import externalCeph from "../../playbooks/ops/external-ceph.ts";
import guestFstrim from "../../playbooks/ops/guest-fstrim.ts";
import httpProxy from "../../playbooks/ops/http-proxy.ts";
import iscsiBoot from "../../playbooks/ops/iscsi-boot.ts";
import liveMigration from "../../playbooks/ops/live-migration.ts";
import migrateVm from "../../playbooks/ops/migrate-vm.ts";
import supportBundle from "../../playbooks/ops/support-bundle.ts";
import { Ref } from "../../src/authoring.ts";
import type { Playbook } from "../../src/core/authoring/playbook.ts";
import { type Planned, type PlannedComposite, type PlannedTask, planNodes } from "../../src/engine/plan/plan.ts";
import { simulate } from "../../src/testing/index.ts";

const source = { repo: "https://git.example.org/lab.git", path: "apps", revision: "main" };
const app = { project: "lab", source, namespace: "monitoring" };
const machine = { cores: 1, memory: "1Gi", networks: [{ network: "base" }] };
const clusterNetworks = {
  vm: { uplinks: { all: { nics: ["ens2"] } }, networks: { seven: { vlan: 7, namespace: "x" } } },
};

/** The playbooks that change something, with vars that make them list every guard that they have. */
const changing: Readonly<Record<string, { readonly book: unknown; readonly vars: readonly object[] }>> = {
  "gitops/apps": {
    book: apps,
    vars: [
      {
        projects: { lab: { repos: ["*"], destinations: [{ cluster: "*", namespace: "*" }] } },
        applicationSets: { monitoring: { ...app, clusterLabels: { tier: "lab" } } },
        applications: { guestbook: { ...app, cluster: "harvester" } },
      },
    ],
  },
  "gitops/backup": {
    book: backup,
    vars: [
      {
        backups: { before: { machine: "db" } },
        schedules: { nightly: { machine: "db", cron: "30 2 * * *", retain: 5 } },
      },
    ],
  },
  "gitops/images": {
    book: images,
    vars: [{ images: { debian: { url: "https://x.example.org/a.qcow2", namespace: "x", replicas: 9 } } }],
  },
  "gitops/networks": {
    book: networks,
    vars: [
      { clusterNetworks },
      { clusterNetworks, storageNetwork: { clusterNetwork: "vm", vlan: 60, range: "10.10.60.0/24" } },
    ],
  },
  "gitops/node-maintenance": {
    book: nodeMaintenance,
    vars: [
      { node: "harvester-2", action: "enter", shutDown: ["default/gpu"] },
      { node: "harvester-2", action: "leave" },
    ],
  },
  "gitops/register": {
    book: register,
    vars: [{ argoKubeconfig: "k", name: "harvester", server: "https://192.168.10.10:6443" }],
  },
  "gitops/restore": {
    book: restore,
    vars: [
      { backup: "base", replace: "db" },
      { backup: "base", newMachine: "db-2", targetNamespace: "lab" },
    ],
  },
  "gitops/storage": {
    book: storage,
    vars: [{ storageClasses: { fast: {} }, backupTarget: "nfs://nas:/backups" }, { storageClasses: { fast: {} } }],
  },
  "gitops/ui": {
    book: ui,
    vars: [{ url: "https://ui.example.org", certificateFile: "/etc/hostname", keyFile: "/etc/hostname" }],
  },
  "gitops/vms": {
    book: vms,
    vars: [
      {
        machines: {
          web: { ...machine, disks: [{ image: "debian", size: "1Gi" }], userData: "#cloud-config\n" },
          gpu: { ...machine, namespace: "lab", disks: [{ size: "1Gi" }], devices: ["harvester-1-000001000"] },
        },
      },
      { machines: { web: { ...machine, disks: [{ size: "1Gi" }], userData: "#cloud-config\n" } } },
    ],
  },
  "ops/certificates": { book: certificates, vars: [{ autoRotate: { enabled: true, expiringInHours: 240 } }] },
  "ops/cloud-credential": { book: cloudCredential, vars: [{ rancherUrl: "https://r", rancherToken: "a:b" }] },
  "ops/external-ceph": {
    book: externalCeph,
    vars: [
      {
        rook: { manifests: [{ path: "rook.yaml" }] },
        ceph: { fsid: "11111111-2222-4333-8444-555555555555", monitors: { a: "192.168.5.99:6789" } },
        rbd: { pool: "vms", isDefault: true },
        keys: { healthChecker: "AQ-health-key==", rbdNode: "AQ-node-key==", rbdProvisioner: "AQ-maker-key==" },
      },
    ],
  },
  "ops/guest-fstrim": { book: guestFstrim, vars: [{ group: "all" }, { group: "all", timer: "off" }] },
  "ops/http-proxy": { book: httpProxy, vars: [{ httpProxy: "http://proxy:3128", noProxy: ["192.168.10.0/24"] }] },
  "ops/iscsi-boot": { book: iscsiBoot, vars: [{}] },
  "ops/live-migration": {
    book: liveMigration,
    vars: [
      {
        settings: { allowAutoConverge: true },
        policies: { large: { machines: { size: "large" }, allowPostCopy: true } },
      },
    ],
  },
  "ops/migrate-vm": {
    book: migrateVm,
    vars: [
      { machine: "default/web", from: "harvester-2" },
      { machine: "default/web", action: "abort" },
    ],
  },
  "ops/support-bundle": { book: supportBundle, vars: [{ name: "issue-1", description: "no network" }] },
};

/** The playbooks that only report. */
const reporting = [
  "gitops/doctor",
  "gitops/rebuild",
  "gitops/vlans",
  "ops/external-ceph-nodes",
  "ops/longhorn-doctor",
  "ops/resources",
];

test("every playbook in gitops and ops is in this test", () => {
  const all = ["gitops", "ops"].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, "../../playbooks", folder)).map((file) => `${folder}/${file.slice(0, -3)}`),
  );
  expect([...Object.keys(changing), ...reporting].toSorted()).toEqual(all.toSorted());
});

type Listed = PlannedTask | PlannedComposite;

const setting = { target: "h", path: [], tags: [], when: [], become: undefined };
const host = { name: "h", address: "h", user: "root", ssh: ["h"], groups: ["all"], index: 0 };

function listed({ plays, vars: schema }: Playbook, vars: object): Listed[] {
  const parsed = schema?.parse(schema === iscsiBoot.vars ? vars : { kubeconfig: "k", ...vars });
  const context = { host, hosts: [host], allHosts: [host], vars: parsed, facts: {} };
  return plays.flatMap((play) => flat(planNodes(play.tasks(context as never) as [], setting, "")));
}

function flat(nodes: readonly Planned[]): Listed[] {
  return nodes.flatMap((node) => (node.node === "group" ? flat(node.children) : [node]));
}

/** The calls whose outputs a value contains. */
function sourcesIn(value: unknown): object[] {
  if (value instanceof Ref) return [value.source];
  if (Array.isArray(value)) return value.flatMap(sourcesIn);
  const isPlain = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.values(value).flatMap(sourcesIn) : [];
}

const callOf = (task: Listed): object => (task.node === "task" ? task.call : task.composite);
const inputOf = (task: Listed): unknown => (task.node === "task" ? task.call.input : task.composite.input);
const nameOf = (task: Listed): string => (task.node === "task" ? task.call.module.card.name : task.composite.name);

/** The calls whose outputs the task needs in order to run. */
function needs(task: Listed, all: readonly Listed[]): Set<object> {
  const direct = [...sourcesIn([...task.when]), ...sourcesIn(inputOf(task))];
  const further = all.filter((one) => direct.includes(callOf(one))).flatMap((one) => [...needs(one, all)]);
  return new Set([...direct, ...further]);
}

const isGuard = (task: Listed): boolean =>
  task.node === "task" && task.call.module.neverActs === true && task.call.module.poll === undefined;
const isWriter = (task: Listed): boolean =>
  task.node === "composite" || (task.call.module.neverActs !== true && task.call.module.poll === undefined);

describe("no task that changes something runs if --start-at has left a guard before it out", () => {
  const cases = Object.entries(changing).flatMap(([name, { book, vars }]) =>
    vars.map((own, index) => ({ name, index, book: book as Playbook, own })),
  );

  test.each(cases)("$name, vars $index", ({ book, own }) => {
    const all = listed(book, own);
    expect(all.some(isWriter)).toBe(true);
    const open = all.flatMap((task, at) => {
      if (!isWriter(task)) return [];
      const needed = needs(task, all);
      // A guard that may be skipped has no output. It counts as needed if the task also needs one of the calls that the
      // guard needs.
      const isSafe = (guard: Listed): boolean =>
        needed.has(callOf(guard)) || [...needs(guard, all)].some((one) => needed.has(one));
      const missed = all.slice(0, at).filter((one) => isGuard(one) && !isSafe(one));
      return missed.map((guard) => `${nameOf(task)} does not need ${nameOf(guard)}`);
    });
    expect([...new Set(open)]).toEqual([]);
  });
});

test("--start-at behind the guard does not restore over a running machine", async () => {
  const { tasks } = await simulate(restore, {
    hosts: ["local"],
    vars: { kubeconfig: "k", backup: "base", replace: "db" },
    startAt: "*kubeObject VirtualMachineRestore*",
  });
  const leftOut = "that task is default/db may be restored from default/base: it was left out";
  expect(tasks).toMatchObject([
    {
      outcome: "failed",
      error: { code: "E_PARAMS", failure: { details: [expect.stringContaining(leftOut)] } },
    },
  ]);
});

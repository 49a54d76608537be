import type { CoverageRow } from "./coverage-row.ts";
import { argoRows, cephRows, certificateRows, credentialRows, pagesRows, proxyRows } from "./coverage-settings.ts";
import { iscsiRows, trimRows } from "./machine-care-rows.ts";
import { machineRows, machines, othersOnServer } from "./machine-rows.ts";
import { parvesterRows } from "./parvester-rows.ts";
import { metalRows, powerRows } from "./power-rows.ts";
import { pxeRows } from "./pxe-rows.ts";
import { reportRows } from "./report-rows.ts";

/** The titles of the chapters, keyed by their letters. */
export const chapters: Readonly<Record<string, string>> = {
  G: "A lab that is stored in files",
  N: "Networks",
  O: "Operations",
  P: "Machines on ordinary hosts, without Harvester",
};

const networks = { roles: ["vm-networks"], playbooks: ["gitops/networks.ts"] };
const images = { roles: ["vm-images"], playbooks: ["gitops/images.ts"] };
const storage = { roles: ["vm-storage"], playbooks: ["gitops/storage.ts"] };

const networksOnServer = "test/kube/networks.kube.test.ts";
const imagesOnServer = "test/kube/images.kube.test.ts";
const backupsOnServer = "test/kube/backups.kube.test.ts";
const maintenanceOnServer = "test/kube/maintenance.kube.test.ts";
const migrationsOnServer = "test/kube/migrations.kube.test.ts";
const networkRole = "roles/vm-networks/role.test.ts";
const networkObjects = "roles/vm-networks/objects.test.ts";
const networkVars = "roles/vm-networks/networks.test.ts";
const storageNetwork = "roles/vm-networks/storage-network.test.ts";

/** All rows, in order. */
export const coverageRows: readonly CoverageRow[] = [
  ...argoRows,
  {
    id: "G3",
    capability: "Cluster networks, network configs and one network for each VLAN",
    ...networks,
    tests: {
      [networksOnServer]: ["check mode says what the run will do, and a second run changes nothing"],
      [networkObjects]: [
        "the objects match Harvester's: a VLAN in each network's JSON, none in a cluster network, no object for mgmt",
      ],
    },
  },
  {
    id: "G4",
    capability: "Longhorn's storage network, refused while machines are running or volumes are in use",
    ...networks,
    tests: {
      [storageNetwork]: [
        "is not changed while machines are running or volumes are in use, and the refusal names them",
        "is ready once Harvester has created it and configured Longhorn",
      ],
    },
  },
  {
    id: "G5",
    capability: "A bond with LACP: what the switch needs, and which links are down",
    ...networks,
    tests: {
      [networkVars]: ["says which modes fit the switch"],
      [networkRole]: ["ends when every node has the network, and says which interface is down"],
    },
  },
  {
    id: "G6",
    capability: "Images from a URL with a checksum, their progress, and the importer's error",
    ...images,
    tests: {
      [imagesOnServer]: [
        "are created, waited for, and left alone by the next run",
        "fail at once, with the importer's message, if one cannot be downloaded",
      ],
    },
  },
  ...machineRows,
  {
    id: "G10",
    capability: "Storage classes, and an NFS export for backups",
    ...storage,
    tests: {
      [othersOnServer]: [
        "is set up: check mode says what the run will do, and a second run changes nothing",
        "is refused, in check mode and in a run, if a class would change or requires too many replicas",
      ],
    },
  },
  {
    id: "G11",
    capability: "Backups of machines, schedules and restores",
    roles: ["vm-backups", "vm-restore"],
    playbooks: ["gitops/backup.ts", "gitops/restore.ts"],
    tests: {
      [backupsOnServer]: [
        "are created once and waited for, and a schedule is created; check mode says the same, and a second run changes nothing",
        "that fail are reported with Harvester's own message, by the run and by a later check",
        "creates a new machine; check mode says the same, and a second run changes nothing",
        "replaces a machine once, if the machine is named and off",
      ],
      "roles/vm-backups/role.test.ts": [
        "makes Harvester delete its backups only with permission, and never other backups",
      ],
    },
    missing: "snapshots of single volumes",
  },
  {
    id: "G12",
    capability: "Putting one node into maintenance and back into service",
    roles: ["node-maintenance"],
    playbooks: ["gitops/node-maintenance.ts"],
    tests: {
      [maintenanceOnServer]: [
        "is refused, and nothing changes, if a machine that cannot migrate is not listed",
        "moves what can move and shuts down what is listed; check mode says the same, and a second run changes nothing",
        "ends: the machine starts again as before, and settings that others made on the node stay",
      ],
      "roles/node-maintenance/role.test.ts": [
        "one that cannot migrate is refused with KubeVirt's reason, unless shutDown names it",
        "is refused, and the error names the machines that use it",
      ],
    },
    missing: "ending maintenance in versions after v1.8",
  },
  {
    id: "G13",
    capability: "Networks before storage, images before machines",
    ...machines,
    tests: { "roles/virtual-machines/role.test.ts": ["may still be downloading, because the run waits for them"] },
    missing: "a single playbook for everything: users run several, one after another; applications",
  },
  ...pagesRows,
  reportRows.G15,
  reportRows.G16,
  {
    id: "G17",
    capability: "The phases from scratch to a running lab",
    roles: ["rebuild"],
    playbooks: ["harvester.ts", "gitops/networks.ts", "gitops/rebuild.ts", "gitops/doctor.ts"],
    tests: {
      "test/docs/phases.test.ts": [
        "the phases are numbered, and each names an existing playbook and when the phase is done",
        "the phases are in the order in which a cluster is rebuilt from its files",
      ],
    },
    missing: "a playbook that runs all phases: a page lists their order; a run of all phases on a Harvester cluster",
  },
  {
    id: "N1",
    capability: "The model: hosts with labels, cluster networks, network configs, networks for machines",
    ...networks,
    tests: { [networkRole]: ["fit a fresh cluster, and a note says what the switch needs"] },
  },
  {
    id: "N2",
    capability: "Which hosts can run a machine, with the reason for each that cannot",
    ...networks,
    tests: { [networkRole]: ["is reported for each machine that cannot run everywhere"] },
  },
  {
    id: "N3",
    capability: "Two network configs for one host are refused; the management network is never touched",
    ...networks,
    tests: {
      [networksOnServer]: ["are refused, and nothing changes, if a new network config matches a node of an old one"],
      [networkRole]: ["are refused if they %s"],
    },
  },
  {
    id: "N4",
    capability: "The JSON of a network, with a VLAN or untagged",
    ...networks,
    tests: {
      [networkObjects]: [
        "the objects match Harvester's: a VLAN in each network's JSON, none in a cluster network, no object for mgmt",
      ],
    },
  },
  {
    id: "N5",
    capability: "Bond modes, and what the switch needs for each",
    ...networks,
    tests: { [networkVars]: ["accepts the bond mode %s, and refuses a switch that does not fit it"] },
  },
  reportRows.N6,
  ...pxeRows,
  ...metalRows,
  ...powerRows,
  ...certificateRows,
  ...credentialRows,
  ...proxyRows,
  ...trimRows,
  ...iscsiRows,
  reportRows.O9,
  reportRows.O10,
  {
    id: "O11",
    capability: "Live migration: settings and policies; one machine, watched or aborted",
    roles: ["vm-migration", "live-migration"],
    playbooks: ["ops/migrate-vm.ts", "ops/live-migration.ts"],
    tests: {
      [migrationsOnServer]: [
        "leaves its node; check mode says the same, and a second run changes nothing",
        "that cannot migrate is refused with KubeVirt's reason, and nothing changes",
        "may still be migrating when a run ends; the next run then waits for it, and the migration can be aborted",
        "the settings and policies are set; check mode says the same, and a second run changes nothing",
      ],
      "roles/live-migration/role.test.ts": ["are refused while a machine is migrating, and only if they would change"],
    },
    missing: "choosing the target node",
  },
  ...cephRows,
  {
    id: "O13",
    capability: "Support bundles; an upgrade with preconditions and progress",
    roles: ["cluster-upgrade", "support-bundle"],
    playbooks: ["harvester-upgrade.ts", "ops/support-bundle.ts"],
    tests: {
      "test/kube/support-bundle.kube.test.ts": [
        "is created once and waited for; check mode says the same, a second run changes nothing, and both say where the bundle is",
        "is refused, and nothing changes, if its name is taken",
        "that fails is reported with Harvester's own message, by the run and by a later check",
      ],
      "test/playbooks/upgrade.long.test.ts": [
        "a version that Harvester cannot upgrade to is refused, and nothing changes",
        "furrow is killed while the cluster is being upgraded, and a rerun waits for the same upgrade",
      ],
    },
    missing: "the download of a support bundle; a pause for each node",
  },
  ...parvesterRows,
];

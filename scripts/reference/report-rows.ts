import type { CoverageRow } from "./coverage-row.ts";

const reportsOnServer = "test/kube/reports/reports.kube.test.ts";

/** The rows about reports. */
export const reportRows = {
  G15: {
    id: "G15",
    capability: "A report on the health of machines, volumes and nodes",
    roles: ["cluster-doctor"],
    playbooks: ["gitops/doctor.ts"],
    tests: {
      [reportsOnServer]: [
        "says the same in check mode, and only reads",
        "names what a user without rights cannot see, and reports none of it as zero or healthy",
      ],
      "roles/cluster-doctor/role.test.ts": [
        "finds, with the severity and where to look next,",
        "that do not exist are reported with the names to use instead",
      ],
    },
    missing: "the expiry of certificates on Harvester releases that do not record it on the nodes",
  },
  G16: {
    id: "G16",
    capability: "Loss of a node, loss of the quorum, rebuild",
    roles: ["rebuild"],
    playbooks: ["gitops/rebuild.ts"],
    tests: {
      [reportsOnServer]: [
        "a plan is refused while the quorum is lost, and the refusal names the snapshot and the steps",
      ],
      "roles/rebuild/role.test.ts": [
        "says which machines start elsewhere and which volumes are rebuilt, in order",
        "shows the order, and which parts already exist",
      ],
    },
    missing: "carrying out the plan: machines are restored from backups with gitops/restore",
  },
  N6: {
    id: "N6",
    capability: "The VLANs on each node's bridge match the cluster's networks",
    roles: ["vm-networks"],
    playbooks: ["gitops/vlans.ts"],
    tests: {
      "roles/vm-networks/bridge-vlans.test.ts": [
        "names each wanted VLAN that a node's bridge lacks, with its networks",
        "refuses a host that is not a node, instead of reporting success without a check",
      ],
      "src/facts/network/bridge-vlans.programs.test.ts": ["reads single VLANs and ranges, as iproute2 prints them"],
    },
    missing: "a test with a real bridge",
  },
  O9: {
    id: "O9",
    capability: "A report on nodes, machines, storage and overcommitment",
    roles: ["resources"],
    playbooks: ["ops/resources.ts"],
    tests: {
      [reportsOnServer]: ["read permissions are enough for each report"],
      "roles/resources/role.test.ts": [
        "are shown with what is reserved, requested and free",
        "can be lost if its pods fit elsewhere and its data is there too",
      ],
    },
    missing: "a comparison of affinity rules",
  },
  O10: {
    id: "O10",
    capability: "A report on Longhorn: disks, tags, replicas, snapshots",
    roles: ["longhorn-doctor"],
    playbooks: ["ops/longhorn-doctor.ts"],
    tests: {
      [reportsOnServer]: ["says the same in check mode, and only reads"],
      "roles/longhorn-doctor/role.test.ts": [
        "finds, with the severity and where to look next,",
        "does not report success if something cannot be read",
      ],
    },
  },
} as const satisfies Readonly<Record<string, CoverageRow>>;

/** A block that needs no separate test: its page below docs/guides, its beginning, and why. */
export type Unrun = readonly [page: string, start: string, why: string];

/** The blocks whose command is also on another page, where a test runs it. */
export const runElsewhere: readonly Unrun[] = [
  ["harvester/phases", "npx furrow run playbooks/harvester.ts", "docs/harvester.md"],
];

/** The blocks without commands, and where the text comes from. */
export const noCommands: readonly Unrun[] = [
  [
    "harvester/reports",
    "critical: 1 volume with a single healthy replica left",
    "a report; test/kube/reports/reports.kube.test.ts expects such lines",
  ],
  ["harvester/reports", "unknown: the pods", "a report; test/kube/reports/reports.kube.test.ts reads as a guest"],
];

/** The files that no command on their page names, and what reads them. */
export const otherFiles: readonly Unrun[] = [
  [
    "harvester/external-ceph",
    "os:\n  persistent_state_paths",
    "a part of Harvester's own configuration, which its installer reads",
  ],
  [
    "harvester/vms",
    "disks:\n  - { image: debian-13",
    "a part of a machine; roles/virtual-machines/machines.test.ts tests `volume`",
  ],
  ["kubernetes", "clusters:", "a part of a kubeconfig; src/drivers/kube tests the extension"],
];

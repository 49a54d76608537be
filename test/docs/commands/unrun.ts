/** A block that no test runs: its page below docs/guides, its beginning, and why. */
export type Unrun = readonly [page: string, start: string, why: string];

/**
 * The blocks of commands that no test runs word for word. Their playbooks, inventories, flags and vars are checked by
 * `furrow validate`, with the files of the page.
 */
export const validated: readonly Unrun[] = [
  [
    "harvester/reports",
    "npx furrow run playbooks/gitops/vlans.ts",
    "needs the bridges of Harvester's nodes: roles/vm-networks has their output",
  ],
  [
    "parvester",
    "npx furrow check playbooks/parvester.ts -i inventory.ts --var @parvester.yaml --var @bridges.yaml",
    "needs four hosts with a second card: networkInterface has its own lab tests",
  ],
];

/** The blocks whose command another page shows too, where a test runs it. */
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
  ["harvester/reports", "not seen: the pods", "a report; test/kube/reports/reports.kube.test.ts reads as a guest"],
];

/** The files that no command of their page names, and who reads them. */
export const otherFiles: readonly Unrun[] = [
  [
    "harvester/external-ceph",
    "os:\n  persistent_state_paths",
    "a part of Harvester's own configuration, which its installer reads",
  ],
  ["kubernetes", "clusters:", "a part of a kubeconfig; src/drivers/kube tests the extension"],
];

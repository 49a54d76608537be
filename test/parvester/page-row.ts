/** The block of docs/guides/parvester.md that creates a cluster. */
export const pageRow = {
  page: "parvester",
  start: "export RKE2_TOKEN",
  says: [/would change/, /changed .*vm1/],
} as const;

/** The block of that page that lets furrow create the bridges. */
export const bridgesRow = {
  page: "parvester",
  start: "npx furrow check playbooks/parvester.ts -i inventory.ts --var @parvester.yaml --var @bridges.yaml",
  says: [/^4 hosts +would change .*networkInterface br0/m, /^play Cluster/m],
} as const;

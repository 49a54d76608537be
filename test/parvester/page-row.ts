/** The block of docs/guides/parvester.md that makes a cluster. */
export const pageRow = {
  page: "parvester",
  start: "export RKE2_TOKEN",
  says: [/would change/, /changed .*vm1/],
} as const;

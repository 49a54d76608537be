/** How large a cluster is: nodes, and what is to run on it. */
export interface ClusterSize {
  readonly nodes: 1 | 3 | 5;
  readonly size: "small" | "medium";
}

/** A host's step on the ladder: each has twice the processors and memory of the one before, from 16 and 64 GiB on. */
export function stepOf({ nodes, size }: ClusterSize): 0 | 1 | 2 {
  if (nodes === 1) return size === "small" ? 0 : 1;
  return nodes === 3 && size === "small" ? 1 : 2;
}

/** Ports that are open to all, and those that only some networks may use: login, and the cluster's API. */
export const ports = { open: [443], managed: [22, 6443] } as const;

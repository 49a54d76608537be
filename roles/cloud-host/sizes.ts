/** How large a cluster is: its nodes and their size. */
export interface ClusterSize {
  readonly nodes: 1 | 3 | 5;
  readonly size: "small" | "medium";
}

/**
 * A host's step on the ladder: each has twice the processors and memory of the one before, starting at 16 and 64 GiB.
 */
export function stepOf({ nodes, size }: ClusterSize): 0 | 1 | 2 {
  if (nodes === 1) return size === "small" ? 0 : 1;
  return nodes === 3 && size === "small" ? 1 : 2;
}

/** Ports that are open to all, and ports only for some networks: login, and the cluster's API. */
export const ports = { open: [443], managed: [22, 6443] } as const;

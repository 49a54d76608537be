/** The size of a cluster: the number of nodes, and the size of each. */
export interface ClusterSize {
  readonly nodes: 1 | 3 | 5;
  readonly size: "small" | "medium";
}

/**
 * Returns the size step of the host that a cluster needs. Step 0 has 16 processors and 64 GiB of memory; each further
 * step doubles both.
 */
export function stepOf({ nodes, size }: ClusterSize): 0 | 1 | 2 {
  if (nodes === 1) return size === "small" ? 0 : 1;
  return nodes === 3 && size === "small" ? 1 : 2;
}

/**
 * The ports that are open to everyone, and the ports that are open only to some networks: SSH and the cluster's API.
 */
export const ports = { open: [443], managed: [22, 6443] } as const;

/** The hint for vars that do not list the nodes that the cluster has. */
export const listingHint =
  "Set `nodes` to the number of nodes that the cluster was deployed with or has grown to, and list in `removedNodes` only nodes whose removal by harvester-remove-node has finished";

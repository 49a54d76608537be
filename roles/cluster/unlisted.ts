/** Says how to make the vars list the nodes that a cluster has. */
export const listingHint =
  "Set `nodes` to the number of nodes that the cluster was deployed with or has grown to, and list in `removedNodes` only nodes whose removal by harvester-remove-node has finished";

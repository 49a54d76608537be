/** Says how to make the vars list the nodes that a cluster has. */
export const listingHint =
  "Set `nodes` to the number with which the cluster was deployed or to which it has grown, and list in `removedNodes` only nodes whose removal by harvester-remove-node has finished";

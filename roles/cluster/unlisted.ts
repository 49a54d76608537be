/** The hint to show if the vars do not list the cluster's actual nodes. */
export const listingHint =
  "Set `nodes` to the number of nodes that the cluster was deployed with or has grown to, and list in `removedNodes` only nodes whose removal by harvester-remove-node has finished";

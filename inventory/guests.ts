/**
 * The guests of a Harvester cluster, each reached through the node that it runs on, and this machine, for tasks that
 * concern the cluster as a whole. FURROW_KUBECONFIG is the cluster's kubeconfig. FURROW_GUEST_USER and FURROW_GUEST_KEY
 * are used to log in to the guests, and FURROW_NODE_KEY to log in to the nodes. Your own inventory may set a different
 * `user` for individual guests.
 */
import { resolve } from "node:path";
import { inventory } from "furrow";
import { guestInventory } from "furrow/cloud";

const {
  FURROW_KUBECONFIG = "harvester.kubeconfig",
  FURROW_GUEST_USER,
  FURROW_GUEST_KEY,
  FURROW_NODE_KEY,
} = process.env;

export default inventory({
  hosts: { here: { transport: "local" } },
  sources: [guestInventory({ kubeconfig: resolve(FURROW_KUBECONFIG) })],
  groups: {
    guests: {
      ...(FURROW_GUEST_USER !== undefined && { user: FURROW_GUEST_USER }),
      ...(FURROW_GUEST_KEY !== undefined && { identityFile: FURROW_GUEST_KEY }),
    },
    nodes: { user: "rancher", ...(FURROW_NODE_KEY !== undefined && { identityFile: FURROW_NODE_KEY }) },
  },
});

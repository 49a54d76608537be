import { task, z } from "../../src/authoring.ts";
import { askCluster, lookAt, type Seen, unseenTexts } from "../cluster-answers/answers.ts";
import { matchingNodes } from "./matching.ts";
import { managementNetwork } from "./networks.ts";

const lists = ["nodes", "machines", "vmNetworks", "networkStatuses"] as const;

/** The parts of a cluster that determine where a machine can run. */
export type PlacementCluster = Seen<(typeof lists)[number]>;

/** Reports the virtual machines that some nodes cannot run because these nodes lack some of the machines' networks. */
export const placement = task({
  name: "placement",
  summary: "Report the nodes that lack networks of a virtual machine",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "where the virtual machines can run",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want(() => ({}))
  .steps(() => [])
  .notes((_p, now) => {
    const look = lookAt(now, ...lists);
    if ("unseen" in look) return unseenTexts(look.unseen);
    const { machines, nodes } = look.seen;
    const reports = machines.flatMap(({ name, networks }) => placementText(name, networks, look.seen) ?? []);
    return reports.length > 0 || machines.length === 0 || nodes.length === 0
      ? reports
      : ["every node has the networks of every virtual machine"];
  });

/** Says which nodes cannot run a machine, and why; undefined if all can. */
export function placementText(
  machine: string,
  networks: readonly string[],
  cluster: PlacementCluster,
): string | undefined {
  const unknown = networks.filter((network) => !cluster.vmNetworks.some(({ name }) => name === network));
  if (unknown.length > 0) return `no node can run ${machine}: the network ${unknown.join(", ")} does not exist`;
  // A witness runs no machines at all.
  const lacks = matchingNodes(cluster.nodes, { nodes: {} }).map(({ name: node }) => ({
    node,
    missing: networks.filter((network) => !isOn(network, node, cluster)),
  }));
  const without = lacks.filter(({ missing }) => missing.length > 0);
  if (without.length === 0) return undefined;
  const reasons = without.map(({ node, missing }) => `${node} does not have ${missing.join(", ")}`).join("; ");
  const able = lacks.filter(({ missing }) => missing.length === 0).map(({ node }) => node);
  return able.length === 0
    ? `no node has all networks of ${machine}: ${reasons}`
    : `${machine} can run only on ${able.join(", ")}: ${reasons}`;
}

/**
 * True if a node has a network: the management network is on every node, and any other network is on the nodes where
 * its status is ready.
 */
function isOn(network: string, node: string, { vmNetworks, networkStatuses }: PlacementCluster): boolean {
  const own = vmNetworks.find(({ name }) => name === network)?.clusterNetwork;
  // Networks of other kinds, such as overlays, do not depend on a node's interfaces.
  if (own === undefined || own === managementNetwork) return true;
  return networkStatuses.some((one) => one.clusterNetwork === own && one.node === node && one.ready);
}

import { refuse, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { interfacesOf } from "./interfaces.ts";
import { matchingNodes } from "./matching.ts";
import { type WantedConfig, wantedConfigSchema } from "./networks.ts";

const lists = ["nodes", "networkConfigs", "networkStatuses", "linkMonitors"] as const;
type Cluster = Seen<(typeof lists)[number]>;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  configs: z.array(wantedConfigSchema).describe("The requested network configs"),
  intervalSeconds: seconds().default(5).describe("Seconds between two checks"),
  deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
});

/** Waits until every node has set up its cluster networks, and reports which interfaces are down. */
export const networksReady = task({
  name: "networksReady",
  summary: "Wait until every node has set up its cluster networks",
  params,
  examples: [],
  title: () => "the cluster networks are ready",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, "whether the nodes have set up their cluster networks", (seen) => {
      const missing = p.configs.flatMap((config) => missingOf(config, seen));
      return missing.length === 0
        ? {}
        : refuse({
            code: "not-ready",
            message: missing.join("; "),
            hint: "Look at the VlanStatus objects, and at the log of harvester-network-controller on the node",
          });
    }),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "every node to set up its cluster networks",
  }))
  .notes((p, now) => {
    const look = lookAt(now, ...lists);
    return "seen" in look
      ? p.configs.flatMap((config) => [...staleOf(config, look.seen), ...downOf(config, look.seen)])
      : [];
  });

function missingOf(config: WantedConfig, { nodes, networkStatuses }: Cluster): string[] {
  return matchingNodes(nodes, config).flatMap(({ name: node }) => {
    const own = networkStatuses.find((one) => one.node === node && one.clusterNetwork === config.clusterNetwork);
    if (own === undefined) return [`${node} has not set up ${config.clusterNetwork}`];
    if (own.config !== config.name)
      return [`${node} still has ${config.clusterNetwork} from the network config ${own.config}, not ${config.name}`];
    return own.ready ? [] : [`${config.clusterNetwork} is not ready on ${node}${own.message && `: ${own.message}`}`];
  });
}

/**
 * Harvester's status of a network does not show which version of the config it describes. A status that is older than
 * the config's last change may describe the previous config, or Harvester may have had no reason to update it.
 */
function staleOf({ name, clusterNetwork }: WantedConfig, { networkConfigs, networkStatuses }: Cluster): string[] {
  const changed = networkConfigs.find((one) => one.name === name)?.changed;
  const old = networkStatuses.filter(
    (one) => one.config === name && changed !== undefined && (one.updated === "" || one.updated < changed),
  );
  return old.length === 0
    ? []
    : [
        `Harvester has not reported the state of ${clusterNetwork} on ${old.map(({ node }) => node).join(", ")} since ${name} changed at ${changed}: check it on these nodes`,
      ];
}

/**
 * A bond works as long as one of its interfaces is up, so an interface that is down is reported, but does not fail the
 * run.
 */
function downOf(config: WantedConfig, { nodes, linkMonitors }: Cluster): string[] {
  return matchingNodes(nodes, config).flatMap(({ name: node }) => {
    const all = interfacesOf(linkMonitors, node) ?? [];
    const down = all.filter(({ name, state }) => state === "down" && config.nics.includes(name));
    return down.length === 0
      ? []
      : [`${down.map(({ name }) => name).join(", ")} of ${node} is down: check the cable and the switch's port`];
  });
}

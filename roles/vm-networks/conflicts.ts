import type { NetworkConfigObject } from "../cluster-answers/network-objects.ts";
import type { Seen } from "../cluster-answers/answers.ts";
import { interfacesOf } from "./interfaces.ts";
import { matchingNodes } from "./matching.ts";
import type { WantedConfig } from "./networks.ts";

/** The query that is sent before networks change. */
export const networkLists = ["nodes", "networkConfigs", "linkMonitors"] as const;

/** The parts of a cluster on which the networks depend. */
export type NetworkCluster = Seen<(typeof networkLists)[number]>;

/** A network config that is requested, or that the cluster already has. */
type Config = Pick<WantedConfig, "name" | "clusterNetwork" | "nodes" | "nics" | "mtu">;

/** Says why the wanted network configs cannot be applied to a cluster; empty if they can. */
export function conflictsOf(wanted: readonly WantedConfig[], cluster: NetworkCluster): string[] {
  const names = new Set(wanted.map(({ name }) => name));
  const kept = cluster.networkConfigs.filter(({ name, isDeleted }) => !isDeleted && !names.has(name));
  return wanted.flatMap((config, index) => {
    const live = cluster.networkConfigs.find(({ name, isDeleted }) => name === config.name && !isDeleted);
    if (live !== undefined && live.clusterNetwork !== config.clusterNetwork)
      return [
        `the network config ${config.name} belongs to ${live.clusterNetwork}; moving it to ${config.clusterNetwork} would disconnect the nodes of ${live.clusterNetwork}`,
      ];
    const nodes = matchingNodes(cluster.nodes, config).map(({ name }) => name);
    if (nodes.length === 0) return [`the network config ${config.name} matches no node: ${labelText(config)}`];
    const others: readonly Config[] = [...wanted.slice(0, index), ...kept];
    return [
      ...others.flatMap((other) => between(config, other, nodes, cluster)),
      ...nodes.flatMap((node) => config.nics.flatMap((nic) => interfaceProblem(config, node, nic, cluster) ?? [])),
    ];
  });
}

/** Conflicts between two network configs: Harvester refuses some of them only after nodes have already changed. */
function between(config: Config, other: Config, nodes: readonly string[], cluster: NetworkCluster): string[] {
  const both = matchingNodes(cluster.nodes, other)
    .map(({ name }) => name)
    .filter((name) => nodes.includes(name));
  const problems: string[] = [];
  if (config.clusterNetwork === other.clusterNetwork) {
    if (both.length > 0)
      problems.push(
        `the network configs ${other.name} and ${config.name} of ${config.clusterNetwork} both match ${both.join(", ")}`,
      );
    if (config.mtu !== other.mtu)
      problems.push(
        `the network configs of ${config.clusterNetwork} need the same MTU, but ${other.name} has ${other.mtu} and ${config.name} ${config.mtu}`,
      );
    return problems;
  }
  const shared = config.nics.filter((nic) => other.nics.includes(nic));
  if (both.length > 0 && shared.length > 0)
    problems.push(
      `${shared.join(", ")} of ${both.join(", ")} cannot be in two bonds: ${other.name} of ${other.clusterNetwork} has it, and ${config.name} of ${config.clusterNetwork} needs it`,
    );
  return problems;
}

function interfaceProblem(config: Config, node: string, nic: string, cluster: NetworkCluster): string | undefined {
  const all = interfacesOf(cluster.linkMonitors, node);
  if (all === undefined) return undefined;
  const found = all.find(({ name }) => name === nic);
  if (found === undefined)
    return `${node} reports no interface ${nic}; it reports ${all.map(({ name }) => name).join(", ")}`;
  if (found.master === undefined || hasAlready(cluster.networkConfigs, config, node, nic, cluster)) return undefined;
  return `${nic} of ${node} is already part of ${found.master}, so it may belong to the management network`;
}

/** True if the cluster network already has the interface, so the bond that contains it belongs to this network. */
function hasAlready(
  configs: readonly NetworkConfigObject[],
  { clusterNetwork }: Config,
  node: string,
  nic: string,
  { nodes }: NetworkCluster,
): boolean {
  return configs.some(
    (one) =>
      one.clusterNetwork === clusterNetwork &&
      one.nics.includes(nic) &&
      matchingNodes(nodes, one).some(({ name }) => name === node),
  );
}

function labelText({ nodes }: Config): string {
  const labels = Object.entries(nodes).map(([label, value]) => `${label}=${value}`);
  return labels.length === 0
    ? "the cluster has only witnesses"
    : `none has ${labels.join(" and ")}, apart from witnesses`;
}

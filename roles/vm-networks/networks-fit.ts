import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt } from "../cluster-answers/answers.ts";
import { bondModes, switchTexts } from "./bonds.ts";
import { conflictsOf, type NetworkCluster, networkLists } from "./conflicts.ts";
import { interfacesOf } from "./interfaces.ts";
import { matchingNodes } from "./matching.ts";
import { type WantedConfig, wantedConfigSchema } from "./networks.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  configs: z.array(wantedConfigSchema).describe("The requested network configs"),
});

/** Refuses network configs that conflict with each other or with the cluster, before any of them is applied. */
export const networksFit = task({
  name: "networksFit",
  summary: "Refuse network configs that conflict with each other or with the cluster",
  params,
  examples: [],
  title: () => "the networks fit the cluster",
})
  .facts((p) => askCluster(p.kubeconfig, ...networkLists))
  .want((p, now) =>
    decideOn(now, networkLists, "whether the networks fit the cluster", (seen) => {
      const conflicts = conflictsOf(p.configs, seen);
      return conflicts.length === 0
        ? {}
        : refuse({
            code: "network-conflict",
            message: conflicts.join("; "),
            hint: "Correct the labels and interfaces of the uplinks, or label the nodes, then rerun",
          });
    }),
  )
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, ...networkLists);
    return "seen" in look ? p.configs.flatMap((config) => notesOf(config, look.seen)) : [];
  });

function notesOf(config: WantedConfig, cluster: NetworkCluster): string[] {
  const nodes = matchingNodes(cluster.nodes, config).map(({ name }) => name);
  const unseen = nodes.filter((node) => interfacesOf(cluster.linkMonitors, node) === undefined);
  const { name, clusterNetwork, nics, bond } = config;
  return [
    `${name} connects ${nodes.join(", ")} to ${clusterNetwork} with ${nics.join(" and ")} (${bond}): the switch needs ${switchTexts[bondModes[bond]]}`,
    ...(unseen.length > 0
      ? [`the interfaces of ${unseen.join(", ")} cannot be checked: no LinkMonitor reports them`]
      : []),
  ];
}

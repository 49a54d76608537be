import { refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt } from "../cluster-answers/answers.ts";
import { fatesOf, fateText, strategyLabel } from "./fates.ts";
import { enterLists, type EnterCluster, enterObstacle, type EnterWish } from "./obstacles.ts";
import { failedMaintenance, maintenanceOf } from "./state.ts";

/** The params of tasks that decide whether a node may enter maintenance. */
export const enterParams = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  node: z.string().describe("Name of the node"),
  shutDown: z.array(z.string()).describe("Virtual machines that may be shut down: NAMESPACE/NAME"),
  acceptOutOfReach: z.array(z.string()).describe("Volumes that may be unavailable during the maintenance"),
});

/** The actions that put a node into maintenance. */
export interface EnterPlan {
  /** True if the maintenance has not been requested from Harvester yet. */
  readonly begins: boolean;
  /** The machines that furrow shuts down first. */
  readonly halts: readonly string[];
}

/**
 * Refuses to put a node into maintenance if the cluster cannot do without it, or if something on it cannot be moved and
 * must not be shut down. Maintenance that has already begun is not refused.
 */
export const mayEnter = task({
  name: "mayEnter",
  summary: "Refuse the maintenance of a node that the cluster cannot do without",
  params: enterParams,
  examples: [],
  title: ({ node }) => `${node} may enter maintenance`,
})
  .facts((p) => askCluster(p.kubeconfig, ...enterLists))
  .want((p, now) =>
    decideOn(now, enterLists, `whether ${p.node} may enter maintenance`, (seen) => {
      const own = seen.nodes.find(({ name }) => name === p.node);
      if (own === undefined) return noNode(p.node, seen.nodes);
      const obstacle = maintenanceOf(own).is === "none" ? enterObstacle(p, own, seen) : failedMaintenance(own);
      return obstacle ?? {};
    }),
  )
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, ...enterLists);
    return "seen" in look ? planTexts(p, look.seen) : [];
  })
  .outputs((p, now): EnterPlan => {
    const look = lookAt(now, ...enterLists);
    return "seen" in look ? planOf(p, look.seen) : { begins: false, halts: [] };
  });

const begunTexts = {
  requested: (node: string) => `the maintenance of ${node} has already been requested`,
  running: (node: string) => `the maintenance of ${node} has already begun`,
  completed: (node: string) => `${node} is in maintenance already`,
  failed: (node: string) => `the maintenance of ${node} has failed before`,
};

/** Says what will happen to each virtual machine that the maintenance affects. */
function planTexts({ node, shutDown }: EnterWish, cluster: EnterCluster): string[] {
  const own = cluster.nodes.find(({ name }) => name === node);
  if (own === undefined) return [];
  const { is } = maintenanceOf(own);
  if (is !== "none") return [begunTexts[is](node)];
  const running = cluster.instances.filter((one) => one.running);
  const elsewhere = running
    .filter((one) => one.node !== node && shutDown.includes(one.name))
    .map((one) => `${one.name} on ${one.node} is shut down, because one of its volumes is on ${node} alone`);
  const off = shutDown
    .filter((name) => !running.some((one) => one.name === name))
    .map((name) => `${name} is not running`);
  const texts = [...fatesOf(node, cluster).map((fate) => fateText(fate, shutDown)), ...elsewhere, ...off];
  return texts.length === 0 ? [`no virtual machine runs on ${node}`] : texts;
}

function planOf({ node, shutDown }: EnterWish, { nodes, instances }: EnterCluster): EnterPlan {
  const own = nodes.find(({ name }) => name === node);
  const begins = own !== undefined && maintenanceOf(own).is === "none";
  // Harvester itself shuts down the machines with its label, and remembers which ones to restart.
  const halts = instances.filter(
    (one) =>
      one.running &&
      shutDown.includes(one.name) &&
      !(one.node === node && (one.labels[strategyLabel] ?? "").startsWith("Shutdown")),
  );
  return { begins, halts: begins ? halts.map(({ name }) => name) : [] };
}

/** Refuses a node that the cluster does not have. */
export function noNode(node: string, nodes: readonly { readonly name: string }[]): Refusal {
  return refuse({
    code: "no-node",
    message: `the cluster has no node ${node}`,
    current: nodes.map(({ name }) => name).join(", "),
    hint: "Correct the name",
  });
}

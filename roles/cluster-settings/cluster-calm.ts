import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, type Seen } from "../cluster-answers/answers.ts";
import { maintenanceOf } from "../node-maintenance/state.ts";

const lists = ["nodes", "upgrades"] as const;

/**
 * While a node is unavailable or an upgrade is running, refuses to change a setting that makes parts of the cluster
 * restart.
 */
export const clusterCalm = task({
  name: "clusterCalm",
  summary: "Refuse a change to a setting while a node is unavailable or an upgrade is running",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    setting: z.string().describe("Name of the setting"),
    changes: z.boolean().describe("Whether the setting will change; otherwise nothing is refused"),
  }),
  examples: [],
  title: ({ setting }) => `the cluster is ready for a change to ${setting}`,
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) => {
    if (!p.changes) return {};
    return decideOn(now, lists, `whether the setting ${p.setting} may change`, (seen) => {
      const why = unrestIn(seen);
      if (why.length === 0) return {};
      return refuse({
        code: "not-now",
        message: `the setting ${p.setting} cannot be changed now, because the change restarts parts of the cluster: ${why.join("; ")}`,
        hint: "Wait until all nodes are Ready, none is in maintenance, and no upgrade is in progress; then rerun",
      });
    });
  })
  .steps(() => []);

/** Reasons why nothing in a cluster should restart now; empty if everything may restart. */
export function unrestIn({ nodes, upgrades }: Seen<(typeof lists)[number]>): string[] {
  const down = nodes.filter(({ ready }) => !ready);
  const away = nodes.filter((one) => one.maintained || maintenanceOf(one).is !== "none");
  const upgrade = upgrades.find(({ outcome }) => outcome === undefined);
  return [
    ...(down.length > 0 ? [`${namesOf(down)} not ready`] : []),
    ...(away.length > 0 ? [`${namesOf(away)} in maintenance`] : []),
    ...(upgrade === undefined ? [] : [`the upgrade ${upgrade.name} is running`]),
  ];
}

function namesOf(nodes: readonly { readonly name: string }[]): string {
  return nodes.map(({ name }) => name).join(", ");
}

import { absent, task, z } from "../../src/authoring.ts";
import { kubeconfigFile } from "../../src/facts/catalogue.ts";
import { askCluster, lookAt, type Seen, unseenTexts } from "../cluster-answers/answers.ts";
import { foreignIn } from "../identity/foreign-kubeconfig.ts";

const lists = ["nodes", "machines", "daemonSets"] as const;

/** The items of each list, as sentences. */
const words: { readonly [N in (typeof lists)[number]]: (all: Seen<N>[N]) => string[] } = {
  nodes: (all) =>
    all.map(
      ({ name, ready, cordoned, roles, release }) =>
        `node ${name}: ${ready ? "Ready" : "not Ready"}${cordoned ? ", cordoned" : ""}, ${release ?? "no release"}${roles.length > 0 ? ` (${roles.join(", ")})` : ""}`,
    ),
  machines: (all) =>
    all.length === 0
      ? ["no virtual machines"]
      : all.map(({ name, state }) => `machine ${name}: ${state ?? "no state"}`),
  daemonSets: (all) => all.flatMap(({ name, isReady }) => (isReady ? [] : [`${name} is not running on every node`])),
};

/** Reports what a cluster says about its nodes and machines, and what could not be read. Changes nothing. */
export const parvesterStatus = task({
  name: "parvesterStatus",
  summary: "Report the cluster's view of its nodes and virtual machines",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "status from Kubernetes",
})
  .facts((p) => ({ copy: kubeconfigFile(p.kubeconfig) }))
  // A kubeconfig with unexpected parts is not used: the node that it came from could run commands on the controller.
  .facts((p, { copy }) => ({
    ...(copy !== absent && foreignIn(copy) === undefined && askCluster(p.kubeconfig, ...lists)),
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, { copy, nodes, machines, daemonSets }) => {
    if (copy === absent)
      return [`the cluster was not queried: there is no kubeconfig ${p.kubeconfig} on the controller`];
    const foreign = foreignIn(copy);
    if (foreign !== undefined) return [`the cluster was not queried: ${p.kubeconfig} contains ${foreign}`];
    if (nodes === undefined || machines === undefined || daemonSets === undefined) return [];
    const answers = { nodes, machines, daemonSets };
    return lists.flatMap((list) => {
      const look = lookAt(answers, list);
      if ("unseen" in look) return unseenTexts(look.unseen);
      return (words[list] as (all: unknown) => string[])(look.seen[list]);
    });
  });

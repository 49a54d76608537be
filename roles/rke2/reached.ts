import { absent, knownAfterApply, refuse, task, z } from "../../src/authoring.ts";
import { kubeconfigFile } from "../../src/facts/catalogue.ts";
import { foreignIn, foreignKubeconfig } from "../identity/foreign-kubeconfig.ts";

const params = z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") });

/** Waits until the controller has the cluster's kubeconfig, which the first server's play stores there. */
export const kubeconfigThere = task({
  name: "kubeconfigThere",
  summary: "Wait until the controller has the cluster's kubeconfig",
  params,
  examples: [],
  title: ({ kubeconfig }) => `the controller has ${kubeconfig}`,
})
  .facts((p) => ({ copy: kubeconfigFile(p.kubeconfig) }))
  .want((p, { copy }) => {
    if (copy !== absent) return {};
    return refuse({
      code: "no-kubeconfig",
      message: `there is no kubeconfig ${p.kubeconfig} on the controller`,
      hint: "Run the parvester playbook for the first server too: it stores the kubeconfig on the controller",
    });
  })
  .wait(({ kubeconfig }) => ({ intervalSeconds: 1, deadlineSeconds: 5, waitsFor: `${kubeconfig} to exist` }));

/**
 * Outputs the path of the cluster's kubeconfig. If the controller has none yet, check mode does not know the path, and
 * reports everything that depends on the cluster's answers as undecided.
 */
export const reachedCluster = task({
  name: "reachedCluster",
  summary: "Find the cluster's kubeconfig on the controller",
  params,
  examples: [],
  title: ({ kubeconfig }) => `the cluster of ${kubeconfig}`,
})
  .facts((p) => ({ copy: kubeconfigFile(p.kubeconfig) }))
  .want((p, { copy }) => {
    const foreign = foreignIn(copy);
    return foreign === undefined ? {} : foreignKubeconfig(p.kubeconfig, foreign);
  })
  .steps(() => [])
  .outputs((p, { copy }): string => (copy === absent ? (knownAfterApply as unknown as string) : p.kubeconfig));

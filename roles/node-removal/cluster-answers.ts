import { task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";

/**
 * Waits until the cluster's API answers: if the node that held the virtual address is off, another node must first take
 * over that address.
 */
export const clusterAnswers = task({
  name: "clusterAnswers",
  summary: "Wait until the cluster's API answers again",
  params: z.strictObject({ kubeconfig: pinnedKubeconfig }),
  examples: [],
  title: () => "the cluster answers",
})
  .facts((p) => askCluster(p.kubeconfig, "nodes"))
  .want((_, now) => decideOn(now, ["nodes"], "whether the cluster answers", () => ({})))
  .wait(() => ({ intervalSeconds: 5, deadlineSeconds: 180, waitsFor: "the cluster to answer" }));

import { task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";

/**
 * Waits until the cluster's API answers, because another node first has to take over the virtual address of one that is
 * off.
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

import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";

/**
 * Where Multus comes from, and the DaemonSet by which it is identified (charts of RKE2; deployments/ of multus-cni).
 */
const ways = {
  rke2: { daemonSet: /^rke2-multus/, what: "RKE2's own Multus" },
  manifest: { daemonSet: /^kube-multus-ds$/, what: "Multus from its project's manifest" },
} as const;

const lists = ["daemonSets"] as const;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  way: z.enum(["rke2", "manifest"]).describe("Where Multus comes from"),
  deadlineSeconds: z.number().default(900).describe("Seconds to wait until Multus is running"),
});

/** Refuses a second Multus: both would write the same CNI configuration on each node. */
export const oneMultus = task({
  name: "oneMultus",
  summary: "Refuse a second Multus in a cluster",
  params,
  examples: [],
  title: () => "the cluster has no other Multus",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, "whether the cluster has another Multus", ({ daemonSets }) => {
      const other = p.way === "rke2" ? "manifest" : "rke2";
      const found = daemonSets.find(({ name }) => ways[other].daemonSet.test(name));
      if (found === undefined) return {};
      return refuse({
        code: "other-multus",
        message: `the cluster has ${ways[other].what} (DaemonSet ${found.namespace}/${found.name})`,
        current: other,
        expected: p.way,
        hint: `Set multus: "${other}"`,
      });
    }),
  )
  .steps(() => []);

/** Waits until Multus is running on every node. */
export const multusRuns = task({
  name: "multusRuns",
  summary: "Wait until Multus is running on every node",
  params,
  examples: [],
  title: () => "Multus runs on every node",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, "whether Multus runs", ({ daemonSets }) => {
      const own = daemonSets.find(({ name }) => ways[p.way].daemonSet.test(name));
      if (own?.isReady === true) return {};
      const what = own === undefined ? "does not exist" : "is not ready on every node";
      return refuse({
        code: "not-yet",
        message: `the DaemonSet of ${ways[p.way].what} ${what}`,
        hint: "Look at its pods: kubectl get pods --namespace kube-system",
      });
    }),
  )
  .wait((p) => ({
    intervalSeconds: 2,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "Multus to be running on every node",
  }));

import { refuse, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt } from "../cluster-answers/answers.ts";

/** The query that is sent until a machine is restored. */
export const restoredLists = ["restores", "machines"] as const;

/** Waits until a restore is complete; reports its progress, and Harvester's own message about a failure. */
export const restored = task({
  name: "restored",
  summary: "Wait until a virtual machine has been restored",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    restore: z.string().describe("The restore: NAMESPACE/NAME"),
    target: z.string().describe("The machine: NAMESPACE/NAME"),
    deadlineSeconds: seconds().describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ target }) => `${target} is restored`,
})
  .facts((p) => askCluster(p.kubeconfig, ...restoredLists))
  .want((p, now) =>
    decideOn(now, restoredLists, "whether the restore is complete", ({ restores }) => {
      const own = restores.find(({ name }) => name === p.restore);
      if (own?.complete === true) return {};
      const why =
        own === undefined
          ? "it does not exist"
          : `${own.progress} % done${own.says === "" ? "" : `; Harvester ${own.failed ? "reports" : "says"}: ${own.says}`}`;
      return refuse({
        code: "not-yet",
        message: `${p.restore}: ${why}`,
        hint: "Look at the restore in the Harvester UI; Harvester retries after an error",
      });
    }),
  )
  .wait((p) => ({ intervalSeconds: 5, deadlineSeconds: p.deadlineSeconds, waitsFor: `${p.target} to be restored` }))
  .notes((p, now) => {
    const look = lookAt(now, ...restoredLists);
    if ("unseen" in look || !look.seen.restores.some(({ name, complete }) => name === p.restore && complete)) return [];
    const live = look.seen.machines.find(({ name }) => name === p.target);
    if (live === undefined) return [`${p.target} no longer exists`];
    return [
      live.state === undefined
        ? `KubeVirt has not reported the state of ${p.target} yet: look at its console, and at its addresses`
        : `${p.target} is ${live.state}, according to KubeVirt: look at its console, and at its addresses`,
    ];
  });

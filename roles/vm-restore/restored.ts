import { refuse, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt } from "../cluster-answers/answers.ts";

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
  .facts((p) => askCluster(p.kubeconfig, "restores"))
  .want((p, now) =>
    decideOn(now, ["restores"], "whether the restore is complete", ({ restores }) => {
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
    const look = lookAt(now, "restores");
    const own = "seen" in look ? look.seen.restores.find(({ name }) => name === p.restore) : undefined;
    return own?.complete === true ? [`${p.target} has been started: look at its console, and at its addresses`] : [];
  });

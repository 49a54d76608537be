import { task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt } from "../cluster-answers/answers.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  machine: z.string().describe("The machine: NAMESPACE/NAME"),
});

/** Finds the running live migration of a machine, so that it can be aborted. */
export const runningMigration = task({
  name: "runningMigration",
  summary: "Find the live migration of a machine",
  params,
  examples: [],
  title: ({ machine }) => `the migration of ${machine}`,
})
  .facts((p) => askCluster(p.kubeconfig, "migrations"))
  .want((p, now) => decideOn(now, ["migrations"], `whether ${p.machine} is migrating`, () => ({})))
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, "migrations");
    if ("unseen" in look) return [];
    const own = look.seen.migrations.find((one) => one.machine === p.machine && one.running);
    if (own === undefined) return [`${p.machine} is not migrating`];
    return own.name.split("/")[1]?.startsWith("kubevirt-evacuation-") === true
      ? [`${own.name} belongs to a drain: KubeVirt starts a new migration while the node is being drained`]
      : [`${p.machine} keeps running where it is`];
  })
  .outputs((p, now) => {
    const look = lookAt(now, "migrations");
    const own =
      "seen" in look ? look.seen.migrations.find((one) => one.machine === p.machine && one.running) : undefined;
    return { name: own?.name ?? "" };
  });

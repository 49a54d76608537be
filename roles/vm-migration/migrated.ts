import { refuse, type Refusal, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";

const lists = ["instances", "migrations"] as const;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  machine: z.string().describe("The machine: NAMESPACE/NAME"),
  from: z.string().describe("Name of the node that the machine leaves"),
  migration: z.string().describe("The migration: NAMESPACE/NAME"),
  deadlineSeconds: seconds().describe("Seconds after which the wait fails"),
});

type Params = z.output<typeof params>;

/**
 * Waits until a machine has left a node; fails at once, with KubeVirt's reason, if its migration fails or is aborted.
 */
export const machineMigrated = task({
  name: "machineMigrated",
  summary: "Wait until a machine has left a node",
  params,
  examples: [],
  title: ({ machine, from }) => `${machine} has left ${from}`,
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) => decideOn(now, lists, `whether ${p.machine} has moved`, (seen) => notYet(p, seen) ?? {}))
  .wait((p) => ({
    intervalSeconds: 2,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `${p.machine} to leave ${p.from}`,
  }))
  .notes((p, now) => {
    const look = lookAt(now, ...lists);
    const own = "seen" in look ? look.seen.instances.find((one) => one.name === p.machine && one.running) : undefined;
    return own?.node === undefined || own.node === p.from ? [] : [`${p.machine} runs on ${own.node}`];
  });

function notYet(p: Params, { instances, migrations }: Seen<(typeof lists)[number]>): Refusal | undefined {
  const own = instances.find((one) => one.name === p.machine && one.running);
  const migration = migrations.find((one) => one.name === p.migration);
  const over = (message: string, hint: string): Refusal =>
    refuse({ code: "migration-failed", message, hint, final: true });
  if (own === undefined) return over(`${p.machine} is no longer running`, "Find out who has stopped it");
  if (migration?.running === true) {
    const to = migration.target === "" ? "" : ` to ${migration.target}`;
    return refuse({
      code: "not-yet",
      message: `${migration.isAborted ? "it is being aborted" : migration.phase || "Pending"}${to}`,
      hint: "If the migration does not finish, abort it with action=abort: the machine then keeps running where it is",
    });
  }
  if (migration?.phase === "Failed")
    return over(`${migration.name} has failed: ${migration.why}`, "Fix the cause, then rerun");
  if (own.node !== p.from) return undefined;
  if (migration !== undefined && migration.target === p.from)
    return refuse({
      code: "arrived-meanwhile",
      message: `${migration.name} has moved ${p.machine} to ${p.from}, where it has only just arrived`,
      hint: "Rerun: the machine then leaves this node",
      final: true,
    });
  // KubeVirt updates the machine's node a moment after the migration has succeeded.
  if (migration !== undefined)
    return refuse({ code: "not-yet", message: `it has migrated, but KubeVirt still lists it on ${p.from}` });
  return over(
    `somebody has aborted ${p.migration}: ${p.machine} is still on ${p.from}`,
    "Rerun if that was not intended",
  );
}

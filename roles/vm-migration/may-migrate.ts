import { refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { whyBound, whyNowhere } from "../node-maintenance/fates.ts";
import { noNode } from "../node-maintenance/may-enter.ts";

/** The query that is sent before a machine migrates. */
export const migrateLists = ["nodes", "instances", "migrations"] as const;

type Cluster = Seen<(typeof migrateLists)[number]>;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  machine: z.string().describe("The machine: NAMESPACE/NAME"),
  from: z.string().describe("Name of the node that the machine leaves"),
});

type Params = z.output<typeof params>;

/** The action that moves a machine. */
export interface MigratePlan {
  readonly action: "none" | "wait" | "start";
  /** The name of the migration; empty if the action is "none". */
  readonly name: string;
}

/**
 * Refuses to move a machine that cannot be moved, and reports KubeVirt's reason. A migration that is already running is
 * not refused.
 */
export const mayMigrate = task({
  name: "mayMigrate",
  summary: "Refuse the live migration of a machine that cannot move",
  params,
  examples: [],
  title: ({ machine, from }) => `${machine} may leave ${from}`,
})
  .facts((p) => askCluster(p.kubeconfig, ...migrateLists))
  .want((p, now) => decideOn(now, migrateLists, `whether ${p.machine} can migrate`, (seen) => obstacle(p, seen) ?? {}))
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, ...migrateLists);
    if ("unseen" in look) return [];
    const { action, name } = planOf(p, look.seen);
    const own = look.seen.instances.find((one) => one.name === p.machine && one.running);
    const failed = look.seen.migrations.filter((one) => one.machine === p.machine && one.phase === "Failed");
    if (action === "none") return own === undefined ? [] : [`${p.machine} runs on ${own.node ?? "no node yet"}`];
    if (action === "wait") {
      const isArriving = look.seen.migrations.some((one) => one.name === name && one.target === p.from);
      return [
        `${p.machine} is already migrating: ${name}${isArriving ? `; it is moving to ${p.from}, so rerun when it has arrived` : ""}`,
      ];
    }
    return failed.map((one) => `an earlier migration, ${one.name}, has failed: ${one.why}`);
  })
  .outputs((p, now): MigratePlan => {
    const look = lookAt(now, ...migrateLists);
    return "seen" in look ? planOf(p, look.seen) : { action: "none", name: "" };
  });

function obstacle({ machine, from }: Params, { nodes, instances, migrations }: Cluster): Refusal | undefined {
  if (!nodes.some(({ name }) => name === from)) return noNode(from, nodes);
  const own = instances.find((one) => one.name === machine && one.running);
  if (own === undefined)
    return refuse({
      code: "not-running",
      message: `${machine} is not running, so there is nothing to migrate`,
      hint: "Correct the name, or start the machine: it may then start on another node",
    });
  if (own.node !== from || migrations.some((one) => one.machine === machine && one.running)) return undefined;
  const why = whyBound(own) ?? whyNowhere(own, nodes);
  if (why === undefined) return undefined;
  return refuse({
    code: "not-migratable",
    message: `${machine} cannot migrate: ${why}`,
    hint: "Remove what ties it to its node, or shut it down and start it on another node",
  });
}

function planOf({ machine, from }: Params, { instances, migrations }: Cluster): MigratePlan {
  const running = migrations.find((one) => one.machine === machine && one.running);
  if (running !== undefined) return { action: "wait", name: running.name };
  const own = instances.find((one) => one.name === machine && one.running);
  return own?.node === from ? { action: "start", name: nextName(machine, migrations) } : { action: "none", name: "" };
}

/** A name that no migration has yet: a rerun after a killed run finds the migration under this name. */
function nextName(machine: string, migrations: Cluster["migrations"]): string {
  const base = `${machine}-furrow-`;
  const numbers = migrations.flatMap(({ name }) => (name.startsWith(base) ? Number(name.slice(base.length)) : []));
  return `${base}${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}`;
}

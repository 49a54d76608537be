import { Refusal, refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { askObject, settingPath } from "../cluster-answers/one-object.ts";
import type { BackupObject } from "../cluster-answers/backup-objects.ts";
import { earlierText, isOfEarlier } from "./earlier-machine.ts";
import { targetKeys, targetSetting } from "../vm-storage/target-value.ts";
import { targetNotes, targetProblem } from "./target.ts";

/** The query that is sent before backups are made. */
export const backupLists = ["machines", "backups", "schedules"] as const;

type Cluster = Seen<(typeof backupLists)[number]>;

const backup = z.strictObject({
  name: z.string().describe("The backup: NAMESPACE/NAME"),
  machine: z.string().describe("The machine: NAMESPACE/NAME"),
  type: z.enum(["backup", "snapshot"]).describe("Where the backup is stored"),
});

const schedule = z.strictObject({
  ...backup.shape,
  retain: z.int().describe("Number of backups that are kept"),
  suspend: z.boolean().optional().describe("Whether the schedule is suspended"),
});

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  backups: z.array(backup).describe("The requested backups"),
  schedules: z.array(schedule).describe("The requested schedules"),
  acceptLoss: z.array(z.string()).describe("Backups that may be deleted"),
});

type Params = z.output<typeof params>;

/**
 * Refuses backups that cannot be made: of machines that do not exist, without a backup target, or under a name that
 * another backup has, even one of a deleted machine with the same name. Refuses a schedule that would make Harvester
 * delete backups whose loss is not accepted.
 */
export const backupsFit = task({
  name: "backupsFit",
  summary: "Refuse backups that cannot be made, and schedules that would delete backups",
  params,
  examples: [],
  title: () => "the backups fit the cluster",
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...backupLists),
    setting: askObject(p.kubeconfig, settingPath(targetSetting), targetKeys),
  }))
  .want((p, { setting, ...answers }) =>
    decideOn(answers, backupLists, "whether the backups fit the cluster", (seen) => {
      const problems = [
        ...p.backups.flatMap((one) => backupProblem(one, seen)),
        ...p.schedules.flatMap((one) => scheduleProblems(one, seen, p.acceptLoss)),
        ...namesUnknown(p, seen),
      ];
      if (problems.length > 0)
        return refuse({
          code: "backup-conflict",
          message: problems.join("; "),
          hint: "Correct the backup or the schedule, or give it another name",
        });
      const target = needsTarget(p, seen) ? targetProblem(setting) : {};
      return target instanceof Refusal ? target : {};
    }),
  )
  .steps(() => [])
  .notes((p, { setting, ...answers }) => {
    const look = lookAt(answers, ...backupLists);
    return [
      ...("seen" in look ? p.backups.flatMap((one) => unknownSource(one, look.seen)) : []),
      ...([...p.backups, ...p.schedules].some(({ type }) => type === "backup") ? targetNotes(setting) : []),
    ];
  });

/** Harvester does not record the machine in a backup that it has read from the backup target. */
function unknownSource({ name, machine }: Params["backups"][number], seen: Cluster): string[] {
  const live = seen.backups.find((one) => one.name === name && one.ready && one.machine === machine);
  const exists = seen.machines.some((one) => one.name === machine);
  return exists && live !== undefined && live.machineUid === undefined
    ? [
        `${name} may be a backup of an earlier machine ${machine}: Harvester does not say which of the two it was made of`,
      ]
    : [];
}

/** An existing backup or a suspended schedule does not need a target. */
function needsTarget(p: Params, seen: Cluster): boolean {
  const isReady = (name: string): boolean => seen.backups.some((one) => one.name === name && one.ready);
  return (
    p.backups.some((one) => one.type === "backup" && !isReady(one.name)) ||
    p.schedules.some((one) => one.type === "backup" && one.suspend !== true)
  );
}

function backupProblem({ name, machine, type }: Params["backups"][number], seen: Cluster): string[] {
  const live = seen.backups.find((one) => one.name === name);
  if (live === undefined)
    return seen.machines.some((one) => one.name === machine)
      ? []
      : [`the machine ${machine} of ${name} does not exist`];
  if (live.isDeleted) return [`${name} is being deleted`];
  if (live.machine !== machine || live.type !== type)
    return [`${name} already exists, as a ${live.type} of ${live.machine}`];
  const own = seen.machines.find((one) => one.name === machine);
  if (own !== undefined && isOfEarlier(live, own))
    return [`${earlierText(live)}; a backup of the present one needs another name`];
  return live.ready || live.error === undefined ? [] : [`${name} has failed: ${live.error}`];
}

function scheduleProblems(
  { name, machine, type, retain }: Params["schedules"][number],
  seen: Cluster,
  acceptLoss: readonly string[],
): string[] {
  const live = seen.schedules.find((one) => one.name === name);
  const other = seen.schedules.find((one) => one.name !== name && one.machine === machine);
  const lost = live !== undefined && retain < live.retain ? surplusOf(name, retain, seen) : [];
  const open = lost.filter((one) => !acceptLoss.includes(one));
  return [
    ...(live === undefined && !seen.machines.some((one) => one.name === machine)
      ? [`the machine ${machine} of ${name} does not exist`]
      : []),
    ...(other === undefined
      ? []
      : [`${machine} already has the schedule ${other.name}, and Harvester allows only one`]),
    ...(live !== undefined && (live.machine !== machine || live.type !== type)
      ? [`${name} makes each ${live.type} of ${live.machine}; Harvester does not allow this to be changed`]
      : []),
    ...(open.length > 0
      ? [
          `with retain ${retain}, Harvester would delete backups of ${name}: ${open.join(", ")}; to accept this, list them in acceptLoss`,
        ]
      : []),
  ];
}

/**
 * The unknown names in acceptLoss, but only while a schedule is about to lose backups: afterwards the deleted backups
 * are unknown too, and a rerun must not be refused.
 */
function namesUnknown({ schedules, acceptLoss }: Params, seen: Cluster): string[] {
  const loses = schedules.some(({ name, retain }) =>
    seen.schedules.some((live) => live.name === name && retain < live.retain),
  );
  const unknown = acceptLoss.filter((name) => !seen.backups.some((one) => one.name === name));
  return loses && unknown.length > 0
    ? [`acceptLoss lists ${unknown.join(", ")}, not found in the cluster: correct or remove these names`]
    : [];
}

/**
 * The backups that Harvester deletes: only those of this schedule, failed ones first, then the oldest (gcVMBackups).
 */
function surplusOf(schedule: string, retain: number, { backups }: Cluster): string[] {
  const own = backups
    .filter((one) => one.schedule === schedule)
    .toSorted((a, b) => rank(a) - rank(b) || (a.created < b.created ? -1 : 1));
  return own.slice(0, Math.max(0, own.length - retain)).map(({ name }) => name);
}

function rank({ error }: BackupObject): number {
  return error === undefined ? 1 : 0;
}

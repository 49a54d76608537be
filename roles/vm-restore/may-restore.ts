import { Refusal, refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { askObject, settingPath } from "../cluster-answers/one-object.ts";
import type { BackupObject, RestoreObject } from "../cluster-answers/backup-objects.ts";
import { openText } from "../vm-backups/backups-ready.ts";
import { earlierText, isOfEarlier } from "../vm-backups/earlier-machine.ts";
import { targetNotes, targetProblem } from "../vm-backups/target.ts";
import { targetKeys, targetSetting } from "../vm-storage/target-value.ts";

/** The query that is sent before a machine is restored. */
export const restoreLists = ["machines", "instances", "backups", "schedules", "restores"] as const;

type Cluster = Seen<(typeof restoreLists)[number]>;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  restore: z.string().describe("The restore: NAMESPACE/NAME"),
  backup: z.string().describe("The backup: NAMESPACE/NAME"),
  target: z.string().describe("The machine: NAMESPACE/NAME"),
  isNew: z.boolean().describe("Whether a new machine is created"),
});

type Params = z.output<typeof params>;

/**
 * Refuses a restore from a backup that is not ready. Also refuses to restore over a machine that is running, that is
 * not the backup's own, or that exists although a new one was requested. A restore of this backup that has already
 * begun is not refused, unless the machine that it restored has since been deleted.
 */
export const mayRestore = task({
  name: "mayRestore",
  summary: "Refuse a restore that is not possible, or that would replace a machine without permission",
  params,
  examples: [],
  title: ({ backup, target }) => `${target} may be restored from ${backup}`,
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...restoreLists),
    setting: askObject(p.kubeconfig, settingPath(targetSetting), targetKeys),
  }))
  .want((p, { setting, ...answers }) =>
    decideOn(answers, restoreLists, `whether ${p.target} may be restored`, (seen) => {
      const begun = seen.restores.find(({ name }) => name === p.restore);
      if (begun !== undefined) return begunProblem(p, begun, seen) ?? {};
      const backup = seen.backups.find(({ name }) => name === p.backup);
      const problems = [...backupProblems(p, backup, seen), ...machineProblems(p, backup, seen)];
      if (problems.length > 0)
        return refuse({ code: "no-restore", message: problems.join("; "), hint: "Fix the cause, then rerun" });
      const target = backup?.type === "backup" ? targetProblem(setting, backup.place) : {};
      return target instanceof Refusal ? target : {};
    }),
  )
  .steps(() => [])
  .notes((p, { setting, ...answers }) => {
    const look = lookAt(answers, ...restoreLists);
    if ("unseen" in look) return [];
    const begun = look.seen.restores.find(({ name }) => name === p.restore);
    if (begun !== undefined)
      return [
        begun.complete
          ? `${p.restore} is complete; a second restore needs a different name: --var name=…`
          : `${p.restore} has already begun`,
        ...(begun.failed ? [`Harvester reports: ${begun.says}`] : []),
      ];
    const text = p.isNew
      ? `${p.target} is created from ${p.backup} and started; its network interfaces get new MAC addresses`
      : `${p.target} gets the definition and the volumes of ${p.backup}, and is started; its current volumes stay in the cluster`;
    return [...(p.isNew ? [] : earlierTexts(p, look.seen)), text, ...targetNotes(setting)];
  });

function earlierTexts({ backup, target }: Params, { backups, machines }: Cluster): string[] {
  const own = backups.find(({ name }) => name === backup);
  const live = machines.find(({ name }) => name === target);
  return own !== undefined && live !== undefined && isOfEarlier(own, live) ? [earlierText(own)] : [];
}

function isSame({ backup, target, isNew }: Params, begun: RestoreObject): boolean {
  return begun.backup === backup && begun.target === target && begun.isNew === isNew;
}

/** Says why an existing restore is not the requested one: names may be used again after a deletion. */
function begunProblem(p: Params, begun: RestoreObject, { backups, machines }: Cluster): Refusal | undefined {
  if (!isSame(p, begun)) return otherRestore(begun);
  const backup = backups.find(({ name }) => name === p.backup);
  if (backup !== undefined && begun.created < backup.created)
    return earlierRestore(
      `${begun.name} exists, and was made at ${begun.created}, before the backup ${backup.name} (${backup.created}): it has not restored this backup`,
    );
  const live = machines.find(({ name }) => name === p.target);
  if (begun.complete && (live === undefined || live.uid !== begun.machineUid))
    return earlierRestore(`${begun.name} has restored an earlier machine ${p.target}, which was deleted`);
  return undefined;
}

function earlierRestore(message: string): Refusal {
  return refuse({
    code: "earlier-restore",
    message,
    hint: "Give this restore another name, with `name`, or delete the earlier one in the cluster",
  });
}

function otherRestore({ name, target, backup }: RestoreObject): Refusal {
  return refuse({
    code: "other-restore",
    message: `${name} exists, but restores ${target} from ${backup}`,
    hint: "Give this restore another name: --var name=…",
  });
}

function backupProblems({ backup, restore }: Params, own: BackupObject | undefined, seen: Cluster): string[] {
  const open = openText(backup, own);
  if (own === undefined || open !== undefined) return [`the backup is not ready: ${open}`];
  // Harvester's own rules (pkg/webhook/resources/virtualmachinerestore/validator.go).
  const schedule = seen.schedules.find(({ name, suspended }) => name === own.schedule && !suspended);
  return [
    ...(own.isDeleted ? [`${backup} is being deleted`] : []),
    ...(schedule === undefined
      ? []
      : [
          `${backup} is from the schedule ${schedule.name}, which must be suspended during the restore: set \`suspend: true\` on it with gitops/backup`,
        ]),
    ...(own.type === "snapshot" && restore.split("/")[0] !== backup.split("/")[0]
      ? [`${backup} is a snapshot, and can be restored only in its own namespace`]
      : []),
  ];
}

function machineProblems({ target, isNew }: Params, backup: BackupObject | undefined, seen: Cluster): string[] {
  const live = seen.machines.find(({ name }) => name === target);
  if (isNew)
    return live === undefined
      ? []
      : [`the machine ${target} exists: choose another name, or replace it with \`replace\``];
  if (live === undefined) return [`the machine ${target} does not exist, and cannot be replaced: use \`newMachine\``];
  const instance = seen.instances.find(({ name, running }) => name === target && running);
  const other = seen.restores.find((one) => one.target === target && !one.complete);
  return [
    ...(backup !== undefined && backup.machine !== target
      ? [`${backup.name} is a backup of ${backup.machine}, not of ${target}`]
      : []),
    ...(instance === undefined ? [] : [`${target} runs on ${instance.node ?? "no node yet"}: shut it down first`]),
    ...(live.owners.length > 0
      ? [`${target} belongs to ${live.owners.join(" and ")}, which would change it back`]
      : []),
    ...(other === undefined ? [] : [`the restore ${other.name} of ${target} is not complete`]),
  ];
}

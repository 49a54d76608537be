import { refuse, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, unseenTexts } from "../cluster-answers/answers.ts";
import type { BackupObject } from "../cluster-answers/backup-objects.ts";

/** Waits until backups can be restored; reports the progress of each, and Harvester's own message about a failure. */
export const backupsReady = task({
  name: "backupsReady",
  summary: "Wait until backups can be restored",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    backups: z.array(z.string()).describe("The backups: NAMESPACE/NAME"),
    deadlineSeconds: seconds().describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ backups }) => `the backups are ready: ${backups.join(", ")}`,
})
  .facts((p) => askCluster(p.kubeconfig, "backups"))
  .want((p, now) =>
    decideOn(now, ["backups"], "whether the backups are ready", ({ backups }) => {
      const open = p.backups.flatMap(
        (name) =>
          openText(
            name,
            backups.find((one) => one.name === name),
          ) ?? [],
      );
      if (open.length === 0) return {};
      return refuse({
        code: "not-yet",
        message: open.join("; "),
        hint: "Look at the backup in the Harvester UI, and check that the backup target has room",
      });
    }),
  )
  .wait((p) => ({ intervalSeconds: 5, deadlineSeconds: p.deadlineSeconds, waitsFor: "Harvester to make the backups" }));

/** Says why a backup cannot be restored; undefined if it can. Harvester tries again after an error. */
export function openText(name: string, own: BackupObject | undefined): string | undefined {
  if (own === undefined) return `${name} does not exist`;
  if (own.ready) return undefined;
  return own.error === undefined ? `${name}: ${own.progress} % done` : `${name}: Harvester reports: ${own.error}`;
}

const lists = ["backups", "schedules"] as const;

/** Reports the state of schedules: how many backups each has, its last one, and why it is suspended. */
export const schedulesShown = task({
  name: "schedulesShown",
  summary: "Report the state of backup schedules",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    schedules: z.array(z.string()).describe("The schedules: NAMESPACE/NAME"),
  }),
  examples: [],
  title: () => "the state of the backup schedules",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, ...lists);
    if ("unseen" in look) return unseenTexts(look.unseen);
    const { backups, schedules } = look.seen;
    return p.schedules.flatMap((name) => {
      const live = schedules.find((one) => one.name === name);
      if (live === undefined) return [];
      const own = backups.filter((one) => one.schedule === name).toSorted((a, b) => (a.created < b.created ? -1 : 1));
      const last = own.at(-1);
      const state = last === undefined ? "" : `, the last one ${openText(last.name, last) ?? `${last.name} is ready`}`;
      return [
        `${name}: ${own.length} of ${live.retain} backups${state}`,
        ...(live.suspended ? [`${name} is suspended: ${live.why}`] : []),
        ...(live.failures > 0 ? [`${name} has failed ${live.failures} times in a row`] : []),
      ];
    });
  });

import { type KubernetesAnswer, kubernetesCall, Refusal, refuse, seconds, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject, lookAtObject, settingPath, versionOf } from "../cluster-answers/one-object.ts";
import { settingState } from "../cluster-answers/setting.ts";
import { askOthers, askTrial, trialNotes, trialProblem } from "../cluster-answers/setting-trial.ts";
import { isTarget, placeText, targetKeys, targetOf, targetSetting as setting } from "./target-value.ts";

const object = { kind: "Setting", name: setting };

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  endpoint: z.string().describe("NFS export: nfs://HOST:/PATH"),
});

const isSame = (value: unknown, endpoint: string): boolean => {
  const target = targetOf(value);
  const plain = (one: string): string => one.replace(/\/+$/, "");
  return target?.type === "nfs" && plain(target.endpoint) === plain(endpoint);
};

const noSetting = () =>
  refuse({
    code: "no-setting",
    message: `Harvester has no setting ${setting}`,
    hint: "Check whether the kubeconfig is for a Harvester cluster",
  });

/** Sets the NFS export to which Harvester backs up. Other fields of the setting stay unchanged. */
export const backupTarget = task({
  name: "backupTarget",
  summary: "Set the NFS export to which Harvester backs up",
  params,
  examples: [],
  title: ({ endpoint }) => `backups go to ${endpoint}`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(setting), targetKeys) }))
  .want((p, now) => decide(p, now.setting))
  .steps((p, { change, now }) => [
    change.setting &&
      kubernetesCall(p.kubeconfig, "PATCH", settingPath(setting), "set the backup target", {
        metadata: { resourceVersion: versionOf(now.setting) },
        value: textOf(p.endpoint),
      }),
  ]);

/** Before anything else changes, refuses a backup target that Harvester would not accept. */
export const backupTargetFits = task({
  name: "backupTargetFits",
  summary: "Refuse a backup target that Harvester would not accept",
  params,
  examples: [],
  title: ({ endpoint }) => `Harvester accepts ${endpoint} for backups`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(setting), targetKeys) }))
  .facts((p, now) => askTrial(p.kubeconfig, setting, isToChange(p, now.setting) ? textOf(p.endpoint) : undefined))
  .facts((p, now) => askOthers(p.kubeconfig, now.trial))
  .want((p, now) => {
    const decision = decide(p, now.setting);
    return decision instanceof Refusal ? decision : (trialProblem(setting, now) ?? {});
  })
  .steps(() => [])
  .notes((_p, now) => trialNotes(setting, now));

type Target = z.output<typeof params>;

function isToChange(p: Target, answer: KubernetesAnswer): boolean {
  const decision = decide(p, answer);
  return !(decision instanceof Refusal) && "setting" in decision;
}

function decide({ endpoint }: Target, answer: KubernetesAnswer) {
  return decideOnObject(answer, object, `which ${setting} the cluster has`, (own) => {
    if (own === undefined) return noSetting();
    if (isSame(own["value"], endpoint)) return {};
    const old = targetOf(own["value"]);
    if (old === undefined && (own["value"] ?? "") !== "")
      return refuse({
        code: "other-target",
        message: `the cluster has a ${setting} that furrow cannot read; after a change, Harvester would no longer find the backups there`,
        hint: `Clear the setting ${setting} in Harvester first, if these backups are not needed`,
      });
    // Backups at the old target would no longer be listed, and could not be restored.
    if (old !== undefined && isTarget(old))
      return refuse({
        code: "other-target",
        message: `the cluster backs up to ${placeText(old)} (${old.type || "unknown type"}); after a change, it would no longer find the backups there`,
        hint: `Clear the setting ${setting} in Harvester first, if these backups are not needed`,
      });
    return { setting: { found: true as const, object: { value: textOf(endpoint) } } };
  });
}

/** The setting's value (pkg/settings/settings.go, BackupTarget). */
function textOf(endpoint: string): string {
  return JSON.stringify({ type: "nfs", endpoint });
}

/** Waits until Harvester has mounted the backup target, or reports why Harvester cannot. */
export const backupTargetReady = task({
  name: "backupTargetReady",
  summary: "Wait until Harvester has reached the backup target",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    endpoint: z.string().describe("NFS export: nfs://HOST:/PATH"),
    intervalSeconds: seconds().default(2).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(120).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ endpoint }) => `Harvester reaches ${endpoint}`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(setting), targetKeys) }))
  .want((p, now) =>
    decideOnObject(now.setting, object, `whether Harvester reaches the ${setting}`, (own) => {
      if (own === undefined) return noSetting();
      const { value, isConfigured, why } = settingState(own);
      if (isSame(value, p.endpoint) && isConfigured) return {};
      return refuse({
        code: "not-reached",
        message: `Harvester cannot reach ${p.endpoint}: ${why}`,
        hint: "Check that the NFS server exports the path to all nodes, and that no firewall blocks it",
      });
    }),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `Harvester to reach ${p.endpoint}`,
  }))
  .notes((_p, now) => {
    const look = lookAtObject(now.setting, object);
    const since = "seen" in look ? settingState(look.seen).unreportedSince : undefined;
    return since === undefined
      ? []
      : [
          `Harvester has not reported the state of the ${setting} since it changed at ${since}: check it in the Harvester UI`,
        ];
  });

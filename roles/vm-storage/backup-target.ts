import { kubernetesCall, refuse, seconds, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject, lookAtObject, settingPath, versionOf } from "../cluster-answers/one-object.ts";
import { settingState } from "../cluster-answers/setting.ts";
import { isTarget, placeText, targetOf } from "./target-value.ts";

const setting = "backup-target";
const object = { kind: "Setting", name: setting };

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

/** Sets the NFS export to which Harvester backs up. Other fields of the setting stay. */
export const backupTarget = task({
  name: "backupTarget",
  summary: "Set the NFS export to which Harvester backs up",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    endpoint: z.string().describe("NFS export: nfs://HOST:/PATH"),
  }),
  examples: [],
  title: ({ endpoint }) => `backups go to ${endpoint}`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(setting)) }))
  .want((p, now) =>
    decideOnObject(now.setting, object, `which ${setting} the cluster has`, (own) => {
      if (own === undefined) return noSetting();
      if (isSame(own["value"], p.endpoint)) return {};
      const old = targetOf(own["value"]);
      if (old === undefined && (own["value"] ?? "") !== "")
        return refuse({
          code: "other-target",
          message: `the cluster has a ${setting} that furrow cannot read; after a change, Harvester would no longer find the backups there`,
          hint: `Clear the setting ${setting} in Harvester first, if these backups are not needed`,
        });
      // Backups in another place would no longer be listed, and could not be restored.
      if (old !== undefined && isTarget(old))
        return refuse({
          code: "other-target",
          message: `the cluster backs up to ${placeText(old)} (${old.type || "unknown type"}); after a change, it would no longer find the backups there`,
          hint: `Clear the setting ${setting} in Harvester first, if these backups are not needed`,
        });
      return { setting: { found: true as const, object: { value: textOf(p.endpoint) } } };
    }),
  )
  .steps((p, { change, now }) => [
    change.setting &&
      kubernetesCall(p.kubeconfig, "PATCH", settingPath(setting), "set the backup target", {
        metadata: { resourceVersion: versionOf(now.setting) },
        value: textOf(p.endpoint),
      }),
  ]);

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
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(setting)) }))
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

import { type KubernetesAnswer, kubernetesCall, match, refuse, Refusal, task, z } from "../../src/authoring.ts";
import { askOthers, askTrial, trialNotes, trialProblem } from "../cluster-answers/setting-trial.ts";
import { askObject, decideOnObject, lookAtObject, settingPath, versionOf } from "../cluster-answers/one-object.ts";

/** The name of Harvester's setting, which has existed since v1.2 (pkg/settings/settings.go in harvester/harvester). */
export const driverSetting = "csi-driver-config";

const setting = { kind: "Setting", name: driverSetting };
const record = z.record(z.string(), z.unknown());

type Fields = Readonly<Record<string, unknown>>;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  classes: z.record(z.string(), z.string()).describe("Snapshot classes by driver name"),
});

type Params = z.output<typeof params>;

/**
 * The drivers in the setting. If the setting has no value, Harvester uses its default. Old versions ignore the default
 * once there is a value (LoadCSIDriverConfig in pkg/util), so the value must contain the default's drivers too.
 * Undefined if the value is not a JSON object.
 */
function liveIn(own: Fields): Fields | undefined {
  const text = own["value"] || own["default"] || "{}";
  if (typeof text !== "string") return undefined;
  try {
    return record.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * The value that the setting must get: the current one, with the classes of these drivers. Refuses if that value cannot
 * be determined.
 */
function mergedWith(classes: Params["classes"], own: Fields | undefined): Fields | Refusal {
  if (own === undefined)
    return refuse({
      code: "no-setting",
      message: `Harvester has no setting ${driverSetting}`,
      hint: "Upgrade to v1.2 or later, or check whether the kubeconfig is for a Harvester cluster",
    });
  const live = liveIn(own);
  const unread = Object.keys(classes).find((driver) => !record.safeParse(live?.[driver] ?? {}).success);
  if (live === undefined || unread !== undefined)
    return refuse({
      code: "unreadable-setting",
      message: `the setting ${driverSetting} has a value${unread === undefined ? "" : ` for ${unread}`} that furrow cannot read, so it cannot be preserved`,
      hint: "Correct it in the Harvester UI",
    });
  const added = Object.entries(classes).map(([driver, volumeSnapshotClassName]) => [
    driver,
    { ...(live[driver] as Fields | undefined), volumeSnapshotClassName },
  ]);
  return { ...live, ...(Object.fromEntries(added) as Fields) };
}

/** Before anything is created, refuses a setting that could not be changed safely. */
export const driverConfigReadable = task({
  name: "driverConfigReadable",
  summary: "Refuse a setting of Harvester's CSI drivers that cannot be preserved",
  params,
  examples: [],
  title: () => `the other entries of the setting ${driverSetting} can be kept`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(driverSetting)) }))
  .facts((p, now) => askTrial(p.kubeconfig, driverSetting, newValue(p, now.setting)))
  .facts((p, now) => askOthers(p.kubeconfig, now.trial))
  .want((p, now) => {
    const decision = decide(p, now.setting);
    return decision instanceof Refusal ? decision : (trialProblem(driverSetting, now) ?? {});
  })
  .steps(() => [])
  .notes((_p, now) => trialNotes(driverSetting, now));

/**
 * Tells Harvester which snapshot class belongs to which CSI driver. All other drivers and fields of the setting are
 * preserved, and the run fails if the setting has changed in the meantime.
 */
export const driverConfig = task({
  name: "driverConfig",
  summary: "Keep the snapshot classes of CSI drivers in Harvester's setting",
  params,
  examples: [],
  title: ({ classes }) => `Harvester takes snapshots with ${Object.values(classes).join(" and ")}`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(driverSetting)) }))
  .want((p, now) => decide(p, now.setting))
  .steps((p, { change, now }) => [
    change.setting &&
      kubernetesCall(p.kubeconfig, "PATCH", settingPath(driverSetting), "add the drivers to the setting", {
        metadata: { resourceVersion: versionOf(now.setting) },
        value: JSON.stringify(mergedWith(p.classes, ownOf(now.setting))),
      }),
  ]);

/** The new value of the setting; undefined if the setting does not change, or if the task refuses to change it. */
function newValue(p: z.output<typeof params>, answer: KubernetesAnswer): string | undefined {
  const decision = decide(p, answer);
  return !(decision instanceof Refusal) && "setting" in decision ? decision.setting.object.value : undefined;
}

function decide(p: z.output<typeof params>, answer: KubernetesAnswer) {
  return decideOnObject(answer, setting, "which CSI drivers Harvester knows", (own) => {
    const merged = mergedWith(p.classes, own);
    if (merged instanceof Refusal) return merged;
    if (match(liveIn(own ?? {}), merged) === "same") return {};
    return { setting: { found: true as const, object: { value: JSON.stringify(merged) } } };
  });
}

function ownOf(answer: KubernetesAnswer): Fields | undefined {
  const look = lookAtObject(answer, setting);
  return "seen" in look ? look.seen : undefined;
}

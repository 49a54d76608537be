import { type KubernetesAnswer, refuse, type Refusal } from "../../src/authoring.ts";
import { decideOnObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { settingState } from "../cluster-answers/setting.ts";
import {
  type BackupPlace,
  isSamePlace,
  isTarget,
  placeText,
  targetOf,
  targetSetting,
} from "../vm-storage/target-value.ts";

const hint = "Set and check it with the gitops/storage playbook";

/**
 * Refuses unless the cluster has a backup target that Harvester can reach.
 *
 * @param place where the backup is; any place will do if undefined
 */
export function targetProblem(answer: KubernetesAnswer, place?: BackupPlace): Refusal | object {
  const object = { kind: "Setting", name: targetSetting };
  return decideOnObject(answer, object, "whether the backup target is available", (own) => {
    const target = targetOf(own?.["value"]);
    if (own === undefined || target === undefined || target.type === "" || !isTarget(target))
      return refuse({ code: "no-target", message: "the cluster has no backup target", hint });
    const { isConfigured, why } = settingState(own);
    if (!isConfigured)
      return refuse({
        code: "target-not-reached",
        message: `Harvester cannot reach the backup target ${placeText(target)}: ${why}`,
        hint,
      });
    if (place !== undefined && !isSamePlace(place, target))
      return refuse({
        code: "other-target",
        message: `the backup is at ${placeText(place)}, but the cluster's backup target is ${placeText(target)}`,
        hint: "Restore the backup while the cluster has that target",
      });
    return {};
  });
}

/** Warns if Harvester's report is older than the last change of the backup target. */
export function targetNotes(answer: KubernetesAnswer): string[] {
  const look = lookAtObject(answer, { kind: "Setting", name: targetSetting });
  const since = "seen" in look ? settingState(look.seen).unreportedSince : undefined;
  return since === undefined
    ? []
    : [
        `Harvester has not reported the state of the ${targetSetting} since it changed at ${since}: check it in the Harvester UI`,
      ];
}

import { onlyRead, refuse, type Refusal } from "../../src/authoring.ts";
import { kubeAnyObject, kubernetesTrial, type KubernetesTrial } from "../../src/facts/catalogue.ts";
import { errorText, hintFor } from "./answers.ts";
import { settingPath } from "./one-object.ts";

/** Asks the cluster in a dry run whether it would accept a new value of a setting; asks nothing without a value. */
export function askTrial(kubeconfig: string, name: string, value: string | undefined) {
  if (value === undefined) return {};
  const change = { method: "PATCH", path: settingPath(name), body: { value }, name: `Setting ${name}` } as const;
  return { trial: kubernetesTrial(kubeconfig, change) };
}

/** If a webhook denies the value: asks whether an earlier task changes an object, because that may change the answer. */
export function askOthers(kubeconfig: string, trial: KubernetesTrial | undefined) {
  return isDenied(trial) ? { others: onlyRead(kubeAnyObject({ kubeconfig })) } : {};
}

/** The answers to `askTrial` and `askOthers`. */
interface Tried {
  readonly trial?: KubernetesTrial | undefined;
  readonly others?: true | undefined;
}

/** Refuses a change of a setting that the cluster would not accept. */
export function trialProblem(name: string, { trial, others }: Tried): Refusal | undefined {
  if (trial === undefined || "accepted" in trial || "unasked" in trial) return undefined;
  if ("error" in trial)
    return refuse({
      code: "cluster-not-seen",
      message: `cannot tell whether the cluster would accept the change to Setting ${name}: ${errorText(trial.error)}`,
      hint: hintFor(trial.error.code),
    });
  // Check mode does not know what the webhook says after the earlier tasks.
  if (isDenied(trial) && others !== true) return undefined;
  return refuse(trial.refused);
}

/** Says if the cluster cannot check any change in advance. */
export function trialNotes(name: string, { trial }: Tried): string[] {
  if (trial === undefined || !("unasked" in trial)) return [];
  return [`not checked in advance: the change to Setting ${name} (${trial.unasked})`];
}

function isDenied(trial: KubernetesTrial | undefined): boolean {
  return trial !== undefined && "refused" in trial && trial.refused.code === "denied";
}

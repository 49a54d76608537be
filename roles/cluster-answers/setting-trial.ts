import { onlyRead, refuse, type Refusal } from "../../src/authoring.ts";
import { kubeAnyObject, kubernetesTrial, type KubernetesTrial } from "../../src/facts/catalogue.ts";
import { errorText, hintFor } from "./answers.ts";
import { settingPath } from "./one-object.ts";

/**
 * Asks the cluster in a dry run whether it would accept a new value of a setting; if there is no value, asks nothing.
 */
export function askTrial(kubeconfig: string, name: string, value: string | undefined) {
  if (value === undefined) return {};
  const change = { method: "PATCH", path: settingPath(name), body: { value }, name: `Setting ${name}` } as const;
  return { trial: kubernetesTrial(kubeconfig, change) };
}

/**
 * If a webhook denies the value: asks whether an earlier task changes an object, because that may change the answer.
 */
export function askOthers(kubeconfig: string, ...trials: readonly (KubernetesTrial | undefined)[]) {
  return trials.some(isDenied) ? { others: onlyRead(kubeAnyObject({ kubeconfig })) } : {};
}

/** The answers to `askTrial` and `askOthers`. */
interface Tried {
  readonly trial?: KubernetesTrial | undefined;
  readonly others?: true | undefined;
}

/** Refuses a change to a setting if the cluster would not accept it. */
export function trialProblem(name: string, tried: Tried): Refusal | undefined {
  return changeProblem(`Setting ${name}`, tried);
}

/** Refuses a change to an object, like `Setting backup-target`, if the cluster would not accept it. */
export function changeProblem(object: string, { trial, others }: Tried): Refusal | undefined {
  if (trial === undefined || "accepted" in trial || "unasked" in trial) return undefined;
  if ("error" in trial)
    return refuse({
      code: "cluster-not-seen",
      message: `cannot tell whether the cluster would accept the change to ${object}: ${errorText(trial.error)}`,
      hint: hintFor(trial.error.code),
    });
  // In check mode, it is not known what the webhook will say once the earlier tasks have run.
  if (isDenied(trial) && others !== true) return undefined;
  return refuse(trial.refused);
}

/** Returns a note if the cluster cannot check a change to a setting in advance. */
export function trialNotes(name: string, { trial }: Tried): string[] {
  return changeNotes(`Setting ${name}`, trial);
}

/** Returns a note if the cluster cannot check a change to an object in advance. */
export function changeNotes(object: string, trial: KubernetesTrial | undefined): string[] {
  if (trial === undefined || !("unasked" in trial)) return [];
  return [`not checked in advance: the change to ${object} (${trial.unasked})`];
}

function isDenied(trial: KubernetesTrial | undefined): boolean {
  return trial !== undefined && "refused" in trial && trial.refused.code === "denied";
}

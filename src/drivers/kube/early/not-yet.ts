import { kubeName, type KubeObjectData, type KubeProblem } from "../../../facts/controller/kube-object.ts";
import type { ApiAnswer } from "../../kubernetes-exchange.ts";
import { denialOf, statusOf } from "../failures.ts";

/**
 * Why the API does not accept a change at the moment, although it may accept the change once other objects exist or
 * have changed; undefined if the response says something else.
 */
export function notYetOf(answer: ApiAnswer, object: KubeObjectData): KubeProblem | undefined {
  return denialOf(answer, kubeName(object)) ?? unreachableOf(answer, object) ?? admissionOf(answer, object);
}

/**
 * Why a webhook that must check a change could not be called (k8s.io/apiserver, pkg/util/webhook/error.go); undefined
 * if the response says something else. The webhook's own program may not be running yet.
 */
export function unreachableOf(answer: ApiAnswer, object: KubeObjectData): KubeProblem | undefined {
  const message = statusOf(answer)?.message ?? "";
  const [, webhook, why] = /failed calling webhook "(.+?)"[:;] (.*)$/s.exec(message) ?? [];
  if (answer.status !== 500 || webhook === undefined) return undefined;
  return {
    code: "webhook-not-called",
    message: `the cluster cannot check the change to ${kubeName(object)}: it cannot call the webhook ${webhook} (${why ?? ""})`,
    hint: "Rerun once the webhook's program runs; in a playbook, wait for its Deployment with kubeWait before this task",
  };
}

/**
 * Why the API's own admission refuses a change; undefined if the response says something else. Admission depends on
 * other objects, such as a service account, a priority class or a quota. The error about a missing permission, in
 * contrast, names the user.
 */
function admissionOf(answer: ApiAnswer, object: KubeObjectData): KubeProblem | undefined {
  const status = statusOf(answer);
  const message = status?.message ?? "";
  const isAboutUser = /\bUser ".*" cannot /s.test(message);
  const isEnding = status?.details.causes.some(({ reason }) => reason === "NamespaceTerminating") === true;
  if (answer.status !== 403 || !/ is forbidden: /.test(message) || isAboutUser || isEnding) return undefined;
  return {
    code: "denied",
    message: `the cluster denies the change to ${kubeName(object)}: ${message}`,
    hint: "Fix the problem that the cluster reports, then rerun",
  };
}

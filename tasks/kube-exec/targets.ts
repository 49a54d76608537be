import { refuse, type Refusal } from "../../src/authoring.ts";
import type { KubeContainer, KubeExecPod, KubeExecPods } from "../../src/facts/catalogue.ts";
import type { Params } from "./params.ts";

/** The containers in which the command runs, or why it does not run in any. */
export function targetsOf(p: Params, { pods }: KubeExecPods): readonly KubeContainer[] | Refusal {
  const chosen = chosenPods(p, pods);
  if (!isList(chosen)) return chosen;
  const targets = chosen.map((pod) => targetIn(p, pod));
  return targets.find((one): one is Refusal => !("pod" in one)) ?? (targets as readonly KubeContainer[]);
}

/** True for containers, false for a refusal. */
export function isList<T>(value: readonly T[] | Refusal): value is readonly T[] {
  return Array.isArray(value);
}

function chosenPods(p: Params, pods: readonly KubeExecPod[]): readonly KubeExecPod[] | Refusal {
  if ("pod" in p) {
    return pods.length > 0
      ? pods
      : refuse({
          code: "no-pod",
          message: `the namespace ${p.namespace} has no pod ${p.pod}`,
          hint: "Correct the name, or choose the pod by its labels",
        });
  }
  const living = pods.filter(({ phase, isBeingDeleted }) => !isBeingDeleted && !ended.has(phase));
  const shown = Object.entries(p.labels).map(([key, value]) => `${key}=${value}`);
  if (living.length === 0) {
    return refuse({
      code: "no-pod",
      message: `the namespace ${p.namespace} has no pod with ${shown.join(",")} in which a command could run`,
      ...(pods.length > 0 && { current: pods.map((pod) => `${pod.name}: ${doing(pod)}`).join("; ") }),
      hint: "Correct the labels, or wait for the pod with kubeWait in an earlier task",
    });
  }
  if (living.length === 1 || p.each) return living;
  return refuse({
    code: "several-pods",
    message: `${living.length} pods have ${shown.join(",")}, so it is unclear which of them should run the command`,
    current: living.map(({ name }) => name).join(", "),
    expected: "exactly one pod",
    hint: "Set each: true to run it in each of them, or name the pod",
  });
}

const ended: ReadonlySet<string> = new Set(["Succeeded", "Failed"]);

function doing({ phase, reason, isBeingDeleted }: KubeExecPod): string {
  return `${isBeingDeleted ? "being deleted" : phase}${reason === "" ? "" : ` (${reason})`}`;
}

function targetIn(p: Params, pod: KubeExecPod): KubeContainer | Refusal {
  const name = `Pod ${p.namespace}/${pod.name}`;
  if (pod.phase !== "Running" || pod.isBeingDeleted) {
    return refuse({
      code: "pod-not-running",
      message: `no command can run in ${name}`,
      current: doing(pod),
      expected: "Running",
      hint: "Wait for the pod with kubeWait in an earlier task, or find out why it is not running",
    });
  }
  const names = Object.keys(pod.containers);
  const only = names.length === 1 ? names[0] : undefined;
  const container = p.container ?? pod.defaultContainer ?? only;
  if (container === undefined) {
    return refuse({
      code: "several-containers",
      message: `${name} has several containers`,
      current: names.join(", "),
      hint: "Set `container` to one of them",
    });
  }
  const state = pod.containers[container];
  if (state === undefined) {
    return refuse({
      code: "no-container",
      message: `${name} has no running container ${container}`,
      current: names.join(", "),
      hint: "Correct the name of the container",
    });
  }
  if (state !== "running") {
    return refuse({
      code: "container-not-running",
      message: `no command can run in the container ${container} of ${name}`,
      current: state,
      expected: "running",
      hint: "Find out why it is not running: kubectl describe pod",
    });
  }
  if (pod.forbidden !== undefined) {
    return refuse({
      code: "forbidden",
      message: `the user of the kubeconfig is not allowed to run commands in ${name}: ${pod.forbidden}`,
      hint: "Use the kubeconfig of a user who has permission to get and create pods/exec",
    });
  }
  return { namespace: p.namespace, pod: pod.name, uid: pod.uid, container };
}

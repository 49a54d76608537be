import type { KubeProblem } from "../../facts/controller/kube-object.ts";
import type { Resource } from "./discovery.ts";
import type { Sent } from "./view.ts";

/** Why an object is misplaced: it lacks a required namespace, or has one although its kind is cluster-scoped. */
export function placeProblem({ namespaced }: Resource, { object }: Sent): KubeProblem | undefined {
  const { kind, metadata } = object;
  if (namespaced && metadata.namespace === undefined) {
    return {
      code: "namespace-missing",
      message: `a ${kind} is namespaced, but metadata.namespace is not given`,
      hint: "Set the object's metadata.namespace",
    };
  }
  if (namespaced || metadata.namespace === undefined) return undefined;
  return {
    code: "namespace-given",
    message: `a ${kind} is cluster-scoped, but metadata.namespace is ${metadata.namespace}`,
    hint: "Remove metadata.namespace from the object",
  };
}

import { kubeName, type KubeObjectData, type KubeProblem } from "./kube-object.ts";

/**
 * The reason why an object cannot be deleted alone. `contents`: what else would be deleted, such as `3 ConfigMap, 1
 * Secret`.
 */
export function kubeNotEmpty(object: KubeObjectData, contents: string): KubeProblem {
  return {
    code: "not-empty",
    message: `${kubeName(object)} cannot be deleted alone: ${contents} would be deleted with it`,
    hint: "Delete these objects first, or set deleteContents: true if all of them may be lost",
  };
}

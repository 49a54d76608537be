import { kubeName, type KubeObjectData, type KubeProblem } from "./kube-object.ts";

/** Why an object is not deleted alone; `contents` says what else would be deleted: `3 ConfigMap, 1 Secret`. */
export function kubeNotEmpty(object: KubeObjectData, contents: string): KubeProblem {
  return {
    code: "not-empty",
    message: `${kubeName(object)} cannot be deleted alone: ${contents} would be deleted with it`,
    hint: "Delete these objects first, or set deleteContents: true if all of them may be lost",
  };
}

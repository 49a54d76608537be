import {
  type ControllerFact,
  type KubeconfigOf,
  type KubernetesAnswer,
  kubernetesDocument,
  type KubernetesError,
  z,
} from "../../../src/authoring.ts";
import { errorText, fieldText } from "../answers.ts";

/** The file system that a node's kubelet watches; on a Harvester node, it is the file system of `/usr/local`. */
export interface NodeSpace {
  readonly node: string;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly availableBytes: number;
}

const bytes = z.int().nonnegative();

/** Returns the path, through the API's proxy, at which a node's kubelet reports its statistics. */
export function statisticsPath(node: string): string {
  return `/api/v1/nodes/${node}/proxy/stats/summary`;
}

/** Asks a node's kubelet, through the API, how full the node is. */
export function askSpace(kubeconfig: KubeconfigOf, node: string): ControllerFact<KubernetesAnswer> {
  return kubernetesDocument(kubeconfig, statisticsPath(node));
}

/** Returns how full a node is, or the reason if the answer is unusable or about another node. */
export function lookAtSpace(
  node: string,
  answer: KubernetesAnswer | undefined,
): { readonly seen: NodeSpace } | { readonly unseen: KubernetesError } {
  const what = `the free space of ${node}`;
  if (answer === undefined || (!("error" in answer) && !answer.found))
    return { unseen: { code: "no-answer", message: `${what} cannot be read (no answer)` } };
  if ("error" in answer) {
    const { error } = answer;
    return { unseen: { code: error.code, message: `${what} cannot be read (${errorText(error)})` } };
  }
  const schema = z.looseObject({
    node: z.looseObject({
      nodeName: z.literal(node),
      fs: z.looseObject({ capacityBytes: bytes.min(1), usedBytes: bytes, availableBytes: bytes }),
    }),
  });
  const read = schema.safeParse(answer.object);
  if (!read.success)
    return {
      unseen: { code: "incomplete-object", message: `${what} cannot be read (${fieldText("the answer", read.error)})` },
    };
  const { capacityBytes, usedBytes, availableBytes } = read.data.node.fs;
  return { seen: { node, capacityBytes, usedBytes, availableBytes } };
}

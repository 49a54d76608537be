import type { KubernetesAnswer } from "../../src/authoring.ts";

/** A node as the Kubernetes API tells of it, as far as furrow minds it. */
export interface NodeObject {
  readonly name: string;
  readonly ready: boolean;
  /** It has a vote in etcd. */
  readonly votes: boolean;
  readonly roles: readonly string[];
  readonly cordoned: boolean;
}

interface Raw {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly nodeName?: string;
    readonly phase?: string;
    readonly state?: string;
    readonly robustness?: string;
    readonly currentNodeID?: string;
  };
}

/** The items of a list; none where the cluster does not know the kind. */
export function itemsOf(answer: KubernetesAnswer): readonly Raw[] {
  if (!("found" in answer) || !answer.found) return [];
  return (answer.object as { readonly items?: readonly Raw[] }).items ?? [];
}

const rolePrefix = "node-role.kubernetes.io/";

/** The nodes of a NodeList. */
export function nodesOf(answer: KubernetesAnswer): NodeObject[] {
  return itemsOf(answer).map(({ metadata = {}, spec, status }) => {
    const labels = Object.keys(metadata.labels ?? {});
    const roles = labels.filter((name) => name.startsWith(rolePrefix)).map((name) => name.slice(rolePrefix.length));
    return {
      name: metadata.name ?? "",
      ready: status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false,
      votes: roles.includes("etcd"),
      roles: roles.toSorted(),
      cordoned: spec?.unschedulable === true,
    };
  });
}

/** Virtual machines that run, as `namespace/name`; on one node, where asked. */
export function runningMachines(answer: KubernetesAnswer, node?: string): string[] {
  return itemsOf(answer)
    .filter(({ status }) => !["Succeeded", "Failed"].includes(status?.phase ?? ""))
    .filter(({ status }) => node === undefined || status?.nodeName === node)
    .map(({ metadata }) => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`)
    .toSorted();
}

/** Names of Longhorn's volumes of which this is so. */
export function volumesThat(
  answer: KubernetesAnswer,
  is: (status: { state: string; robustness: string }) => boolean,
): string[] {
  return itemsOf(answer)
    .filter(({ status }) => is({ state: status?.state ?? "", robustness: status?.robustness ?? "" }))
    .map(({ metadata }) => metadata?.name ?? "")
    .toSorted();
}

/** Where the API keeps what the playbooks ask about. */
export const apiPaths = {
  nodes: "/api/v1/nodes",
  machines: "/apis/kubevirt.io/v1/virtualmachineinstances",
  volumes: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/volumes",
} as const;

/** A list in a sentence: `a, b and 3 more`. */
export function listed(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

import type { KubernetesAnswer } from "../../src/authoring.ts";

/** The parts of a Kubernetes node object that furrow uses. */
export interface NodeObject {
  readonly name: string;
  readonly ready: boolean;
  /** True if the node has a vote in etcd. */
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

/** Returns the items in a list; none if the cluster does not know the kind. */
export function itemsOf(answer: KubernetesAnswer): readonly Raw[] {
  if (!("found" in answer) || !answer.found) return [];
  return (answer.object as { readonly items?: readonly Raw[] }).items ?? [];
}

const rolePrefix = "node-role.kubernetes.io/";

/** Returns the nodes in a NodeList. */
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

/** Returns the running virtual machines, as `namespace/name`; only those on one node, if a node is given. */
export function runningMachines(answer: KubernetesAnswer, node?: string): string[] {
  return itemsOf(answer)
    .filter(({ status }) => !["Succeeded", "Failed"].includes(status?.phase ?? ""))
    .filter(({ status }) => node === undefined || status?.nodeName === node)
    .map(({ metadata }) => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`)
    .toSorted();
}

/** Returns the names of the Longhorn volumes that match. */
export function volumesThat(
  answer: KubernetesAnswer,
  is: (status: { state: string; robustness: string }) => boolean,
): string[] {
  return itemsOf(answer)
    .filter(({ status }) => is({ state: status?.state ?? "", robustness: status?.robustness ?? "" }))
    .map(({ metadata }) => metadata?.name ?? "")
    .toSorted();
}

/** The API paths of the objects that the playbooks read. */
export const apiPaths = {
  nodes: "/api/v1/nodes",
  machines: "/apis/kubevirt.io/v1/virtualmachineinstances",
  volumes: "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/volumes",
} as const;

/** Formats names as a list for a sentence: `a, b and 3 more`. */
export function listed(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

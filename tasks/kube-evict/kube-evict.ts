import { absent, knownAfterApply, peek, refuse, type Refusal, seconds, task, z } from "../../src/authoring.ts";
import {
  kubeEvictable,
  kubeEvictPods,
  kubeFacts,
  kubeFactsOfEvictions,
  kubeFactsOf,
  kubeFactsOfScales,
  kubeNode,
  type KubePod,
  kubePods,
  type KubePods,
  type KubePodsWhere,
} from "../../src/facts/catalogue.ts";
import { shared } from "../kube-object/params.ts";

const common = {
  kubeconfig: shared.kubeconfig(),
  context: shared.context(),
  force: z.boolean().default(false).describe("Also evict pods without a controller, which nothing recreates"),
  deleteEmptyDirData: z
    .boolean()
    .default(false)
    .describe("Also evict pods with emptyDir volumes, whose contents are lost"),
  gracePeriodSeconds: z
    .int({ error: "whole seconds, 0 or more" })
    .min(0, "whole seconds, 0 or more")
    .optional()
    .describe("Grace period of each pod in seconds; default: the pod's own"),
  deadlineSeconds: seconds().default(600).describe("Seconds after which the task fails if a pod still exists"),
};

const params = z.union(
  [
    z.strictObject({ ...common, node: shared.name().describe("Node whose pods are evicted, as `kubectl drain` does") }),
    z.strictObject({
      ...common,
      namespace: shared.namespace().describe("Namespace of the pod"),
      name: shared.name().describe("Name of the pod"),
    }),
  ],
  { error: "either `node`, or `namespace` and `name`" },
);

type Params = z.output<typeof params>;

/** Evicts a Kubernetes pod, or all pods of a node. */
export const kubeEvict = task({
  name: "kubeEvict",
  summary: "Evict a Kubernetes pod, or all pods of a node",
  params,
  examples: [
    { kubeconfig: "harvester.kubeconfig", node: "harvester-1", deleteEmptyDirData: true, deadlineSeconds: 1800 },
    { kubeconfig: "harvester.kubeconfig", namespace: "shop", name: "web-1", gracePeriodSeconds: 30 },
  ],
  title: (p) => `kubeEvict ${"node" in p ? `the pods on ${p.node}` : `Pod ${p.namespace}/${p.name}`}`,
  cannotPredict: "whether earlier tasks make controllers add or remove pods",
  disturbs: () => kubeFacts,
  mayProvide: (p) => [
    ...("node" in p
      ? []
      : [
          ...kubeFactsOf(
            { ...p, object: { apiVersion: "v1", kind: "Pod", metadata: whereOf(p) as PodName } },
            "absent",
          ),
          `!${kubeFactsOfEvictions(p, whereOf(p))}` as const,
        ]),
    // The pods' controllers have fewer pods for a while.
    ...kubeFactsOfScales(p),
  ],
})
  .facts((p) => ({ found: kubePods(p, whereOf(p)) }))
  .facts((p, { found }) => {
    const victims = victimsOf(found);
    return {
      ...("node" in p && (victims.length > 0 || isEmpty(found)) && { node: kubeNode(p, p.node) }),
      ...(victims.length > 0 && lossesOf(p, found) === undefined && { server: kubeEvictable(p, whereOf(p), victims) }),
    };
  })
  .want((p, now) => {
    const { found, server } = now;
    // If a node has no pods at all, not even one of a DaemonSet, its name may be misspelled. Otherwise the node itself
    // does not matter here.
    if (isEmpty(found) && now.node?.exists === false) return noNode(p);
    const refusal = staticPod(p, found) ?? lossesOf(p, found);
    if (refusal !== undefined) return refusal;
    if (server?.problem !== undefined) return refuse(server.problem);
    const keys = Object.keys(found.pods).filter((key) => found.pods[key] !== absent);
    return keys.length === 0 ? {} : { found: { pods: Object.fromEntries(keys.map((key) => [key, absent])) } };
  })
  .steps((p, { change, now: { found } }) => {
    const { gracePeriodSeconds, deadlineSeconds } = p;
    return [
      change.found && kubeEvictPods(p, whereOf(p), { victims: victimsOf(found), gracePeriodSeconds, deadlineSeconds }),
    ];
  })
  .notes((p, now) => {
    // After the eviction of a single pod, check mode does not know whether a new pod will have the same name.
    const arePodsOpen = peek(now, "found") === knownAfterApply;
    const { server } = now;
    // An earlier task may cordon the node.
    const node = peek(now, "node");
    const isOpen = "node" in p && node !== knownAfterApply && node?.isSchedulable === true;
    return [
      ...(arePodsOpen ? [] : allLeftAlone(now.found)),
      ...(server === undefined || server.blocked.length === 0
        ? []
        : [`cannot be evicted yet: ${list(server.blocked)}`]),
      ...(server?.unasked === undefined ? [] : [`not checked in advance: the evictions (${server.unasked})`]),
      ...(isOpen
        ? [`${p.node} is schedulable, so pods may come back to it: set its spec.unschedulable with kubeObject first`]
        : []),
    ];
  });

interface PodName {
  readonly namespace: string;
  readonly name: string;
}

function whereOf(p: Params): KubePodsWhere {
  return "node" in p ? { node: p.node } : { namespace: p.namespace, name: p.name };
}

/** The existing pods that must be evicted. */
function victimsOf({ pods, details }: KubePods): KubePod[] {
  return Object.entries(details).flatMap(([key, pod]) => (pods[key] === absent ? [] : [pod]));
}

function isEmpty(found: KubePods): boolean {
  const { daemons, statics, disks, storage } = found;
  return [victimsOf(found), daemons, statics, disks, storage].every((pods) => pods.length === 0);
}

function noNode(p: Params): Refusal {
  return refuse({
    code: "no-node",
    message: `the cluster has no node ${"node" in p ? p.node : ""}`,
    hint: "Correct the node's name, or remove the task if the node no longer exists",
  });
}

/** Refuses a pod that the node would restart at once. */
function staticPod(p: Params, { statics }: KubePods): Refusal | undefined {
  if ("node" in p || statics.length === 0) return undefined;
  return refuse({
    code: "static-pod",
    message: `${list(statics)} cannot be evicted: its node runs it from a local file (a mirror pod)`,
    hint: "Remove the pod's manifest file from the node instead",
  });
}

/** Refuses pods that would not be recreated, or whose data would be lost, unless the params allow that. */
function lossesOf(p: Params, found: KubePods): Refusal | undefined {
  // A pod that has finished, or is being deleted anyway, has nothing left to lose.
  const running = victimsOf(found).filter(({ isFinished, deleting }) => !isFinished && deleting === absent);
  const alone = p.force ? [] : running.filter(({ controller }) => controller === absent);
  const withData = p.deleteEmptyDirData ? [] : running.filter(({ emptyDirs }) => emptyDirs.length > 0);
  if (alone.length === 0 && withData.length === 0) return undefined;
  const lost = [
    ...(alone.length === 0
      ? []
      : [`these pods have no controller, so nothing recreates them: ${list(alone.map(nameOf))}`]),
    ...(withData.length === 0
      ? []
      : [
          `the data in the emptyDir volumes of these pods is lost: ${list(
            withData.map((pod) => `${nameOf(pod)} (${pod.emptyDirs.join(", ")})`),
          )}`,
        ]),
  ];
  const permit = [
    ...(alone.length === 0 ? [] : ["force: true"]),
    ...(withData.length === 0 ? [] : ["deleteEmptyDirData: true"]),
  ];
  return refuse({
    code: alone.length === 0 ? "data-would-be-lost" : "pods-would-be-lost",
    message: `no pod is evicted: ${lost.join("; ")}`,
    hint: `Save what you need, then set ${permit.join(" and ")}`,
  });
}

function nameOf({ namespace, name }: KubePod): string {
  return `${namespace}/${name}`;
}

function list(names: readonly string[]): string {
  return names.toSorted().join(", ");
}

function allLeftAlone({ daemons, statics, disks, storage }: KubePods): string[] {
  return [
    ...leftAlone("of DaemonSets", daemons),
    ...leftAlone("that the node itself runs", statics),
    ...leftAlone("that hold disks of machines on the node, and disappear with them", disks),
    ...leftAlone("that attach or create volumes", storage),
  ];
}

function leftAlone(which: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`leaves alone the pods ${which}: ${list(names)}`];
}

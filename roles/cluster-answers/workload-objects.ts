import { z } from "../../src/authoring.ts";
import { quantity } from "./quantity.ts";

const name = z.string().min(1);
const resources = z.looseObject({ cpu: quantity.default(0), memory: quantity.default(0) }).prefault({});

const container = z.looseObject({
  resources: z.looseObject({ requests: resources }).prefault({}),
  restartPolicy: z.string().optional(),
});

const containerStatus = z.looseObject({
  ready: z.boolean().default(false),
  restartCount: z.int().default(0),
  state: z
    .looseObject({
      waiting: z.looseObject({ reason: z.string().default("") }).optional(),
      terminated: z.looseObject({ reason: z.string().default("") }).optional(),
    })
    .prefault({}),
});

/** Cores, and bytes of memory. */
export interface Requests {
  readonly cpu: number;
  readonly memory: number;
}

/** A pod. The phase is the only part of a pod's status that is always set. */
export const podSchema = z
  .looseObject({
    metadata: z.looseObject({
      name,
      namespace: name,
      deletionTimestamp: z.string().optional(),
      ownerReferences: z.array(z.looseObject({ kind: name, name })).default([]),
    }),
    spec: z.looseObject({
      nodeName: z.string().optional(),
      nodeSelector: z.record(z.string(), z.string()).default({}),
      containers: z.array(container).min(1),
      initContainers: z.array(container).default([]),
      overhead: resources,
    }),
    status: z.looseObject({
      phase: name,
      reason: z.string().default(""),
      containerStatuses: z.array(containerStatus).default([]),
    }),
  })
  .transform(({ metadata, spec, status }) => ({
    name: `${metadata.namespace}/${metadata.name}`,
    namespace: metadata.namespace,
    /** The node that the pod is on; undefined until it has one. */
    node: spec.nodeName || undefined,
    selector: spec.nodeSelector,
    requests: requestsOf(spec),
    /** The virtual machine that runs in the pod; undefined for other pods. */
    machine: metadata.ownerReferences
      .filter(({ kind }) => kind === "VirtualMachineInstance")
      .map((one) => `${metadata.namespace}/${one.name}`)[0],
    /** True if the pod belongs to its node, as a DaemonSet's pod does: it is never rescheduled to another node. */
    staysOnNode: metadata.ownerReferences.some(({ kind }) => kind === "DaemonSet" || kind === "Node"),
    phase: status.phase,
    hasEnded: status.phase === "Succeeded" || status.phase === "Failed",
    isDeleted: metadata.deletionTimestamp !== undefined,
    isReady: status.containerStatuses.length > 0 && status.containerStatuses.every(({ ready }) => ready),
    restarts: Math.max(0, ...status.containerStatuses.map(({ restartCount }) => restartCount)),
    /** Kubernetes' reason why the pod is not running: `CrashLoopBackOff`; empty if Kubernetes gives no reason. */
    why: whyOf(status.containerStatuses) || status.reason,
  }));

/** The parts of a pod that are used in reports. */
export type PodObject = z.output<typeof podSchema>;

type Container = z.output<typeof container>;

/**
 * The resources that the scheduler counts for a pod: those of all its containers together or, if that is more, those of
 * its largest init container, because init containers run one after another before the others start. An init container
 * that always restarts keeps running next to the others (Kubernetes docs, "Resource sharing within containers").
 */
function requestsOf(spec: {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly overhead: Requests;
}): Requests {
  const count = (of: keyof Requests): number => {
    let kept = 0;
    let most = 0;
    for (const { resources: own, restartPolicy } of spec.initContainers) {
      if (restartPolicy === "Always") kept += own.requests[of];
      most = Math.max(most, restartPolicy === "Always" ? kept : kept + own.requests[of]);
    }
    const together = spec.containers.reduce((sum, { resources: own }) => sum + own.requests[of], kept);
    return Math.max(together, most) + spec.overhead[of];
  };
  return { cpu: count("cpu"), memory: count("memory") };
}

function whyOf(statuses: readonly z.output<typeof containerStatus>[]): string {
  const reasons = statuses.map(({ state }) => state.waiting?.reason || state.terminated?.reason || "");
  return reasons.find((reason) => reason !== "" && reason !== "Completed") ?? "";
}

const condition = z.looseObject({
  type: name,
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
});

/** An add-on of Harvester (pkg/apis/harvesterhci.io/v1beta1/addon.go in harvester/harvester, commit 9ec371c7). */
export const addonSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name }),
    spec: z.looseObject({ enabled: z.boolean() }),
    status: z.looseObject({ status: z.string().default(""), conditions: z.array(condition).default([]) }).prefault({}),
  })
  .transform(({ metadata, spec, status }) => ({
    name: `${metadata.namespace}/${metadata.name}`,
    isEnabled: spec.enabled,
    state: status.status,
    failure: status.conditions.find((one) => one.type === "OperationFailed" && one.status === "True"),
  }));

/**
 * An image for virtual machines (pkg/apis/harvesterhci.io/v1beta1/image.go in harvester/harvester, commit eed8bcc8).
 */
export const imageSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name }),
    spec: z.looseObject({ displayName: z.string().default(""), retry: z.int().default(3) }),
    status: z
      .looseObject({
        progress: z.number().default(0),
        failed: z.int().default(0),
        conditions: z.array(condition).default([]),
      })
      .prefault({}),
  })
  .transform(({ metadata, spec, status }) => {
    const find = (type: string): z.output<typeof condition> | undefined =>
      status.conditions.find((one) => one.type === type);
    const [imported, over] = [find("Imported"), find("RetryLimitExceeded")];
    return {
      name: `${metadata.namespace}/${metadata.name}`,
      title: spec.displayName,
      progress: status.progress,
      isImported: imported?.status === "True",
      /** True if Harvester has given up on the image. */
      hasFailed: over?.status === "True" || (imported?.status === "False" && status.failed > spec.retry),
      /** Harvester's message about what went wrong; empty if Harvester reports nothing. */
      why: over?.message || over?.reason || imported?.message || "",
    };
  });

/** A DaemonSet: a pod on every node. */
export const daemonSetSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name, generation: z.int().default(0) }),
    status: z
      .looseObject({
        observedGeneration: z.int().default(0),
        desiredNumberScheduled: z.int().default(0),
        numberReady: z.int().default(0),
      })
      .prefault({}),
  })
  .transform(({ metadata, status }) => ({
    name: metadata.name,
    namespace: metadata.namespace,
    /**
     * True if the DaemonSet runs on at least one node, and on every node on which it should run. Its numbers may be out
     * of date until its controller has seen its last change.
     */
    isReady:
      status.observedGeneration >= metadata.generation &&
      status.desiredNumberScheduled > 0 &&
      status.numberReady >= status.desiredNumberScheduled,
  }));

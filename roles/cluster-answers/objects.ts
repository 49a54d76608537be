import { z } from "../../src/authoring.ts";
import { kubeOwners } from "../../src/facts/catalogue.ts";
import { doubledCondition, isEachOnce } from "./contradictions.ts";
import { givenDevices, hostDevices } from "./device-objects.ts";
import { dataVolumeTemplates, harvesterDisks, kubeVirtDisks } from "./disks/templates.ts";
import { nodeCertificates } from "./nodes/certificates.ts";
import { nodeTerm } from "./nodes/terms.ts";
import { quantity } from "./quantity.ts";

const name = z.string().min(1);
const resources = z.looseObject({ cpu: quantity.optional(), memory: quantity.optional() }).default({});
const metadata = z.looseObject({ name });

const rolePrefix = "node-role.kubernetes.io/";
/** The taint that Kubernetes gives a cordoned node. */
const cordonTaint = "node.kubernetes.io/unschedulable";
const maintenanceAnnotation = "harvesterhci.io/maintain-status";
const maintenanceCondition = "MaintenanceMode";

/**
 * A node. A node that has never reported its status has no condition Ready, and guards cannot use a list that contains
 * it.
 */
export const nodeSchema = z
  .looseObject({
    metadata: metadata.extend({
      deletionTimestamp: z.string().optional(),
      labels: z.record(z.string(), z.string()),
      annotations: z.record(z.string(), z.string()).default({}),
    }),
    spec: z.looseObject({
      unschedulable: z.boolean().optional(),
      podCIDRs: z.array(name).default([]),
      taints: z.array(z.looseObject({ key: name, effect: name })).default([]),
    }),
    status: z.looseObject({
      capacity: resources,
      allocatable: resources,
      addresses: z.array(z.looseObject({ type: name, address: name })).default([]),
      conditions: z
        .array(
          z.looseObject({
            type: z.string(),
            status: z.enum(["True", "False", "Unknown"]),
            reason: z.string().default(""),
            message: z.string().default(""),
            /** Go writes null for a time that was never set. */
            lastHeartbeatTime: z
              .string()
              .nullish()
              .transform((time) => time ?? ""),
          }),
        )
        .refine((all) => all.some(({ type }) => type === "Ready"), "no condition Ready")
        .refine(isEachOnce, doubledCondition),
      nodeInfo: z.looseObject({ kubeletVersion: z.string().optional() }).default({}),
    }),
  })
  .transform(({ metadata: { name: own, labels, annotations, deletionTimestamp }, spec, status }) => {
    const isUp = status.conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
    const isLeaving = deletionTimestamp !== undefined;
    const roles = Object.keys(labels).filter((label) => label.startsWith(rolePrefix));
    const maintenance = status.conditions.find(({ type }) => type === maintenanceCondition);
    return {
      name: own,
      labels,
      annotations,
      /** Cores and bytes of memory; undefined if the kubelet has not reported them. */
      capacity: status.capacity,
      /** The part of the capacity that pods may request. */
      allocatable: status.allocatable,
      conditions: status.conditions,
      /** True if a taint repels new pods that do not tolerate it. */
      tainted: spec.taints.some(({ key, effect }) => effect !== "PreferNoSchedule" && key !== cordonTaint),
      /** True if the node's kubelet answers. */
      isUp,
      /** True if the node is being removed from the cluster, so nothing that is still on it will last. */
      isLeaving,
      /** True if the node is up and stays in the cluster. */
      ready: isUp && !isLeaving,
      /** True if the node should have a vote in etcd; `etcdMembers` says whether it actually has one. */
      votes: roles.includes(`${rolePrefix}etcd`),
      roles: roles.map((label) => label.slice(rolePrefix.length)).toSorted(),
      cordoned: spec.unschedulable === true,
      /** The release of Kubernetes that the node runs; undefined if it has not reported one. */
      release: status.nodeInfo.kubeletVersion,
      /** The addresses at which the other nodes reach this node. */
      addresses: status.addresses.flatMap(({ type, address }) => (type === "InternalIP" ? [address] : [])),
      /** The subnets from which the node's pods get their addresses. */
      podSubnets: spec.podCIDRs,
      /**
       * True if Harvester's maintenance mode is on or starting (pkg/controller/master/node/maintain_controller.go): up
       * to v1.8 an annotation says so, in later releases a condition.
       */
      maintained: maintenanceAnnotation in annotations || maintenance?.status === "True",
      taints: spec.taints,
      maintenance,
      /** What Harvester reports about the expiry of the node's RKE2 certificates. */
      certificates: nodeCertificates(annotations),
    };
  });

/** The parts of a node that the guards use. */
export type NodeObject = z.output<typeof nodeSchema>;

const machineNetworks = z.array(z.looseObject({ multus: z.looseObject({ networkName: name }).optional() })).default([]);

/**
 * Returns the Multus networks of a machine, as `namespace/name`; a name without a namespace is in the machine's own
 * namespace.
 */
function networksOf(namespace: string, networks: z.output<typeof machineNetworks>): string[] {
  const names = networks.flatMap(({ multus }) => (multus === undefined ? [] : [multus.networkName]));
  return names.map((one) => (one.includes("/") ? one : `${namespace}/${one}`));
}

/** The volumes in the definition of a machine, running or not. */
export const machineVolumes = z
  .array(
    z.looseObject({
      persistentVolumeClaim: z.looseObject({ claimName: name }).optional(),
      dataVolume: z.looseObject({ name }).optional(),
    }),
  )
  .default([]);

/**
 * Returns the claims that a machine uses, as `namespace/name`. KubeVirt names a data volume's claim after the volume.
 */
export function claimsOf(namespace: string, volumes: z.output<typeof machineVolumes>): string[] {
  const names = volumes.map(
    ({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim?.claimName ?? dataVolume?.name,
  );
  return names.flatMap((one) => (one === undefined ? [] : [`${namespace}/${one}`]));
}

const owner = z.looseObject({ kind: name, name });

const sizes = z.looseObject({
  cpu: z
    .looseObject({ cores: z.int().default(1), sockets: z.int().default(1), threads: z.int().default(1) })
    .optional(),
  memory: z.looseObject({ guest: quantity.optional() }).default({}),
  resources: z.looseObject({ limits: resources, requests: resources }).default({ limits: {}, requests: {} }),
});

/** The processors and the bytes of memory in a machine's definition; undefined if the definition does not set them. */
function sizeOf({ cpu, memory, resources: { limits, requests } }: z.output<typeof sizes>): MachineSize {
  return {
    cores: cpu === undefined ? limits.cpu : cpu.cores * cpu.sockets * cpu.threads,
    memory: limits.memory ?? memory.guest ?? requests.memory,
  };
}

/** The size of a virtual machine. */
export interface MachineSize {
  readonly cores: number | undefined;
  readonly memory: number | undefined;
}

const machineInterfaces = z.array(z.looseObject({ macAddress: z.string().optional() })).default([]);

/**
 * KubeVirt's condition RestartRequired says that the definition was changed in a way that cannot be applied to a
 * running machine. `created` reports that the machine exists as an instance. `desiredGeneration` is the generation of
 * the last definition that KubeVirt has processed while the instance existed (VirtualMachineStatus in
 * kubevirt.io/api/core/v1).
 */
function needsRestart(
  generation: number | undefined,
  status: {
    readonly created: boolean;
    readonly desiredGeneration?: number | undefined;
    readonly conditions: readonly { type: string; status: string }[];
  },
): boolean | undefined {
  if (status.conditions.some((one) => one.type === "RestartRequired" && one.status === "True")) return true;
  if (!status.created || status.desiredGeneration === undefined) return false;
  return status.desiredGeneration === generation ? false : undefined;
}

const runState = z.looseObject({
  printableStatus: z.string().optional(),
  /** The run strategy that KubeVirt last processed. */
  runStrategy: z.string().optional(),
  stateChangeRequests: z.array(z.looseObject({ action: z.string() })).default([]),
});

/**
 * True if the machine was shut down and stays off. KubeVirt restarts a machine with RerunOnFailure only after a
 * failure: after a shutdown in the guest, or `virtctl stop`, it waits for a request to start. It also starts a machine
 * whose run strategy has just changed (pkg/virt-controller/watch/vm/vm.go in kubevirt/kubevirt).
 */
function staysOff(strategy: string, status: z.output<typeof runState>): boolean {
  return (
    strategy === "RerunOnFailure" &&
    status.printableStatus === "Stopped" &&
    (status.runStrategy ?? strategy) === strategy &&
    !status.stateChangeRequests.some(({ action }) => action === "Start")
  );
}

/** The definition of a virtual machine, running or not (KubeVirt's VirtualMachine). */
export const machineSchema = z
  .looseObject({
    metadata: z.looseObject({
      name,
      namespace: name,
      uid: z.string().optional(),
      generation: z.int().optional(),
      annotations: z.record(z.string(), z.string()).default({}),
      labels: z.record(z.string(), z.string()).default({}),
      ownerReferences: z.array(owner).default([]),
      managedFields: z.unknown().optional(),
    }),
    spec: z.looseObject({
      runStrategy: z.string().optional(),
      running: z.boolean().optional(),
      dataVolumeTemplates,
      template: z.looseObject({
        spec: z.looseObject({
          volumes: machineVolumes,
          networks: machineNetworks,
          domain: z
            .looseObject({
              ...sizes.shape,
              devices: z.looseObject({ interfaces: machineInterfaces, hostDevices }).prefault({}),
            })
            .prefault({}),
        }),
      }),
    }),
    status: runState
      .extend({
        created: z.boolean().default(false),
        desiredGeneration: z.int().optional(),
        conditions: z
          .array(z.looseObject({ type: z.string(), status: z.string() }))
          .refine(isEachOnce, doubledCondition)
          .default([]),
      })
      .prefault({}),
  })
  .transform(({ metadata, spec, status }) => {
    const { namespace, annotations } = metadata;
    const strategy = spec.runStrategy ?? (spec.running === undefined ? "" : spec.running ? "Always" : "Halted");
    return {
      name: `${namespace}/${metadata.name}`,
      /** Distinguishes a machine from a deleted one that had the same name; undefined only in an incomplete answer. */
      uid: metadata.uid,
      /**
       * True if the machine is still running with an older definition; undefined until KubeVirt has processed the
       * newest definition.
       */
      needsRestart: needsRestart(metadata.generation, status),
      annotations,
      labels: metadata.labels,
      /** KubeVirt's name for the state of the machine: `Running`; undefined if KubeVirt has not reported one. */
      state: status.printableStatus,
      staysOff: staysOff(strategy, status),
      size: sizeOf(spec.template.spec.domain),
      /** KubeVirt's run strategy: `Halted`, `RerunOnFailure`; empty if it is not set. */
      strategy,
      /** The field managers that set the run strategy by applying an object with it. */
      strategyAppliers: kubeOwners({ metadata }, ["spec", "runStrategy"]).flatMap(({ manager, operation }) =>
        operation === "Apply" ? [manager] : [],
      ),
      /** What created the machine, and would recreate it or change it back: `HarvesterMachine tenant-1`. */
      owners: metadata.ownerReferences.map((one) => `${one.kind} ${one.name}`),
      /** The volumes that Harvester or KubeVirt makes for the machine. */
      disks: [...harvesterDisks(annotations), ...kubeVirtDisks(spec.dataVolumeTemplates)],
      /** The MAC addresses that the machine's definition assigns to its interfaces, in lower case. */
      macs: spec.template.spec.domain.devices.interfaces.flatMap(({ macAddress }) => macAddress?.toLowerCase() ?? []),
      /** The node devices in the machine's definition. */
      devices: spec.template.spec.domain.devices.hostDevices.map((one) => ({
        name: one.name,
        resource: one.deviceName,
      })),
      /** The node devices that the machine actually got, as far as the cluster has recorded them. */
      given: givenDevices(annotations),
      claims: claimsOf(namespace, spec.template.spec.volumes),
      networks: networksOf(namespace, spec.template.spec.networks),
    };
  });

const affinity = z.looseObject({
  required: z.looseObject({ nodeSelectorTerms: z.array(nodeTerm).default([]) }).optional(),
});

/** A persistent volume, which connects a claim to the storage behind it. */
export const persistentVolumeSchema = z
  .looseObject({
    metadata,
    spec: z.looseObject({
      claimRef: z.looseObject({ namespace: name, name }).optional(),
      csi: z.looseObject({ driver: name, volumeHandle: name }).optional(),
      hostPath: z.looseObject({}).optional(),
      local: z.looseObject({}).optional(),
      nodeAffinity: affinity.optional(),
    }),
  })
  .transform(({ metadata: { name: own }, spec: { claimRef, csi, hostPath, local, nodeAffinity } }) => ({
    name: own,
    claim: claimRef === undefined ? undefined : `${claimRef.namespace}/${claimRef.name}`,
    /** The Longhorn volume behind the persistent volume; undefined for other storage. */
    longhorn: csi?.driver === "driver.longhorn.io" ? csi.volumeHandle : undefined,
    /** True if the data is in a directory on one node. */
    isFolder: hostPath !== undefined || local !== undefined,
    /** To use the volume, a node must match at least one of these terms; undefined if any node can use it. */
    places: nodeAffinity?.required?.nodeSelectorTerms,
  }));

/** The parts of a persistent volume that the guards use. */
export type PersistentVolumeObject = z.output<typeof persistentVolumeSchema>;

export type { ReplicaObject, VolumeObject } from "./longhorn/volumes.ts";

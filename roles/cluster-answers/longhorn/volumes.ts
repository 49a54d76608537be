import { z } from "../../../src/authoring.ts";
import { doubledCondition, isEachOnce } from "../contradictions.ts";

const name = z.string().min(1);
const metadata = z.looseObject({ name });

const tags = z
  .array(z.string())
  .nullish()
  .transform((all) => all ?? []);

/** Longhorn's conditions; it writes null for an empty list. */
export const conditions = z
  .array(
    z.looseObject({
      type: name,
      status: z.string(),
      reason: z.string().default(""),
      message: z.string().default(""),
    }),
  )
  .refine(isEachOnce, doubledCondition)
  .nullish()
  .transform((all) => all ?? []);

/**
 * The users of a volume as recorded by Longhorn: after the last pod has been deleted, Longhorn keeps the list and
 * records the time of the deletion.
 */
const users = z
  .looseObject({
    namespace: z.string().default(""),
    lastPodRefAt: z.string().default(""),
    workloadsStatus: z
      .array(z.looseObject({ podName: z.string().default(""), workloadName: z.string().default("") }))
      .nullish(),
  })
  .nullish()
  .transform((seen) => {
    if (seen === null || seen === undefined || seen.lastPodRefAt !== "") return [];
    const names = (seen.workloadsStatus ?? []).map(({ podName, workloadName }) => workloadName || podName);
    return [...new Set(names)].filter((one) => one !== "").map((one) => `${seen.namespace}/${one}`);
  });

/** A Longhorn volume. Longhorn writes all of these fields, including an empty `nodeID`. */
export const volumeSchema = z
  .looseObject({
    metadata,
    spec: z.looseObject({
      nodeID: z.string(),
      size: z.string().regex(/^\d+$/, "a number of bytes"),
      numberOfReplicas: z.int().optional(),
      diskSelector: tags,
      nodeSelector: tags,
      snapshotMaxCount: z.int().default(0),
      snapshotMaxSize: z.string().default("0"),
    }),
    status: z.looseObject({
      state: z.string().min(1),
      robustness: z.string().min(1),
      actualSize: z.number().default(0),
      conditions,
      kubernetesStatus: users,
    }),
  })
  .transform(({ metadata: { name: own }, spec, status: { state, robustness, ...status } }) => ({
    name: own,
    sizeBytes: Number(spec.size),
    state,
    robustness,
    /** The bytes that the volume's snapshots and data occupied when it was last attached. */
    actualBytes: status.actualSize,
    /** The number of replicas that the volume should have; undefined if its definition does not specify one. */
    replicas: spec.numberOfReplicas,
    diskTags: spec.diskSelector,
    nodeTags: spec.nodeSelector,
    /** How many snapshots the volume may have; 0 means the limit in Longhorn's setting. */
    mostSnapshots: spec.snapshotMaxCount,
    /** The maximum total size of the volume's snapshots in bytes; 0 means no limit. */
    mostSnapshotBytes: Number(spec.snapshotMaxSize),
    conditions: status.conditions,
    /** The workloads whose pods use the volume, as `namespace/name`; none if Longhorn does not know any. */
    users: status.kubernetesStatus,
  }));

/** The parts of a Longhorn volume that the guards use. */
export type VolumeObject = z.output<typeof volumeSchema>;

/**
 * A replica of a Longhorn volume. Longhorn writes all of these fields, with an empty string for "never" and "nowhere".
 */
export const replicaSchema = z
  .looseObject({
    metadata: metadata.extend({ deletionTimestamp: z.string().optional() }),
    spec: z.looseObject({
      volumeName: name,
      nodeID: z.string(),
      failedAt: z.string(),
      healthyAt: z.string(),
      lastFailedAt: z.string().default(""),
      lastHealthyAt: z.string().default(""),
      active: z.boolean(),
      diskID: z.string(),
    }),
    status: z.looseObject({ currentState: z.string() }),
  })
  .transform(({ metadata: { name: own, deletionTimestamp }, spec, status }) => ({
    name: own,
    volume: spec.volumeName,
    node: spec.nodeID,
    disk: spec.diskID,
    hasFailed: spec.failedAt !== "",
    state: status.currentState,
    /** True if no engine has ever used the replica. */
    isUnused:
      [spec.healthyAt, spec.failedAt, spec.lastHealthyAt, spec.lastFailedAt].every((time) => time === "") &&
      deletionTimestamp === undefined,
    /** True if Longhorn could continue with the data of this replica alone. */
    healthy:
      spec.active &&
      spec.nodeID !== "" &&
      spec.diskID !== "" &&
      spec.healthyAt !== "" &&
      spec.failedAt === "" &&
      deletionTimestamp === undefined,
  }));

/** The parts of a replica that the guards use. */
export type ReplicaObject = z.output<typeof replicaSchema>;

/**
 * True if a volume was never attached, so that it has no data: Longhorn records on each replica when an engine can
 * first write to it (healthyAt in controller/volume_controller.go of longhorn/longhorn-manager). If a replica is
 * missing, the volume may have had data.
 */
export function isUnwritten(volume: VolumeObject, replicas: readonly ReplicaObject[]): boolean {
  const own = replicas.filter((replica) => replica.volume === volume.name);
  return (
    volume.state === "detached" &&
    volume.robustness === "unknown" &&
    volume.actualBytes === 0 &&
    own.length >= Math.max(volume.replicas ?? 1, 1) &&
    own.every((replica) => replica.isUnused)
  );
}

/** Names the volumes that were never written to; empty if there are no such volumes. */
export function unwrittenNotes(volumes: readonly VolumeObject[], replicas: readonly ReplicaObject[]): string[] {
  const names = volumes.filter((volume) => isUnwritten(volume, replicas)).map(({ name }) => name);
  if (names.length === 0) return [];
  return [`volumes without data, because they were never attached: ${names.toSorted().join(", ")}`];
}

/**
 * Says that a volume is in use, and by which workloads, as far as Longhorn knows: `pvc-1 (attached, used by shop/web)`.
 */
export function volumeInUse({ name, state, users }: { name: string; state: string; users: readonly string[] }): string {
  const by = users.length > 0 ? `, used by ${users.toSorted().join(", ")}` : "";
  return `${name} (${state}${by})`;
}

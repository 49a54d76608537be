import { z } from "../../../src/authoring.ts";
import { conditions } from "./volumes.ts";

const name = z.string().min(1);
const bytes = z.number().nonnegative();
const tags = z
  .array(z.string())
  .nullish()
  .transform((all) => all ?? []);

const diskSpec = z.looseObject({
  path: z.string().default(""),
  allowScheduling: z.boolean(),
  evictionRequested: z.boolean().default(false),
  storageReserved: bytes,
  tags,
});

const diskStatus = z.looseObject({
  conditions,
  storageAvailable: z.number(),
  storageScheduled: bytes,
  storageMaximum: bytes,
  diskUUID: z.string().default(""),
  healthData: z
    .record(z.string(), z.looseObject({ healthStatus: z.string().default("") }))
    .nullish()
    .transform((all) => all ?? {}),
});

/**
 * Longhorn's view of a node and its disks (k8s/pkg/apis/longhorn/v1beta2/node.go in longhorn/longhorn-manager, commit
 * df759d3b). A disk that Longhorn has not checked yet has no status.
 */
export const longhornNodeSchema = z
  .looseObject({
    metadata: z.looseObject({ name }),
    spec: z.looseObject({
      allowScheduling: z.boolean(),
      evictionRequested: z.boolean().default(false),
      tags,
      disks: z.record(z.string(), diskSpec),
    }),
    status: z.looseObject({
      conditions,
      zone: z.string().default(""),
      diskStatus: z
        .record(z.string(), diskStatus.nullable())
        .nullish()
        .transform((all) => all ?? {}),
    }),
  })
  .transform(({ metadata: { name: node }, spec, status }) => ({
    name: node,
    isEnabled: spec.allowScheduling,
    isEmptied: spec.evictionRequested,
    tags: spec.tags,
    zone: status.zone,
    conditions: status.conditions,
    disks: Object.entries(spec.disks).map(([disk, own]) => ({
      node,
      name: disk,
      path: own.path,
      tags: own.tags,
      isEnabled: own.allowScheduling,
      isEmptied: own.evictionRequested,
      reserved: own.storageReserved,
      /** The status that Longhorn last reported; undefined if it has not checked the disk yet. */
      seen: seenDisk(status.diskStatus[disk] ?? undefined),
    })),
  }));

function seenDisk(status: z.output<typeof diskStatus> | undefined) {
  return (
    status && {
      id: status.diskUUID,
      maximum: status.storageMaximum,
      scheduled: status.storageScheduled,
      available: status.storageAvailable,
      conditions: status.conditions,
      /** The health that the underlying disks report (SMART): `PASSED`. */
      health: Object.values(status.healthData).map(({ healthStatus }) => healthStatus),
    }
  );
}

/** The parts of a Longhorn node that are used in reports. */
export type LonghornNodeObject = z.output<typeof longhornNodeSchema>;

/** One Longhorn disk. */
export type LonghornDisk = LonghornNodeObject["disks"][number];

/**
 * A setting of Longhorn (k8s/pkg/apis/longhorn/v1beta2/setting.go). Since 1.10, some settings have a JSON value, with
 * one entry for each data engine.
 */
export const longhornSettingSchema = z
  .looseObject({ metadata: z.looseObject({ name }), value: z.string() })
  .transform(({ metadata, value }) => ({ name: metadata.name, value: forFirstEngine(value) }));

function forFirstEngine(value: string): string {
  if (!value.startsWith("{")) return value;
  try {
    const read = z.looseObject({ v1: z.string() }).safeParse(JSON.parse(value));
    return read.data?.v1 ?? value;
  } catch {
    return value;
  }
}

/** The parts of a Longhorn setting that are used in reports. */
export type LonghornSettingObject = z.output<typeof longhornSettingSchema>;

/** A snapshot of a Longhorn volume (k8s/pkg/apis/longhorn/v1beta2/snapshot.go, commit 6475655b). */
export const snapshotSchema = z
  .looseObject({
    metadata: z.looseObject({ name, creationTimestamp: z.string().default("") }),
    spec: z.looseObject({ volume: name }),
    status: z
      .looseObject({
        creationTime: z.string().default(""),
        size: z.number().default(0),
        userCreated: z.boolean().default(false),
        markRemoved: z.boolean().default(false),
        error: z.string().default(""),
      })
      .prefault({}),
  })
  .transform(({ metadata, spec, status }) => ({
    name: metadata.name,
    volume: spec.volume,
    created: status.creationTime || metadata.creationTimestamp,
    bytes: status.size,
    byUser: status.userCreated,
    isRemoved: status.markRemoved,
    error: status.error,
  }));

/** The parts of a snapshot that are used in reports. */
export type SnapshotObject = z.output<typeof snapshotSchema>;

/** Data or a process that no replica or engine of Longhorn owns (k8s/pkg/apis/longhorn/v1beta2/orphan.go, b90da500). */
export const orphanSchema = z
  .looseObject({
    metadata: z.looseObject({ name }),
    spec: z.looseObject({ nodeID: z.string(), orphanType: z.string() }),
  })
  .transform(({ metadata, spec }) => ({ name: metadata.name, node: spec.nodeID, type: spec.orphanType }));

import { z } from "../../src/authoring.ts";
import { backupPlaceSchema } from "../vm-storage/target-value.ts";

const name = z.string().min(1);

const metadata = z.looseObject({
  name,
  namespace: name,
  annotations: z.record(z.string(), z.string()).default({}),
  creationTimestamp: z.string().default(""),
  deletionTimestamp: z.string().optional(),
});

const condition = z.looseObject({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().default(""),
  message: z.string().default(""),
});

const error = z.looseObject({ message: z.string().default("") }).optional();

/** The annotation with the schedule that made a backup: `NAMESPACE/NAME` (pkg/util/constants.go). */
const scheduleAnnotation = "harvesterhci.io/svmbackupId";

const backupSpec = z.looseObject({
  source: z.looseObject({ kind: z.string().default("VirtualMachine"), name }),
  type: z.string().default("backup"),
});

/** A backup or snapshot of a machine (pkg/apis/harvesterhci.io/v1beta1/backup.go). A new backup has no status. */
export const backupSchema = z
  .looseObject({
    metadata,
    spec: backupSpec,
    status: z
      .looseObject({
        readyToUse: z.boolean().default(false),
        progress: z.number().default(0),
        sourceUID: z.string().optional(),
        error,
        backupTarget: backupPlaceSchema.optional(),
      })
      .default({ readyToUse: false, progress: 0 }),
  })
  .transform(({ metadata: own, spec, status }) => ({
    name: `${own.namespace}/${own.name}`,
    machine: `${own.namespace}/${spec.source.name}`,
    /**
     * The uid of the machine that was backed up, which may have been deleted since; undefined until the backup has
     * begun, and in a backup that Harvester has read from the backup target.
     */
    machineUid: status.sourceUID,
    kind: spec.source.kind,
    type: spec.type,
    created: own.creationTimestamp,
    isDeleted: own.deletionTimestamp !== undefined,
    ready: status.readyToUse,
    progress: status.progress,
    /** Harvester's message about a failure; undefined if Harvester reports none. */
    error: status.error && (status.error.message || "Harvester gives no reason"),
    /** Where the backup's data is; undefined for a snapshot, or until Harvester has reported the location. */
    place: status.backupTarget,
    /** The schedule that created the backup; undefined if none did. */
    schedule: own.annotations[scheduleAnnotation],
  }));

/** The parts of a backup that the guards use. */
export type BackupObject = z.output<typeof backupSchema>;

/** A schedule of backups (pkg/apis/harvesterhci.io/v1beta1/schedulebackup.go). */
export const scheduleSchema = z
  .looseObject({
    metadata,
    spec: z.looseObject({
      cron: z.string(),
      retain: z.int(),
      suspend: z.boolean().default(false),
      vmbackup: backupSpec,
    }),
    status: z
      .looseObject({
        suspended: z.boolean().default(false),
        failure: z.int().default(0),
        conditions: z.array(condition).default([]),
      })
      .default({ suspended: false, failure: 0, conditions: [] }),
  })
  .transform(({ metadata: own, spec, status }) => {
    const why = status.conditions.find(({ type }) => type === "BackupSuspend");
    return {
      name: `${own.namespace}/${own.name}`,
      machine: `${own.namespace}/${spec.vmbackup.source.name}`,
      type: spec.vmbackup.type,
      retain: spec.retain,
      failures: status.failure,
      suspended: spec.suspend || status.suspended,
      /** Harvester's message about why the schedule is suspended. */
      why: [why?.reason, why?.message].filter(Boolean).join(": ") || "Harvester gives no reason",
    };
  });

/** A restore of a machine from a backup (pkg/apis/harvesterhci.io/v1beta1/backup.go). A new restore has no status. */
export const restoreSchema = z
  .looseObject({
    metadata,
    spec: z.looseObject({
      target: z.looseObject({ name }),
      virtualMachineBackupName: name,
      virtualMachineBackupNamespace: name,
      newVM: z.boolean().default(false),
    }),
    status: z
      .looseObject({
        complete: z.boolean().default(false),
        progress: z.number().default(0),
        targetUID: z.string().optional(),
        conditions: z.array(condition).default([]),
      })
      .default({ complete: false, progress: 0, conditions: [] }),
  })
  .transform(({ metadata: own, spec, status }) => {
    const ready = status.conditions.find(({ type }) => type === "Ready");
    return {
      name: `${own.namespace}/${own.name}`,
      target: `${own.namespace}/${spec.target.name}`,
      backup: `${spec.virtualMachineBackupNamespace}/${spec.virtualMachineBackupName}`,
      isNew: spec.newVM,
      created: own.creationTimestamp,
      /** The uid of the machine that was restored, which may have been deleted since; undefined until it exists. */
      machineUid: status.targetUID,
      complete: status.complete,
      progress: status.progress,
      failed: ready?.reason === "Error",
      /** Harvester's message about the restore's progress, or about a failure. */
      says: ready?.message ?? "",
    };
  });

/** The parts of a restore that the guards use. */
export type RestoreObject = z.output<typeof restoreSchema>;

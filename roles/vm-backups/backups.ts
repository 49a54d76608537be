import { seconds, z } from "../../src/authoring.ts";
import { hourlyCron } from "./cron.ts";

const nameForm = "a name of at most 63 characters: lower-case letters, digits and dashes";

/** The name of a Kubernetes object that the backup roles create. */
export const backupName = z
  .string({ error: nameForm })
  .max(63, nameForm)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, nameForm);

const place = {
  machine: backupName.describe("Name of the virtual machine"),
  namespace: backupName.default("default").describe("Namespace of the machine and of its backups"),
};

const type = z
  .enum(["backup", "snapshot"])
  .default("backup")
  .describe("`backup`: a copy in the backup target; `snapshot`: on the cluster's own disks");

/** Harvester's own default. */
const defaultFailures = 4;

const schedule = z
  .strictObject({
    ...place,
    type,
    cron: hourlyCron.describe("When: `30 2 * * *`"),
    retain: z
      .int()
      .min(2)
      .max(250)
      .default(8)
      .describe("Number of this schedule's backups that Harvester keeps; must be above `maxFailure`"),
    maxFailure: z
      .int()
      .min(2)
      .default(defaultFailures)
      .describe("Failures in a row after which Harvester suspends the schedule; must be below `retain`"),
    suspend: z.boolean().optional().describe("Whether the schedule is suspended; default: unchanged"),
  })
  .superRefine(({ retain, maxFailure }, context) => {
    if (maxFailure < retain) return;
    // If maxFailure is not set, it cannot be the mistake, so the message is about retain.
    const isDefault = maxFailure === defaultFailures;
    const why = `maxFailure is ${maxFailure}${isDefault ? " (its default)" : ""}, but must be below retain (${retain})`;
    // Harvester requires maxFailure to be at least 2.
    const instead = isDefault && retain > 2 ? `${why}: set maxFailure` : why;
    context.addIssue({
      code: "custom",
      path: [isDefault ? "retain" : "maxFailure"],
      message: `a number ${isDefault ? "above" : "below"} ${isDefault ? maxFailure : retain}: ${instead}`,
    });
  });

/** Backups of virtual machines, made once or on a schedule. */
export const vmBackupsSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
  fieldManager: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
    .default("furrow-backups")
    .describe("Name under which the cluster records what furrow owns; do not change it"),
  force: z
    .boolean()
    .default(false)
    .describe("Take over fields that others have changed, for example by suspending a schedule"),
  backups: z
    .record(backupName, z.strictObject({ ...place, type }))
    .default({})
    .describe("Backups by name; each is made once"),
  schedules: z.record(backupName, schedule).default({}).describe("Schedules by name"),
  acceptLoss: z
    .array(z.string().min(1))
    .default([])
    .describe("Backups, as NAMESPACE/NAME, that Harvester may delete because `retain` is lowered"),
  deadlineSeconds: seconds().default(3600).describe("Seconds after which furrow stops waiting for the backups"),
});

/** The validated backups and schedules. */
export type VmBackups = z.output<typeof vmBackupsSchema>;

const source = (name: string) => ({ apiGroup: "kubevirt.io", kind: "VirtualMachine", name });

/** The backups as objects (pkg/apis/harvesterhci.io/v1beta1/backup.go). */
export function backupObjects({ backups }: Pick<VmBackups, "backups">) {
  return Object.entries(backups).map(([name, own]) => ({
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "VirtualMachineBackup",
    metadata: { name, namespace: own.namespace },
    spec: { source: source(own.machine), type: own.type },
  }));
}

/** The schedules as objects (pkg/apis/harvesterhci.io/v1beta1/schedulebackup.go). */
export function scheduleObjects({ schedules }: Pick<VmBackups, "schedules">) {
  return Object.entries(schedules).map(([name, own]) => ({
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "ScheduleVMBackup",
    metadata: { name, namespace: own.namespace },
    spec: {
      cron: own.cron,
      retain: own.retain,
      maxFailure: own.maxFailure,
      // Harvester itself sets this after too many failures.
      ...(own.suspend !== undefined && { suspend: own.suspend }),
      vmbackup: { source: source(own.machine), type: own.type },
    },
  }));
}

import { definition } from "./harvester-kinds.ts";

const text = { type: "string" };
const flag = { type: "boolean" };
const kept = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const object = (properties: object, required: readonly string[]): object => ({ type: "object", properties, required });

const source = object({ apiGroup: text, kind: text, name: text }, ["kind", "name"]);
const backupSpec = object({ source, type: { ...text, enum: ["backup", "snapshot"], default: "backup" } }, ["source"]);

const kind = (name: string, plural: string, spec: object): object =>
  definition("harvesterhci.io", "v1beta1", name, plural, "Namespaced", object({ spec, status: kept }, ["spec"]));

/**
 * The definitions of VirtualMachineBackup, ScheduleVMBackup and VirtualMachineRestore, with the required fields, enums,
 * limits and defaults of pkg/apis/harvesterhci.io/v1beta1/backup.go and schedulebackup.go in harvester/harvester.
 */
export const backupKinds: readonly object[] = [
  kind("VirtualMachineBackup", "virtualmachinebackups", backupSpec),
  kind(
    "ScheduleVMBackup",
    "schedulevmbackups",
    object(
      {
        cron: text,
        retain: { type: "integer", minimum: 2, maximum: 250, default: 8 },
        maxFailure: { type: "integer", minimum: 2, default: 4 },
        suspend: { ...flag, default: false },
        vmbackup: backupSpec,
      },
      ["cron", "maxFailure", "retain", "vmbackup"],
    ),
  ),
  kind(
    "VirtualMachineRestore",
    "virtualmachinerestores",
    object(
      {
        target: source,
        virtualMachineBackupName: text,
        virtualMachineBackupNamespace: text,
        newVM: flag,
        deletionPolicy: text,
        keepMacAddress: flag,
      },
      ["target", "virtualMachineBackupName", "virtualMachineBackupNamespace"],
    ),
  ),
];

/**
 * The definition of SupportBundle, with the required fields and minimums of
 * pkg/apis/harvesterhci.io/v1beta1/supportbundle.go in harvester/harvester.
 */
export const supportBundleKind: object = kind(
  "SupportBundle",
  "supportbundles",
  object(
    {
      issueURL: text,
      description: text,
      extraCollectionNamespaces: { type: "array", items: text },
      timeout: { type: "integer", minimum: 0 },
      expiration: { type: "integer", minimum: 0 },
      nodeTimeout: { type: "integer", minimum: 0 },
    },
    ["description"],
  ),
);

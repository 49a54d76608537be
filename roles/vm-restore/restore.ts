import { seconds, z } from "../../src/authoring.ts";
import { backupName } from "../vm-backups/backups.ts";

const most = 63;

/** The restore of a virtual machine from a backup: as a new machine, or in place of an existing one. */
export const vmRestoreSchema = z
  .strictObject({
    kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
    fieldManager: z
      .string()
      .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
      .default("furrow-restores")
      .describe("Name under which the cluster records what furrow owns; do not change it"),
    backup: backupName.describe("Name of the backup or snapshot"),
    namespace: backupName.default("default").describe("Namespace of the backup"),
    newMachine: backupName.optional().describe("Name of the new machine that is created from the backup"),
    targetNamespace: backupName.optional().describe("Namespace of the new machine; default: that of the backup"),
    replace: backupName
      .optional()
      .describe("Name of the existing machine to replace, instead of creating a new one; it must be off"),
    name: backupName
      .optional()
      .describe("Name of the restore; default: `MACHINE-from-BACKUP`. A second restore needs a different name"),
    deadlineSeconds: seconds().default(3600).describe("Seconds after which furrow stops waiting for the restore"),
  })
  .refine(({ newMachine, replace }) => (newMachine === undefined) !== (replace === undefined), {
    message: "either `newMachine` or `replace`",
  })
  .refine(({ replace, targetNamespace }) => replace === undefined || targetNamespace === undefined, {
    path: ["targetNamespace"],
    message: "nothing: a machine is replaced in its own namespace",
  })
  .refine((vars) => restoreName(vars).length <= most, {
    path: ["name"],
    message: `a name, because the default would be longer than ${most} characters`,
  });

interface Names {
  readonly backup: string;
  readonly newMachine?: string | undefined;
  readonly replace?: string | undefined;
  readonly name?: string | undefined;
}

/** The name of the restore. The name is unique for each restore, so a rerun finds the same restore. */
export function restoreName({ backup, newMachine, replace, name }: Names): string {
  return name ?? `${newMachine ?? replace}-from-${backup}`;
}

/** The restore as an object (pkg/apis/harvesterhci.io/v1beta1/backup.go). */
export function restoreObject(vars: z.output<typeof vmRestoreSchema>) {
  const { backup, namespace, newMachine, targetNamespace, replace } = vars;
  return {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "VirtualMachineRestore",
    metadata: { name: restoreName(vars), namespace: targetNamespace ?? namespace },
    spec: {
      target: { apiGroup: "kubevirt.io", kind: "VirtualMachine", name: newMachine ?? replace ?? "" },
      virtualMachineBackupName: backup,
      virtualMachineBackupNamespace: namespace,
      newVM: replace === undefined,
      // The volumes of a replaced machine stay in the cluster.
      ...(replace !== undefined && { deletionPolicy: "retain" }),
    },
  };
}

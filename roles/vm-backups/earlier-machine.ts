import type { BackupObject } from "../cluster-answers/backup-objects.ts";

/** A machine that exists. */
interface Live {
  readonly uid: string | undefined;
}

/** True if a backup is of a deleted machine that had the same name as an existing one. */
export function isOfEarlier({ machineUid }: BackupObject, live: Live): boolean {
  return machineUid !== undefined && machineUid !== live.uid;
}

/** A sentence which states that a backup is of a deleted machine. */
export function earlierText({ name, machine }: BackupObject): string {
  return `${name} is a backup of an earlier machine ${machine}, which was deleted`;
}

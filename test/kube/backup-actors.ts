import { machineOf } from "../guards/examples.ts";
import { type Actor, apply, patch, read } from "./actors.ts";
import type { ApiServer } from "./server/api-server.ts";

interface Thing {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly source?: { readonly name: string };
    readonly type?: string;
    readonly target?: { readonly name: string };
    readonly newVM?: boolean;
  };
  readonly status?: object;
}

/**
 * Harvester's backups and restores (pkg/controller/master/backup, backup.go and restore.go): a backup reports its
 * progress and is then ready; the backup of a machine named "broken" has an error. A restore creates a new machine, or
 * overwrites the definition of the old one, and is then complete.
 */
export const backupControllers: Actor = (server) => {
  const { items } = read(server, "virtualmachinebackups,virtualmachinerestores") as { items: Thing[] };
  for (const { kind, metadata, spec, status } of items.filter((one) => one.status === undefined)) {
    if (kind === "VirtualMachineBackup") {
      const isBroken = spec.source?.name === "broken";
      const done = {
        progress: 100,
        readyToUse: true,
        sourceUID: uidOf(server, spec.source?.name ?? ""),
        ...(spec.type !== "snapshot" && { backupTarget: { endpoint: "nfs://nas:/backups" } }),
      };
      const failed = { readyToUse: false, error: { message: "VolumeSnapshot broken-0 in error state" } };
      patch(server, "virtualmachinebackup", metadata.name, { status: isBroken ? failed : done });
    } else if (status === undefined) {
      const name = spec.target?.name ?? "";
      const { metadata: own, spec: definition } = machineOf(name) as { metadata: object; spec: object };
      const annotations = { "restore.harvesterhci.io/name": metadata.name };
      apply(server, {
        apiVersion: "kubevirt.io/v1",
        kind: "VirtualMachine",
        metadata: { ...own, annotations },
        spec: { ...definition, runStrategy: "RerunOnFailure" },
      });
      patch(server, "virtualmachinerestore", metadata.name, {
        status: { complete: true, progress: 100, targetUID: uidOf(server, name) },
      });
    }
  }
};

function uidOf(server: ApiServer, machine: string): string {
  return (read(server, "virtualmachine", machine) as Thing).metadata.uid;
}

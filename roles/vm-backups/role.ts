import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { backupObjects, scheduleObjects, vmBackupsSchema } from "./backups.ts";
import { backupsFit } from "./backups-fit.ts";
import { backupsReady, schedulesShown } from "./backups-ready.ts";

/**
 * Makes one-time backups of virtual machines, waits until they can be restored, and manages schedules. furrow deletes
 * no backups; Harvester's retention deletes only those of the schedule itself.
 */
export const vmBackups = role(
  {
    name: "vm backups",
    summary: "Make backups of a Harvester cluster's virtual machines, and manage schedules for them",
    params: vmBackupsSchema,
  },
  ({ kubeconfig, fieldManager, force, backups, schedules, acceptLoss, deadlineSeconds }) => {
    const own = { kubeconfig, fieldManager, force };
    const wish = <
      T extends { readonly namespace: string; readonly machine: string; readonly type: "backup" | "snapshot" },
    >(
      all: Readonly<Record<string, T>>,
    ) =>
      Object.entries(all).map(([name, one]) => ({
        one,
        name: `${one.namespace}/${name}`,
        machine: `${one.namespace}/${one.machine}`,
        type: one.type,
      }));
    const named = wish(backups).map(({ name, machine, type }) => ({ name, machine, type }));
    const scheduled = wish(schedules).map(({ one, name, machine, type }) => ({
      name,
      machine,
      type,
      retain: one.retain,
      ...(one.suspend !== undefined && { suspend: one.suspend }),
    }));
    const fit = backupsFit({ kubeconfig, backups: named, schedules: scheduled, acceptLoss });
    return [
      fit,
      backupObjects({ backups }).map((object) => t.kubeObject({ ...own, object }, onlyAfter(fit))),
      // The schedules come before the wait, while the guard's list of the backups that they would delete is still current.
      scheduleObjects({ schedules }).map((object) => t.kubeObject({ ...own, object }, onlyAfter(fit))),
      named.length > 0 && backupsReady({ kubeconfig, backups: named.map(({ name }) => name), deadlineSeconds }),
      scheduled.length > 0 && schedulesShown({ kubeconfig, schedules: scheduled.map(({ name }) => name) }),
    ];
  },
);

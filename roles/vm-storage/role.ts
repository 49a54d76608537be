import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { backupTarget, backupTargetFits, backupTargetReady } from "./backup-target.ts";
import { replicasFit } from "./replicas-fit.ts";
import { storageClassObjects, vmStorageSchema } from "./storage.ts";

/**
 * Manages the storage classes of a Harvester cluster, and its backup target. Classes that are not listed stay
 * unchanged.
 */
export const vmStorage = role(
  {
    name: "vm storage",
    summary: "Manage the storage classes and the backup target of a Harvester cluster",
    params: vmStorageSchema,
  },
  ({ kubeconfig, fieldManager, force, storageClasses, backupTarget: endpoint, deadlineSeconds }) => {
    const replicas = Object.fromEntries(Object.entries(storageClasses).map(([name, own]) => [name, own.replicas]));
    const fit = Object.keys(replicas).length > 0 && replicasFit({ kubeconfig, what: "storage classes", replicas });
    const targetFits = endpoint !== undefined && backupTargetFits({ kubeconfig, endpoint }, onlyAfter(fit));
    const guarded = onlyAfter(targetFits === false ? fit : targetFits);
    return [
      fit,
      targetFits,
      storageClassObjects(storageClasses).map((object) =>
        t.kubeObject({ kubeconfig, fieldManager, force, object }, guarded),
      ),
      endpoint !== undefined && [
        backupTarget({ kubeconfig, endpoint }, guarded),
        backupTargetReady({ kubeconfig, endpoint, deadlineSeconds }),
      ],
    ];
  },
);

import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { inNamespaces } from "../cluster-answers/namespaces/namespaces-exist.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { mayRestore } from "./may-restore.ts";
import { restoreObject, vmRestoreSchema } from "./restore.ts";
import { restored } from "./restored.ts";

/**
 * Restores a virtual machine from a backup, as a new machine; or, only if `replace` names one, in place of an existing
 * machine that is off.
 */
export const vmRestore = role(
  {
    name: "vm restore",
    summary: "Restore a virtual machine of a Harvester cluster from a backup",
    params: vmRestoreSchema,
  },
  (vars) => {
    const { kubeconfig, fieldManager, deadlineSeconds } = vars;
    const object = restoreObject(vars);
    const { namespace } = object.metadata;
    const restore = `${namespace}/${object.metadata.name}`;
    const target = `${namespace}/${object.spec.target.name}`;
    const [spaces] = inNamespaces(kubeconfig, [{ name: `the machine ${object.spec.target.name}`, namespace }]);
    const backup = `${vars.namespace}/${vars.backup}`;
    const guard = mayRestore({ kubeconfig, restore, target, backup, isNew: object.spec.newVM }, onlyAfter(spaces));
    return [
      spaces,
      guard,
      t.kubeObject({ kubeconfig, fieldManager, object }, onlyAfter(guard)),
      restored({ kubeconfig, restore, target, deadlineSeconds }),
    ];
  },
);

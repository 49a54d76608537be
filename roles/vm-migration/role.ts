import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { mayMigrate } from "./may-migrate.ts";
import { machineMigrated } from "./migrated.ts";
import { runningMigration } from "./may-abort.ts";
import { vmMigrationSchema } from "./vars.ts";

/** Moves one virtual machine away from a node while the machine is running, and waits; or aborts its migration. */
export const vmMigration = role(
  {
    name: "vm migration",
    summary: "Move a running virtual machine of a Harvester cluster to another node, or abort its migration",
    params: vmMigrationSchema,
  },
  ({ kubeconfig, machine, action, from = "", deadlineSeconds }) => {
    const own = { kubeconfig, fieldManager: "furrow-migrations" };
    if (action === "abort") {
      const running = runningMigration({ kubeconfig, machine });
      return [
        running,
        t.kubeObject(
          running.output.map(({ name }) => ({
            ...own,
            object: migrationObject(name, machine),
            state: "absent" as const,
            // The user has asked to stop the migration, even if the Harvester UI or a drain started it.
            force: true,
          })),
          { when: running.output.map(({ name }) => name !== ""), name: `${machine} does not migrate` },
        ),
      ];
    }
    const plan = mayMigrate({ kubeconfig, machine, from });
    return [
      plan,
      t.kubeObject(
        plan.output.map(({ name }) => ({ ...own, object: migrationObject(name, machine) })),
        { when: plan.output.map((one) => one.action === "start"), name: `${machine} migrates` },
      ),
      machineMigrated(
        plan.output.map(({ name }) => ({ kubeconfig, machine, from, migration: name, deadlineSeconds })),
        { when: plan.output.map((one) => one.action !== "none"), name: `${machine} has left ${from}` },
      ),
    ];
  },
);

function migrationObject(migration: string, machine: string) {
  const [namespace = "", name = ""] = migration.split("/");
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstanceMigration",
    metadata: { name, namespace },
    spec: { vmiName: machine.split("/")[1] ?? "" },
  };
}

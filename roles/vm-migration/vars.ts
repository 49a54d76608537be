import { seconds, z } from "../../src/authoring.ts";

const machineForm = "a virtual machine: NAMESPACE/NAME";

/** The live migration of one virtual machine. */
export const vmMigrationSchema = z
  .strictObject({
    kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
    machine: z
      .string({ error: machineForm })
      .regex(/^[a-z0-9-]+\/[a-z0-9][a-z0-9.-]*$/, machineForm)
      .describe("The machine: `default/web`"),
    action: z
      .enum(["migrate", "abort"])
      .default("migrate")
      .describe("Whether to migrate the machine or abort its migration"),
    from: z
      .string()
      .min(1)
      .optional()
      .describe("For `migrate`: the node to move the machine away from. A machine on a different node is not moved"),
    deadlineSeconds: seconds().default(3600).describe("Seconds after which furrow stops waiting for the migration"),
  })
  .refine(({ action, from }) => action === "abort" || from !== undefined, {
    path: ["from"],
    message: "the name of the node that the machine leaves",
  })
  .refine(({ action, from }) => action === "migrate" || from === undefined, {
    path: ["from"],
    message: "no node with action=abort, which ends the migration wherever the machine is",
  });

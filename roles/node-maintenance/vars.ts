import { seconds, z } from "../../src/authoring.ts";

const machineForm = "a virtual machine: NAMESPACE/NAME";

/** The vars for the maintenance of one node of a Harvester cluster. */
export const nodeMaintenanceSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
  node: z.string().min(1).describe("Name of the node, as the cluster lists it"),
  action: z.enum(["enter", "leave"]).describe("Whether the node enters maintenance or leaves it"),
  shutDown: z
    .array(z.string({ error: machineForm }).regex(/^[a-z0-9-]+\/[a-z0-9][a-z0-9.-]*$/, machineForm))
    .default([])
    .describe(
      "Virtual machines that may be shut down, listed individually: '[\"default/gpu\"]'; all others must migrate",
    ),
  acceptOutOfReach: z
    .array(z.string().min(1))
    .default([])
    .describe("Volumes whose only healthy replica is on the node, and that may be unavailable, listed individually"),
  deadlineSeconds: seconds().default(3600).describe("Seconds after which furrow stops waiting for machines to leave"),
});

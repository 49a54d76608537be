import { z } from "../../src/authoring.ts";

/** The vars of each role that manages settings of a Harvester cluster. */
export const settingsParams = {
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
  fieldManager: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
    .default("furrow-settings")
    .describe("Name under which the cluster records what furrow owns; do not change it"),
} as const;

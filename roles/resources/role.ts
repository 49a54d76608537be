import { role, z } from "../../src/authoring.ts";
import { machineResources } from "./machines.ts";
import { nodeResources } from "./nodes.ts";
import { overcommitment } from "./overcommit.ts";
import { spareNodes } from "./spare-nodes.ts";
import { storageResources } from "./storage.ts";

/** The vars of reports that only query a cluster. */
export const reportSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller; read permission is enough"),
});

/** Reports the capacity of a Harvester cluster, how much of it is promised, and how much remains. Changes nothing. */
export const resources = role(
  {
    name: "resources",
    summary: "Report nodes, virtual machines, storage and over-commitment, and change nothing",
    params: reportSchema,
  },
  ({ kubeconfig }) => [
    nodeResources({ kubeconfig }),
    machineResources({ kubeconfig }),
    storageResources({ kubeconfig }),
    overcommitment({ kubeconfig }),
    spareNodes({ kubeconfig }),
  ],
);

import { kubernetes, refuse, task, z } from "../../src/authoring.ts";
import { apiPaths, listed, runningMachines, volumesThat } from "../node-removal/cluster-objects.ts";

const params = z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") });

/** Refuses to shut down a cluster with running virtual machines or attached volumes. */
export const noWorkloads = task({
  name: "noWorkloads",
  summary: "Refuse to switch off a cluster that is in use",
  params,
  examples: [],
  title: () => "nothing runs on the cluster",
})
  .facts((p) => ({
    machines: kubernetes(p.kubeconfig, apiPaths.machines),
    volumes: kubernetes(p.kubeconfig, apiPaths.volumes),
  }))
  .want((_p, { machines, volumes }) => {
    const running = runningMachines(machines);
    if (running.length > 0) {
      return refuse({
        code: "machines-running",
        message: `virtual machines run: ${listed(running)}`,
        hint: "Shut them down first, or set force=true",
      });
    }
    const attached = volumesThat(volumes, ({ state }) => state === "attached" || state === "attaching");
    if (attached.length === 0) return {};
    return refuse({
      code: "volumes-attached",
      message: `volumes are in use: ${listed(attached)}`,
      hint: "Stop what uses them (including add-ons such as rancher-monitoring), or set force=true",
    });
  })
  .steps(() => []);

import { kubernetes, task, z } from "../../src/authoring.ts";
import { apiPaths, listed, nodesOf, runningMachines, volumesThat } from "../node-removal/cluster-objects.ts";

const params = z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") });

/** Reports the cluster's own view of its nodes, virtual machines and volumes. */
export const kubernetesStatus = task({
  name: "kubernetesStatus",
  summary: "Report what the cluster says about its nodes, virtual machines and volumes",
  params,
  examples: [],
  title: () => "status from Kubernetes",
})
  .facts((p) => ({
    nodes: kubernetes(p.kubeconfig, apiPaths.nodes),
    machines: kubernetes(p.kubeconfig, apiPaths.machines),
    volumes: kubernetes(p.kubeconfig, apiPaths.volumes),
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes((_p, { nodes, machines, volumes }) => {
    if ("error" in nodes) return [`Kubernetes does not answer: ${nodes.error.message}`];
    const weak = volumesThat(volumes, ({ robustness }) => robustness === "degraded" || robustness === "faulted");
    const running = runningMachines(machines);
    return [
      ...nodesOf(nodes).map(
        ({ name, ready, roles, cordoned }) =>
          `${name}: ${ready ? "ready" : "not ready"}${cordoned ? ", cordoned" : ""} (${roles.join(", ") || "worker"})`,
      ),
      ...(running.length > 0 ? [`virtual machines run: ${listed(running)}`] : []),
      ...(weak.length > 0 ? [`volumes lack replicas: ${listed(weak)}`] : []),
    ];
  });

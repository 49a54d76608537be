import { role, z } from "../../src/authoring.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { clusterNodes } from "../cluster/nodes.ts";
import { fetchedStages } from "../cluster-ready/fetched.ts";
import { kubeconfigPath } from "../kubeconfig/role.ts";
import { maintenanceShown } from "../maintenance/tasks.ts";
import { kubernetesStatus } from "./cluster-nodes.ts";
import { clusterStatus, nodeStatus } from "./node-status.ts";

/** Reports the state of the cluster. Changes nothing, in check mode or in a run. */
export const status = role(
  {
    name: "status",
    summary: "Report the state of the nodes and the cluster, and change nothing",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) => [
    maintenanceShown({}),
    clusterNodes(cluster).map((node) => nodeStatus({ stages: fetchedStages(cluster, node), node })),
    clusterStatus({ url: `https://${cluster.network.vip}/ping` }),
    cluster.kubeconfig !== false && kubernetesStatus({ kubeconfig: kubeconfigPath(cluster) }),
  ],
);

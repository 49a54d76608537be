/**
 * Reinstalls one node in a Harvester cluster: `--var node=2`. The old node leaves the cluster, its virtual machine and
 * disk image are deleted, and a new node joins with the same name and address; it always joins the existing cluster,
 * even as node 1. Refuses if the cluster cannot do without the node in the meantime, or if the cluster's answers are
 * incomplete. Refuses if data that exists only on this node would be lost, even if the node is already down, and lists
 * that data; `acceptLoss` lists what may be lost. If a run is interrupted, a rerun continues it. Vars: those of
 * harvester.ts, `node` and `acceptLoss`.
 */
import { playbook } from "furrow";
import * as t from "furrow/tasks";
import { bootServer } from "../roles/boot-server/role.ts";
import { fingerprintPath, rebuiltMarker, removedMarker } from "../roles/cluster/places.ts";
import { nodeReady } from "../roles/cluster-ready/role.ts";
import { nodeDomain } from "../roles/harvester-nodes/role.ts";
import { clusterHere, tracesOfCluster } from "../roles/identity/cluster-here.ts";
import { fingerprint, identified } from "../roles/identity/role.ts";
import { kubeconfigPath } from "../roles/kubeconfig/role.ts";
import { nodeReadyInCluster } from "../roles/node-removal/node-gone.ts";
import { maintenanceEnded } from "../roles/maintenance/tasks.ts";
import { nodeNumber, nodeRemoval } from "../roles/node-removal/role.ts";
import { removalSchema } from "../roles/node-removal/vars.ts";

export default playbook({
  name: "Replace a node in a Harvester cluster",
  vars: removalSchema("Number of the node to reinstall"),
  plays: [
    {
      name: "Remove the old node",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, host }) => {
        const { name } = nodeNumber(cluster, cluster.node);
        const same = identified(cluster, cluster.publicAddress ?? host.address, { acts: true, installs: true });
        const { kubeconfig } = same;
        return [
          clusterHere(tracesOfCluster(cluster)),
          same.tasks,
          nodeRemoval({
            cluster,
            kubeconfig,
            node: name,
            by: "harvester-replace-node",
            acceptLoss: cluster.acceptLoss,
          }),
          t.file({ path: fingerprintPath(name), state: "absent" }),
        ];
      },
    },
    {
      name: "Let the new node join",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster, facts, host }) => {
        const node = nodeNumber(cluster, cluster.node);
        const publicAddress = cluster.publicAddress ?? host.address;
        const deadlineSeconds = cluster.ready === false ? 2700 : cluster.ready.deadlineSeconds;
        return [
          t.file({ path: rebuiltMarker(node.name), content: "" }),
          bootServer({ cluster, facts, publicAddress }),
          nodeDomain(cluster, node),
          nodeReady(cluster, node, "kubelet"),
          nodeReadyInCluster({ kubeconfig: kubeconfigPath(cluster), node: node.name, deadlineSeconds }),
          fingerprint({ cluster, node, publicAddress }),
        ];
      },
    },
    {
      name: "Clear up",
      hosts: "all",
      become: true,
      tasks: ({ vars: cluster }) => [
        t.file({ path: removedMarker(nodeNumber(cluster, cluster.node).name), state: "absent" }),
        maintenanceEnded({ node: nodeNumber(cluster, cluster.node).name }),
      ],
    },
  ],
});

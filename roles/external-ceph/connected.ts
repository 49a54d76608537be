import { refuse, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { matchingNodes } from "../vm-networks/matching.ts";
import { clusterPath, type ClusterState, clusterState } from "./cluster-state.ts";

/** Waits until Rook is connected to the Ceph cluster, and then reports the status that Rook shows. */
export const cephConnected = task({
  name: "cephConnected",
  summary: "Wait until Rook is connected to a Ceph cluster",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    namespace: z.string().describe("Namespace of the connection"),
    cluster: z.string().describe("Name of the CephCluster"),
    fsid: z.string().describe("Id of the Ceph cluster"),
    intervalSeconds: seconds().default(2).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(600).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ namespace, cluster }) => `${namespace}/${cluster} is connected to Ceph`,
})
  .facts((p) => ({ cluster: askObject(p.kubeconfig, clusterPath(p.namespace, p.cluster)) }))
  .want((p, now) =>
    decideOnObject(
      now.cluster,
      { kind: "CephCluster", name: p.cluster },
      "whether Rook is connected to Ceph",
      (own) => {
        const { isConnected, fsid } = clusterState(own);
        if (isConnected && (fsid === undefined || fsid === p.fsid)) return {};
        return refuse({
          code: "not-connected",
          message: isConnected
            ? `Rook is connected to the Ceph cluster ${fsid}, not to ${p.fsid}`
            : `Rook is not connected to Ceph: ${whyNot(clusterState(own))}`,
          hint: "Check the keys, and that the nodes reach the monitors; see the log of the pod rook-ceph-operator",
        });
      },
    ),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "Rook to connect to Ceph",
  }))
  .notes((p, now) => {
    const look = lookAtObject(now.cluster, { kind: "CephCluster", name: p.cluster });
    if (!("seen" in look)) return [];
    const { fsid, health } = clusterState(look.seen);
    return [
      ...(health === undefined ? [] : [`Ceph says ${health}`]),
      ...(fsid === undefined
        ? ["Rook does not report which Ceph cluster it is connected to; only the monitors were compared"]
        : []),
    ];
  });

function whyNot({ phase, message, error }: ClusterState): string {
  const is = phase === "Connected" ? "" : phase || "it has not started";
  return [is, message, error].filter(Boolean).join(": ") || "its last check of Ceph failed";
}

const lists = ["nodes", "csiNodes"] as const;

/** Waits until the CSI drivers run on every node on which machines can run. */
export const driversRegistered = task({
  name: "driversRegistered",
  summary: "Wait until the nodes have the CSI drivers",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    drivers: z.array(z.string()).describe("Names of the drivers"),
    intervalSeconds: seconds().default(2).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(600).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ drivers }) => `the nodes have the Ceph drivers ${drivers.join(" and ")}`,
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, "which nodes have the drivers", (seen) => {
      const { ready } = nodesOf(seen);
      const lacks = ready.flatMap(({ name }) => {
        const own = seen.csiNodes.find((one) => one.name === name)?.drivers ?? [];
        const missing = p.drivers.filter((driver) => !own.includes(driver));
        return missing.length === 0 ? [] : [`${name} lacks ${missing.join(" and ")}`];
      });
      if (lacks.length === 0 && ready.length > 0) return {};
      return refuse({
        code: "no-driver",
        message: lacks.length === 0 ? "no node is ready" : lacks.join("; "),
        hint: "Look at the drivers' pods on these nodes; they cannot start without the kernel module rbd, or ceph for CephFS",
      });
    }),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "the drivers to run on the nodes",
  }))
  .notes((_p, now) => {
    const look = lookAt(now, ...lists);
    const left = "seen" in look ? nodesOf(look.seen).others : [];
    return [
      ...(left.length === 0
        ? []
        : [`nodes that were not checked, because they are not ready or are tainted: ${left.join(", ")}`]),
      "the API does not show whether the nodes are prepared for their next boot; ops/external-ceph-nodes checks this",
    ];
  });

/**
 * The nodes whose drivers are checked, and the others. Rook's drivers tolerate no taints, and a witness has no volumes.
 */
function nodesOf({ nodes }: Pick<Seen<"nodes">, "nodes">) {
  const all = matchingNodes(nodes, { nodes: {} });
  const ready = all.filter((one) => one.ready && !one.tainted);
  return { ready, others: all.filter((one) => !ready.includes(one)).map(({ name }) => name) };
}

import { type KubernetesAnswer, type Refusal, refuse, task, z } from "../../src/authoring.ts";
import { sealedFieldValue } from "../../src/facts/catalogue.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { clusterPath, type ClusterState, clusterState } from "./cluster-state.ts";

const definitionName = "cephclusters.ceph.rook.io";

/** The API path of Rook's CustomResourceDefinition for CephCluster. */
export const definitionPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definitionName}`;

/** Finds out whether a cluster has Rook's resource kinds. Without these, the cluster cannot have a CephCluster. */
export const rookDefined = task({
  name: "rookDefined",
  summary: "Find out whether a cluster has Rook's kinds",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "whether Rook is installed",
})
  .facts((p) => ({ definition: askObject(p.kubeconfig, definitionPath) }))
  .want((_p, now) =>
    decideOnObject(
      now.definition,
      { kind: "CustomResourceDefinition", name: definitionName },
      "whether the cluster has Rook's kinds",
      () => ({}),
    ),
  )
  .steps(() => [])
  .outputs((_p, { definition }) => "found" in definition && definition.found);

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  namespace: z.string().describe("Namespace of the connection"),
  cluster: z.string().describe("Name of the CephCluster"),
  fsid: z.string().describe("Expected id of the Ceph cluster"),
});

const secretName = "rook-ceph-mon";

const secretPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/secrets/${secretName}`;

/**
 * Refuses to point an existing connection at a different Ceph cluster: its volumes would be lost. A Ceph cluster that
 * Rook itself runs is refused too.
 */
export const sameCeph = task({
  name: "sameCeph",
  summary: "Refuse to connect volumes to another Ceph cluster",
  params,
  examples: [],
  title: ({ namespace, cluster }) => `${namespace}/${cluster} connects to no other Ceph cluster`,
})
  .facts((p) => ({
    cluster: askObject(p.kubeconfig, clusterPath(p.namespace, p.cluster)),
    secret: askObject(p.kubeconfig, secretPath(p.namespace), ["data"]),
  }))
  .want((p, now) =>
    decideOnObject(
      now.cluster,
      { kind: "CephCluster", name: p.cluster },
      `which Ceph cluster ${p.namespace}/${p.cluster} connects to`,
      (own) => {
        if (own === undefined) return {};
        const { isExternal, fsid } = clusterState(own);
        if (!isExternal)
          return refuse({
            code: "own-ceph",
            message: `${p.namespace}/${p.cluster} is a Ceph cluster that Rook runs in this cluster`,
            hint: "Set ceph.namespace and ceph.name to other values: this playbook does not change that Ceph cluster",
          });
        if (fsid === undefined) return sameSecret(p, now.secret, clusterState(own));
        if (fsid === p.fsid) return {};
        return refuse({
          code: "other-ceph",
          message: `${p.namespace}/${p.cluster} connects to the Ceph cluster ${fsid}, not to ${p.fsid}: its volumes would be lost`,
          hint: "Correct ceph.fsid, or set ceph.namespace to another value for a second Ceph cluster",
        });
      },
    ),
  )
  .steps(() => []);

/**
 * Compares the id in the Secret that Rook was given, because the CephCluster's status contains no id while Rook cannot
 * query Ceph. Rook can connect only with this Secret. If it does not exist, Rook has never connected, unless the status
 * says otherwise.
 */
function sameSecret(p: z.output<typeof params>, secret: KubernetesAnswer, { phase }: ClusterState): object | Refusal {
  const question = `which Ceph cluster ${p.namespace}/${p.cluster} connects to`;
  return decideOnObject(secret, { kind: "Secret", name: secretName }, question, (own): object | Refusal => {
    if (own === undefined && ["", "Connecting"].includes(phase)) return {};
    const { data } = z.looseObject({ data: z.looseObject({ fsid: z.string() }) }).safeParse(own);
    if (data?.data.fsid === sealedFieldValue(Buffer.from(p.fsid).toString("base64"))) return {};
    const place = `the Secret ${p.namespace}/${secretName}`;
    const names = data === undefined ? "does not name one" : `names one other than ${p.fsid}`;
    return refuse({
      code: "other-ceph",
      message: `${p.namespace}/${p.cluster} does not show which Ceph cluster it connects to, and ${place} ${names}: its volumes could be lost`,
      hint: `Correct ceph.fsid; if no volume uses this connection, delete the CephCluster and ${place}, and rerun`,
    });
  });
}

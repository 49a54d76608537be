import type { INamespace } from "kubernetes-models/v1/Namespace";
import type { ISecret } from "kubernetes-models/v1/Secret";
import type { IServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import type { IRole } from "kubernetes-models/rbac.authorization.k8s.io/v1/Role";
import type { IRoleBinding } from "kubernetes-models/rbac.authorization.k8s.io/v1/RoleBinding";
import { mapTexts, type Secret } from "../../src/authoring.ts";
import type { CephCluster } from "../../src/kubernetes/index.ts";
import type { ExternalCeph } from "./ceph.ts";

const rbac = "rbac.authorization.k8s.io";

/**
 * The namespace of the connection, and the operator's permissions there (deploy/examples/common-external.yaml in
 * rook/rook, commit 8b6e2c79). Empty if the connection uses the operator's own namespace, which the operator's
 * manifests create.
 */
export function namespaceObjects({ rook, ceph: { namespace } }: ExternalCeph) {
  if (namespace === rook.namespace) return [];
  const account = (name: string) =>
    ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } }) satisfies IServiceAccount;
  const binding = (name: string, kind: string, subject: string, subjectNamespace: string) =>
    ({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name, namespace },
      roleRef: { apiGroup: rbac, kind, name },
      subjects: [{ kind: "ServiceAccount", name: subject, namespace: subjectNamespace }],
    }) satisfies IRoleBinding;
  const reporter = "rook-ceph-cmd-reporter";
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } satisfies INamespace,
    account(reporter),
    account("rook-ceph-default"),
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { name: reporter, namespace },
      rules: [
        {
          apiGroups: [""],
          resources: ["pods", "configmaps"],
          verbs: ["get", "list", "watch", "create", "update", "delete"],
        },
      ],
    } satisfies IRole,
    binding("rook-ceph-cluster-mgmt", "ClusterRole", "rook-ceph-system", rook.namespace),
    binding(reporter, "Role", reporter, namespace),
  ];
}

const base64 = (plain: Secret | string): string =>
  mapTexts([String(plain)], ([value]) => Buffer.from(value).toString("base64"));

/** The names of the Secrets that Rook's CSI drivers use; they do not contain the Ceph users' names. */
export const secretNames = {
  rbdNode: "rook-csi-rbd-node",
  rbdProvisioner: "rook-csi-rbd-provisioner",
  cephfsNode: "rook-csi-cephfs-node",
  cephfsProvisioner: "rook-csi-cephfs-provisioner",
} as const;

/**
 * The Secrets that deploy/examples/import-external-cluster.sh of rook/rook creates. For CephFS, the script of v1.12
 * writes `adminID` and `adminKey`; the script of commit 02c19716 writes `userID` and `userKey`.
 */
export function secretObjects({ ceph, rbd, cephfs, keys }: ExternalCeph) {
  const secret = (name: string, data: Readonly<Record<string, Secret | string>>) =>
    ({
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/rook",
      metadata: { name, namespace: ceph.namespace },
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
    }) satisfies ISecret;
  const user = (name: keyof typeof secretNames, id: string, asAdmin = false) => {
    const { [name]: key = "" } = keys;
    const admin = { adminID: id, adminKey: key };
    return secret(secretNames[name], { userID: id, userKey: key, ...(asAdmin && admin) });
  };
  return [
    secret("rook-ceph-mon", {
      "cluster-name": ceph.namespace,
      fsid: ceph.fsid,
      // Rook interprets these values as "there is no administrator key".
      "admin-secret": "admin-secret",
      "mon-secret": "mon-secret",
      "ceph-username": ceph.user,
      "ceph-secret": keys.healthChecker,
    }),
    ...(rbd === undefined ? [] : [user("rbdNode", rbd.nodeUser), user("rbdProvisioner", rbd.provisionerUser)]),
    ...(cephfs === undefined
      ? []
      : [user("cephfsNode", cephfs.nodeUser, true), user("cephfsProvisioner", cephfs.provisionerUser, true)]),
  ];
}

/** The CephCluster of a Ceph cluster that Rook does not manage (deploy/examples/cluster-external.yaml of rook/rook). */
export function clusterObject({ ceph: { name, namespace } }: Pick<ExternalCeph, "ceph">) {
  return {
    apiVersion: "ceph.rook.io/v1",
    kind: "CephCluster",
    metadata: { name, namespace },
    spec: {
      external: { enable: true },
      crashCollector: { disable: true },
      healthCheck: { daemonHealth: { mon: { disabled: false, interval: "45s" } } },
    },
  } satisfies CephCluster;
}

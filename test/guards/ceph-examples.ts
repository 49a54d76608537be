/** The CSI driver of Rook's block devices. */
export const cephDriver = "rook-ceph.rbd.csi.ceph.com";

/** The id of an example of a Ceph cluster. */
export const fsid = "b3b47828-4c60-11ee-be38-51902f85c805";

/** A storage class. */
export function storageClassOf(name: string, isDefault = false): object {
  const annotations = { "storageclass.kubernetes.io/is-default-class": String(isDefault) };
  return { metadata: { name, annotations } };
}

/** The CSI drivers that a node has. */
export function csiNodeOf(name: string, ...drivers: string[]): object {
  return { metadata: { name }, spec: { drivers: drivers.map((one) => ({ name: one, nodeID: name })) } };
}

/** Rook's connection to an external Ceph cluster. */
export function cephClusterOf(
  name: string,
  { enable = true, status = {} }: { enable?: boolean; status?: object } = {},
): object {
  const ceph = { fsid, health: "HEALTH_OK" };
  const conditions = [{ type: "Connected", status: "True", reason: "ClusterConnected" }];
  const connected = {
    phase: "Connected",
    state: "Connected",
    message: "Cluster connected successfully",
    conditions,
    ceph,
  };
  return {
    kind: "CephCluster",
    metadata: { name, namespace: "rook-ceph-external" },
    spec: { external: { enable } },
    status: { ...connected, ...status },
  };
}

/** Rook's status after a failed `ceph status`: the phase is still Connected. */
export const failedStatus = {
  phase: "Connected",
  state: "Error",
  message: "Failed to configure external ceph cluster",
  conditions: [{ type: "Connected", status: "False", reason: "ClusterConnected" }],
  ceph: { health: "HEALTH_ERR", details: { error: { severity: "Urgent", message: "failed to get status" } } },
};

/** The object that a cluster with Rook returns for this path; undefined for all other paths. */
export function cephSingleOf(path: string): object | undefined {
  const name = path.split("/").at(-1) ?? "";
  if (path.includes("/customresourcedefinitions/"))
    return { kind: "CustomResourceDefinition", metadata: { name }, spec: {} };
  if (path.includes("/cephclusters/")) return cephClusterOf(name);
  if (name === "rook-ceph-mon")
    return { kind: "Secret", metadata: { name }, data: { fsid: Buffer.from(fsid).toString("base64") } };
  if (name === "rook-ceph-mon-endpoints")
    return { kind: "ConfigMap", metadata: { name }, data: { data: "a=192.168.5.99:6789,b=192.168.5.98:6789" } };
  if (name !== "csi-driver-config") return undefined;
  const value = '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot"}}';
  return { kind: "Setting", metadata: { name, resourceVersion: "7" }, value: "", default: value };
}

import { clusterLists, type ListName } from "../../../roles/cluster-answers/answers.ts";
import type { Objects } from "../../guards/examples.ts";
import { apply, read } from "../actors.ts";
import { definition, imageKind, networkKinds, settingKind } from "../harvester-kinds.ts";
import type { ApiServer } from "../server/api-server.ts";

/** The lists whose kinds `harvester-kinds.ts` does not define. */
const ownKinds = [
  "instances",
  "volumes",
  "replicas",
  "longhornNodes",
  "backingImages",
  "longhornSettings",
  "snapshots",
  "orphans",
  "addons",
  "upgrades",
  "etcdSnapshots",
] as const satisfies readonly ListName[];

/** The other lists that the reports query. */
const otherLists = [
  "nodes",
  "pods",
  "machines",
  "persistentVolumes",
  "storageClasses",
  "images",
  "clusterNetworks",
  "networkConfigs",
  "networkStatuses",
  "linkMonitors",
  "vmNetworks",
] as const satisfies readonly ListName[];

const madeLists: ReadonlySet<ListName> = new Set([...ownKinds, ...otherLists]);

/** `longhorn.io/v1beta2` and `volumes`, from the path of a list. */
function partsOf(list: ListName): {
  readonly apiVersion: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
} {
  const { path } = clusterLists[list];
  const [, core, group, version] = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))\//.exec(path) ?? [];
  return {
    apiVersion: core ?? `${group}/${version}`,
    plural: path.split("/").at(-1) ?? "",
    isNamespaced: path.includes("/namespaces/") || ["instances", "addons", "pods"].includes(list),
  };
}

/** Defines the kinds that the reports query. Reports only read, so the server need not check the fields. */
export function makeKinds(server: ApiServer): void {
  const kinds = ownKinds.map((list) => {
    const { apiVersion, plural, isNamespaced } = partsOf(list);
    const [group = "", version = ""] = apiVersion.split("/");
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    return definition(group, version, clusterLists[list].kind, plural, isNamespaced ? "Namespaced" : "Cluster", open);
  });
  apply(server, ...kinds, ...networkKinds, imageKind, settingKind);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  for (const namespace of ["longhorn-system", "harvester-system", "cattle-monitoring-system"])
    apply(server, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
}

interface Example {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly spec?: { readonly containers?: readonly object[] };
  readonly status?: { readonly containerStatuses?: readonly object[] };
}

/** Creates the objects of the examples on a server, with their states. */
export function makeObjects(server: ApiServer, cluster: Partial<Objects>): void {
  const all = (Object.entries(cluster) as [ListName, readonly Example[]][]).filter(([list]) => madeLists.has(list));
  apply(server, ...all.flatMap(([list, objects]) => objects.map((object) => objectOf(list, object))));
  // The server gives each new node this taint; a controller would remove it.
  server.kubectl(["taint", "nodes", "--all", "node.kubernetes.io/not-ready-"]);
  setNodes(server, cluster.nodes ?? []);
  for (const { metadata, status } of (cluster.pods ?? []) as readonly Example[])
    setStatus(server, metadata, "pods", {
      ...status,
      containerStatuses:
        status?.containerStatuses?.map((one) => ({ name: "main", image: "main:1", imageID: "", ...one })) ?? [],
    });
}

/** Gives nodes the states of the examples. */
export function setNodes(server: ApiServer, nodes: readonly object[]): void {
  for (const { metadata, status } of nodes as readonly Example[]) setStatus(server, metadata, "nodes", { ...status });
}

function objectOf(list: ListName, object: Example): object {
  const { apiVersion, isNamespaced } = partsOf(list);
  const { path, kind } = clusterLists[list];
  const namespace = /namespaces\/([^/]+)/.exec(path)?.[1];
  const owners = object.metadata.ownerReferences?.map((owner) => ({ apiVersion: "apps/v1", uid: "1-2", ...owner }));
  const metadata = {
    ...(isNamespaced && namespace !== undefined && { namespace }),
    ...object.metadata,
    ...(owners !== undefined && { ownerReferences: owners }),
  };
  const containers = object.spec?.containers?.map((container) => ({ name: "main", image: "main:1", ...container }));
  const size = { accessModes: ["ReadWriteMany"], capacity: { storage: "10Gi" } };
  const spec = object.spec && {
    ...(list === "persistentVolumes" && size),
    ...object.spec,
    ...(containers !== undefined && { containers }),
  };
  const provisioner = list === "storageClasses" ? { provisioner: "driver.longhorn.io" } : {};
  const { status, ...others } = object;
  // For built-in kinds, the API accepts the status only at a separate path.
  const own = list === "nodes" || list === "pods" ? {} : { status };
  return {
    apiVersion,
    kind,
    ...provisioner,
    ...others,
    ...(status !== undefined && own),
    metadata,
    ...(spec !== undefined && { spec }),
  };
}

function setStatus(
  server: ApiServer,
  { name, namespace }: { readonly name: string; readonly namespace?: string },
  plural: string,
  status: object,
): void {
  const own = namespace === undefined ? [] : [`--namespace=${namespace}`];
  const path = `/api/v1/${namespace === undefined ? "" : `namespaces/${namespace}/`}${plural}/${name}/status`;
  const whole = { ...(read(server, plural, name, ...own) as object), status };
  server.kubectl(["replace", "--raw", path, "--filename=-"], JSON.stringify(whole));
}

/** Lets the guest read everything, and write nothing. */
export function allowReading(server: ApiServer): void {
  apply(
    server,
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "reader" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "guest" }],
    },
  );
}

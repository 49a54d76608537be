import { type Actor, apply, kubeVirt, read } from "../kube/actors.ts";
import { deployments } from "../kube/ceph/rook-actors.ts";
import type { ApiServer } from "../kube/server/api-server.ts";
import { dataVolumeKind, machineKinds } from "./kinds.ts";
import { rke2Multus } from "./manifests.ts";

interface Things {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly uid: string;
      readonly generation?: number;
    };
  }[];
}

/** The objects of a kind, or none if the cluster does not have the kind yet. */
function all(server: ApiServer, kind: string, definition?: string): Things["items"] {
  if (definition !== undefined && !definitions(server).includes(definition)) return [];
  try {
    return (read(server, kind, "--all-namespaces") as Things).items;
  } catch {
    // The kind's definition may have been removed, or may not be served yet.
    return [];
  }
}

const definitions = (server: ApiServer): string => server.kubectl(["get", "crd", "--output=name"]);

function statusOf(
  server: ApiServer,
  kind: string,
  { name, namespace }: Things["items"][0]["metadata"],
  status: object,
) {
  const within = namespace === undefined ? [] : [`--namespace=${namespace}`];
  server.kubectl(["patch", kind, name, ...within, "--type=merge", `--patch=${JSON.stringify({ status })}`]);
}

const available = { conditions: [{ type: "Available", status: "True", reason: "x", message: "" }] };

/** An operator: once its own object exists, it defines its other kinds and reports that it is available. */
const operator =
  (kind: string, definition: string, ...defines: readonly object[]): Actor =>
  (server, done) => {
    for (const { metadata } of all(server, kind, definition)) {
      if (done.has(metadata.uid)) continue;
      apply(server, ...defines);
      statusOf(server, kind, metadata, available);
      done.add(metadata.uid);
    }
  };

/** RKE2's own Multus: its chart is installed once there is a server, if `cni` requests it. */
export const multusChart: Actor = (server, done) => {
  if (all(server, "nodes").length === 0 || done.has("multus chart")) return;
  if (all(server, "daemonsets").length > 0) return;
  apply(server, ...rke2Multus);
  done.add("multus chart");
};

/** Kubernetes: a DaemonSet runs on every node a moment after it is created. */
export const daemonSets: Actor = (server, done) => {
  for (const { metadata } of all(server, "daemonsets")) {
    const count = all(server, "nodes").length;
    const scheduled = `${metadata.uid} on ${count}`;
    if (done.has(scheduled)) continue;
    done.add(scheduled);
    const path = `/apis/apps/v1/namespaces/${metadata.namespace}/daemonsets/${metadata.name}`;
    const status = {
      observedGeneration: metadata.generation,
      desiredNumberScheduled: count,
      currentNumberScheduled: count,
      numberReady: count,
      numberMisscheduled: 0,
    };
    const object = { ...(JSON.parse(server.kubectl(["get", "--raw", path])) as object), status };
    server.kubectl(["replace", "--raw", `${path}/status`, "--filename=-"], JSON.stringify(object));
  }
};

/** CDI: a volume is filled a moment after it is created. */
export const importer: Actor = (server, done) => {
  for (const { metadata } of all(server, "datavolumes", "datavolumes.cdi.kubevirt.io")) {
    if (done.has(metadata.uid)) continue;
    statusOf(server, "datavolume", metadata, { phase: "Succeeded", progress: "100.0%" });
    done.add(metadata.uid);
  }
};

/** KubeVirt's machines, once it has defined them. */
const machines: Actor = (server, done) => {
  if (all(server, "virtualmachines", "virtualmachines.kubevirt.io").length > 0) kubeVirt(server, done);
};

/** All controllers of a cluster, with or without the Multus of RKE2's chart. */
export function controllers({ chart = true } = {}): readonly Actor[] {
  return [
    ...(chart ? [multusChart] : []),
    daemonSets,
    deployments,
    operator("kubevirts", "kubevirts.kubevirt.io", ...machineKinds),
    operator("cdis", "cdis.cdi.kubevirt.io", dataVolumeKind),
    importer,
    machines,
  ];
}

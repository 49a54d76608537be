import { failedStatus } from "../../guards/ceph-examples.ts";
import type { ApiServer } from "../server/api-server.ts";
import { type Actor, apply, patch, read } from "../actors.ts";

/** The id of the Ceph cluster that the actors simulate, and the addresses of its monitors. */
export const cephPlayed = {
  fsid: "b3b47828-4c60-11ee-be38-51902f85c805",
  monitors: "ceph-1=192.168.5.99:6789,ceph-2=192.168.5.98:6789,ceph-3=192.168.5.97:6789",
} as const;

/** A key for the health checker; the simulated Ceph cluster refuses this key. */
export const wrongKey = "AQ-wrong-key==";

interface Things {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
    readonly spec?: { readonly external?: { readonly enable?: boolean } };
  }[];
}

/** Kubernetes: a Deployment is available a moment after it is created. */
export const deployments: Actor = (server, done) => {
  const { items } = read(server, "deployments", "--all-namespaces") as Things;
  for (const { metadata } of items) {
    if (done.has(metadata.uid)) continue;
    done.add(metadata.uid);
    const status = {
      observedGeneration: 1,
      conditions: [{ type: "Available", status: "True", reason: "x", message: "", lastTransitionTime: now() }],
    };
    const path = `/apis/apps/v1/namespaces/${metadata.namespace}/deployments/${metadata.name}/status`;
    const object = {
      ...(read(server, "deployment", metadata.name, `--namespace=${metadata.namespace}`) as object),
      status,
    };
    server.kubectl(["replace", "--raw", path, "--filename=-"], JSON.stringify(object));
  }
};

/**
 * Rook's operator in external mode: it connects with the keys and monitors that it finds, reports which Ceph cluster
 * that is, replaces the list of monitors with Ceph's own (handleExternalMonStatus in
 * pkg/operator/ceph/cluster/mon/health.go of rook/rook), and starts the CSI drivers on all nodes.
 */
export const rookOperator: Actor = (server, done) => {
  if (!server.kubectl(["get", "crd", "--output=name"]).includes("cephclusters.ceph.rook.io")) return;
  const { items } = read(server, "cephclusters", "--all-namespaces") as Things;
  for (const { metadata, spec } of items) {
    const { name, namespace, uid } = metadata;
    if (done.has(uid) || spec?.external?.enable !== true) continue;
    done.add(uid);
    const within = `--namespace=${namespace}`;
    const set = (status: object): string =>
      server.kubectl(["patch", "cephcluster", name, within, "--type=merge", `--patch=${JSON.stringify({ status })}`]);
    set({ phase: "Connecting", message: "Attempting to connect to an external Ceph cluster" });
    const { data } = read(server, "secret", "rook-ceph-mon", within) as { data: Readonly<Record<string, string>> };
    const fsid = Buffer.from(data["fsid"] ?? "", "base64").toString();
    const list = JSON.stringify({ data: { data: cephPlayed.monitors, maxMonId: "3", mapping: '{"node":{}}' } });
    server.kubectl(["patch", "configmap", "rook-ceph-mon-endpoints", within, "--type=merge", `--patch=${list}`]);
    startDrivers(server);
    // With a wrong key, Rook reports the same phase.
    if (data["ceph-secret"] === btoa(wrongKey)) set(failedStatus);
    else
      set({
        phase: "Connected",
        state: "Connected",
        message: "Cluster connected successfully",
        conditions: [{ type: "Connected", status: "True", reason: "ClusterConnected" }],
        ceph: { fsid, health: "HEALTH_WARN" },
      });
  }
};

function startDrivers(server: ApiServer): void {
  const { items } = read(server, "nodes") as Things;
  for (const { metadata } of items)
    apply(server, {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSINode",
      metadata: { name: metadata.name },
      spec: {
        drivers: ["rbd", "cephfs"].map((kind) => ({
          name: `rook-ceph.${kind}.csi.ceph.com`,
          nodeID: metadata.name,
          topologyKeys: null,
        })),
      },
    });
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

/** Changes Harvester's setting for CSI drivers, as another program or the web UI does; null removes its value. */
export function setDrivers(server: ApiServer, value: string | null): void {
  patch(server, "settings.harvesterhci.io", "csi-driver-config", { value });
}

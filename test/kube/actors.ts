import { setTimeout as pause } from "node:timers/promises";
import { etcdCondition } from "../guards/examples.ts";
import type { ApiServer } from "./server/api-server.ts";

/** A list, as kubectl prints it, with the fields that the actors read. */
interface Objects {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly uid: string };
    readonly spec: {
      readonly url?: string;
      readonly runStrategy?: string;
      readonly clusterNetwork?: string;
      readonly nodeSelector?: Readonly<Record<string, string>>;
    };
  }[];
}

/**
 * Simulates a controller: called repeatedly until the signal is aborted, with the uids of the objects that it has
 * handled.
 */
export type Actor = (server: ApiServer, done: Set<string>) => void;

/** Runs actors until the signal is aborted. The kinds that the actors use must exist. */
export async function play(server: ApiServer, until: AbortSignal, ...actors: readonly Actor[]): Promise<void> {
  const done = new Set<string>();
  while (!until.aborted) {
    const began = Date.now();
    for (const actor of actors) actor(server, done);
    // While kubectl runs, this process is blocked. A test's proxy in this process may have to answer furrow, so pause
    // as long as kubectl ran.
    await pause(Math.max(300, Date.now() - began));
  }
}

/** The objects of a kind that an actor has not seen yet. */
function fresh(server: ApiServer, kind: string, done: Set<string>): Objects["items"] {
  const { items } = read(server, kind) as Objects;
  const found = items.filter(({ metadata }) => !done.has(metadata.uid));
  for (const { metadata } of found) done.add(metadata.uid);
  return found;
}

/** An object or a list, as kubectl returns it. */
export function read(server: ApiServer, ...argv: readonly string[]): unknown {
  return JSON.parse(server.kubectl(["get", ...argv, "--output=json"]));
}

/** Applies objects with kubectl. */
export function apply(server: ApiServer, ...items: readonly object[]): void {
  server.kubectl(["apply", "--filename=-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}

/** Changes an object with kubectl. */
export function patch(server: ApiServer, kind: string, name: string, change: object): void {
  server.kubectl(["patch", kind, name, "--type=merge", `--patch=${JSON.stringify(change)}`]);
}

/** Creates ready nodes with these labels. */
export function makeNodes(server: ApiServer, nodes: Readonly<Record<string, object>>): void {
  for (const [name, labels] of Object.entries(nodes)) {
    const metadata = { name, labels: { "kubernetes.io/hostname": name, ...labels } };
    apply(server, { apiVersion: "v1", kind: "Node", metadata });
    const votes = "node-role.kubernetes.io/etcd" in labels;
    const ready = { type: "Ready", status: "True", reason: "x", message: "" };
    const status = { conditions: [ready, ...(votes ? [etcdCondition()] : [])] };
    const node = { ...(read(server, "node", name) as object), status };
    server.kubectl(["replace", "--raw", `/api/v1/nodes/${name}/status`, "--filename=-"], JSON.stringify(node));
  }
}

/** Harvester's network controller: it reports, for each node, that a cluster network is ready there. */
export const networkController: Actor = (server, done) => {
  for (const { metadata, spec } of fresh(server, "vlanconfigs", done)) {
    const labels = Object.entries(spec.nodeSelector ?? {}).map(([label, value]) => `${label}=${value}`);
    const nodes = read(server, "nodes", ...(labels.length > 0 ? [`--selector=${labels.join()}`] : [])) as Objects;
    for (const { metadata: node } of nodes.items) {
      apply(server, {
        apiVersion: "network.harvesterhci.io/v1beta1",
        kind: "VlanStatus",
        metadata: { name: `${spec.clusterNetwork}-${node.name}` },
        status: {
          clusterNetwork: spec.clusterNetwork,
          vlanConfig: metadata.name,
          node: node.name,
          conditions: [{ type: "ready", status: "True", lastUpdateTime: new Date(Date.now() + 1000).toISOString() }],
        },
      });
    }
  }
};

/** Harvester's image import: it reports its progress; a URL that contains "broken" eventually fails. */
export const imageImporter: Actor = (server, done) => {
  const kind = "virtualmachineimages.harvesterhci.io";
  for (const { metadata, spec } of fresh(server, kind, done)) {
    const begun = { progress: 60, conditions: [{ type: "Imported", status: "Unknown" }] };
    patch(server, kind, metadata.name, { status: begun });
    const message = "retry attempted 3/3 failed due to error: sha512 does not match";
    const failed = [
      { type: "Imported", status: "False", message },
      { type: "RetryLimitExceeded", status: "True", message },
    ];
    const imported = [{ type: "Imported", status: "True" }];
    const isBroken = spec.url?.includes("broken") === true;
    const storageClassName = `lh-${metadata.name}`;
    patch(server, kind, metadata.name, {
      status: { progress: 100, storageClassName, conditions: isBroken ? failed : imported },
    });
  }
};

/** KubeVirt: a machine that should run is running a moment later. */
export const kubeVirt: Actor = (server, done) => {
  for (const { metadata, spec } of fresh(server, "virtualmachines", done)) {
    const printableStatus = spec.runStrategy === "Halted" ? "Stopped" : "Running";
    patch(server, "virtualmachine", metadata.name, { status: { printableStatus } });
  }
};

/** Harvester's settings: an NFS export is reachable once it is set. */
export const backupTargetController: Actor = (server, done) => {
  const { value } = read(server, "settings.harvesterhci.io", "backup-target") as { value?: string };
  if (value?.includes("nfs") !== true || done.has(value)) return;
  done.add(value);
  const conditions = [{ type: "configured", status: "True" }];
  patch(server, "settings.harvesterhci.io", "backup-target", { status: { conditions } });
};

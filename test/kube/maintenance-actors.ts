import { type Actor, apply, patch, read } from "./actors.ts";
import type { ApiServer } from "./server/api-server.ts";

interface Thing {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly runStrategy?: string; readonly unschedulable?: boolean };
  readonly status: { readonly nodeName?: string; readonly conditions?: readonly { type: string; status: string }[] };
}

const requested = "harvesterhci.io/drain-requested";
const status = "harvesterhci.io/maintain-status";

/** A running machine on a node, as KubeVirt describes it. */
export function runningOn(name: string, nodeName: string, migratable: boolean): object {
  const why = { reason: "HostDeviceNotLiveMigratable", message: "VMI uses a PCI host devices" };
  const conditions = [{ type: "LiveMigratable", status: migratable ? "True" : "False", ...(!migratable && why) }];
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata: { name, namespace: "default" },
    spec: { evictionStrategy: "LiveMigrateIfPossible" },
    status: { phase: "Running", nodeName, conditions },
  };
}

/**
 * KubeVirt stops a machine whose run strategy is Halted, and starts every other machine that is off. Harvester's drain
 * and its maintenance controller (pkg/controller/master/nodedrain and pkg/controller/master/node, v1.8) withdraw a
 * request if there are fewer than three management nodes; otherwise the node is cordoned, its machines migrate, and its
 * annotation says `running` and then `completed`. A machine that cannot migrate blocks the drain.
 */
export const maintenanceControllers: Actor = (server) => {
  const { items } = read(server, "nodes,virtualmachines,virtualmachineinstances") as { items: Thing[] };
  const all = (kind: string): Thing[] => items.filter((one) => one.kind === kind);
  const [nodes, machines, instances] = [all("Node"), all("VirtualMachine"), all("VirtualMachineInstance")];
  for (const { metadata, spec } of machines) {
    const runs = instances.some((one) => one.metadata.name === metadata.name);
    if (spec.runStrategy === "Halted" && runs) server.kubectl(["delete", "virtualmachineinstance", metadata.name]);
    else if (spec.runStrategy !== "Halted" && !runs) apply(server, runningOn(metadata.name, open(nodes), false));
  }
  for (const { metadata } of nodes) {
    const here = instances.filter((one) => one.status.nodeName === metadata.name);
    const state = metadata.annotations ?? {};
    if (requested in state) drain(server, metadata.name, nodes, here);
    else if (state[status] === "running" && here.length === 0)
      annotate(server, metadata.name, { [status]: "completed" });
  }
};

/** A node on which a machine can start: the second one, unless it is cordoned. */
function open(nodes: readonly Thing[]): string {
  const [first, second] = nodes;
  return (second?.spec.unschedulable === true ? first : second)?.metadata.name ?? "";
}

function drain(server: ApiServer, node: string, nodes: readonly Thing[], here: readonly Thing[]): void {
  if (nodes.filter(({ metadata }) => !(status in (metadata.annotations ?? {}))).length !== 3) {
    annotate(server, node, { [requested]: null });
    return;
  }
  patch(server, "node", node, { spec: { unschedulable: true } });
  const free = here.filter((one) =>
    one.status.conditions?.some((own) => own.type === "LiveMigratable" && own.status === "True"),
  );
  const other = nodes.find(({ metadata }) => metadata.name !== node)?.metadata.name;
  for (const { metadata } of free)
    patch(server, "virtualmachineinstance", metadata.name, { status: { nodeName: other } });
  if (free.length === here.length) annotate(server, node, { [requested]: null, [status]: "running" });
}

function annotate(server: ApiServer, node: string, annotations: Readonly<Record<string, string | null>>): void {
  patch(server, "node", node, { metadata: { annotations } });
}

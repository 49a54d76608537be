import type { Seen } from "../cluster-answers/answers.ts";
import type { InstanceObject } from "../cluster-answers/instance-objects.ts";
import { destinationsOf } from "./placement.ts";

/** The label that a machine's owner sets to choose what maintenance does to the machine (pkg/util/constants.go). */
export const strategyLabel = "harvesterhci.io/maintain-mode-strategy";

/** What Harvester does with a machine that has the label; any other value means that it migrates. */
const labelTexts: Readonly<Record<string, string>> = {
  Shutdown: "and leaves it off",
  ShutdownAndRestartAfterEnable: "and starts it on another node once this one is in maintenance",
  ShutdownAndRestartAfterDisable: "and it starts again when the maintenance ends",
};

/** KubeVirt moves a machine whose pod is evicted only with these strategies (spec.evictionStrategy). */
const moving = ["LiveMigrate", "LiveMigrateIfPossible"];

/** What happens to a virtual machine on the node. */
export interface Fate {
  readonly machine: string;
  /** Why it cannot move; undefined if it can. */
  readonly why: string | undefined;
  /** What Harvester does with it because of its label; undefined without one. */
  readonly label: string | undefined;
}

/** Says for each virtual machine on a node whether it can move to another node and, if not, why. */
export function fatesOf(node: string, cluster: Pick<Seen<"nodes" | "instances">, "nodes" | "instances">): Fate[] {
  return cluster.instances
    .filter((one) => one.running && one.node === node)
    .map((one) => ({
      machine: one.name,
      why: whyNot(one, cluster.nodes),
      label: labelTexts[one.labels[strategyLabel] ?? ""],
    }))
    .toSorted((a, b) => (a.machine < b.machine ? -1 : 1));
}

/** Why a machine does not migrate when its node is drained; undefined if it does. */
function whyNot(instance: InstanceObject, nodes: Seen<"nodes">["nodes"]): string | undefined {
  const { eviction } = instance;
  const bound = whyBound(instance);
  if (bound !== undefined) return bound;
  return eviction === undefined || !moving.includes(eviction)
    ? `it has ${eviction === undefined ? "no evictionStrategy" : `the evictionStrategy ${eviction}`}, so it would be stopped instead of moved`
    : whyNowhere(instance, nodes);
}

/** KubeVirt's reason why it cannot live-migrate a machine; undefined if it can. */
export function whyBound({ migratable, phase }: InstanceObject): string | undefined {
  if (migratable === undefined) return `KubeVirt has not reported whether it can migrate (phase ${phase})`;
  if (migratable.status === "True") return undefined;
  return [migratable.reason, migratable.message].filter(Boolean).join(": ") || "KubeVirt gave no reason";
}

/** Why no other node can run a machine; undefined if one can. */
export function whyNowhere(instance: InstanceObject, nodes: Seen<"nodes">["nodes"]): string | undefined {
  return destinationsOf(instance, nodes).length === 0 ? "no other ready node has the labels that it needs" : undefined;
}

/** Says what will happen to a machine. */
export function fateText({ machine, why, label }: Fate, shutDown: readonly string[]): string {
  if (label !== undefined) return `${machine}: Harvester shuts it down because of its label ${strategyLabel}, ${label}`;
  if (shutDown.includes(machine))
    return `${machine} is shut down, because shutDown names it, and starts again when the maintenance ends`;
  return why === undefined ? `${machine} migrates to another node` : `${machine} cannot migrate: ${why}`;
}

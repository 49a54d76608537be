import { type KubernetesAnswer, z } from "../../src/authoring.ts";
import { strategyLabel } from "./fates.ts";
import { type KubeOwner, kubeOwners } from "../../src/facts/catalogue.ts";

/** furrow's annotation on a machine that it has shut down: the node whose maintenance was the reason. */
export const stoppedFor = "furrow/stopped-for-maintenance-of";
/** furrow's annotation on a machine that it has shut down: the machine's earlier `runStrategy`. */
export const earlierStrategy = "furrow/run-strategy-before-maintenance";
/**
 * furrow's annotation on a machine that it has shut down: the earlier owners of `spec.runStrategy`, who get the field
 * back.
 */
const earlierOwners = "furrow/run-strategy-owners-before-maintenance";
/** Harvester's annotation on a machine that it has shut down because of its label (pkg/util/constants.go). */
export const harvesterStoppedFor = "harvesterhci.io/maintain-mode-strategy-node-name";

/**
 * Harvester starts these machines when it ends maintenance (disableMaintenanceMode in pkg/api/node/formatter.go), or
 * once maintenance is reached (pkg/controller/master/node/maintain_controller.go). The latter does not happen if
 * maintenance ends early.
 */
const restartLabels = ["ShutdownAndRestartAfterDisable", "ShutdownAndRestartAfterEnable"];

/**
 * The node for whose maintenance a machine was shut down and will be started again; undefined if there is no such node.
 */
export function nodeStoppedFor({
  annotations,
  labels,
}: Readonly<Record<"annotations" | "labels", Readonly<Record<string, string>>>>): string | undefined {
  const byHarvester = restartLabels.includes(labels[strategyLabel] ?? "");
  return annotations[stoppedFor] ?? (byHarvester ? annotations[harvesterStoppedFor] : undefined);
}

/** The annotations that are removed when a machine starts again. */
export const recordNames = [stoppedFor, earlierStrategy, earlierOwners, harvesterStoppedFor];

/** The field that furrow changes for the maintenance, and later gives back to its earlier owners. */
export const strategyField = ["spec", "runStrategy"];

/** The annotations that record how a machine ran before the maintenance of a node. */
export function recordOf(object: unknown, node: string, strategy: string): Readonly<Record<string, string>> {
  const owners = kubeOwners(object, strategyField);
  return {
    [stoppedFor]: node,
    [earlierStrategy]: strategy,
    ...(owners.length > 0 && { [earlierOwners]: JSON.stringify(owners) }),
  };
}

const owner = z.strictObject({
  manager: z.string().min(1),
  operation: z.enum(["Apply", "Update"]),
  apiVersion: z.string().min(1),
});
const recordedOwners = z.array(owner);
const recorded = z.looseObject({
  object: z.looseObject({ metadata: z.looseObject({ annotations: z.record(z.string(), z.string()) }) }),
});

/** The owners that a machine's annotation names; none if it names none, or is not furrow's. */
export function ownersBefore(answer: KubernetesAnswer | undefined): readonly KubeOwner[] {
  const text = recorded.safeParse(answer).data?.object.metadata.annotations[earlierOwners];
  if (text === undefined) return [];
  try {
    return recordedOwners.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}

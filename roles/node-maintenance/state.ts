import { refuse, type Refusal } from "../../src/authoring.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";

/** The annotation that asks Harvester to drain a node (pkg/util/drainhelper/helper.go in harvester/harvester). */
export const drainRequested = "harvesterhci.io/drain-requested";
/** The annotation that allows Harvester to shut down machines that cannot migrate. furrow never sets it. */
export const drainForced = "harvesterhci.io/drain-forced";
/** The annotation with Harvester's progress, up to v1.8 (pkg/controller/master/node/maintain_controller.go). */
export const maintainStatus = "harvesterhci.io/maintain-status";
/** The taint that Harvester removes at the end of the maintenance (pkg/api/node/formatter.go). */
export const drainTaint = "kubevirt.io/drain";
/** furrow's own annotation on a node: who asked for the maintenance, and when. */
export const askedBy = "furrow/maintenance-asked-by";

/** The progress of a node's maintenance. */
export interface MaintenanceState {
  /** `none`, requested, begun, reached, or abandoned by Harvester, possibly with a half-empty node. */
  readonly is: "none" | "requested" | "running" | "completed" | "failed";
  /** True if only a condition shows this progress, as in versions after v1.8. */
  readonly byCondition: boolean;
  /** Harvester's own message about a failure; empty if it reports none. */
  readonly trouble: string;
}

const conditionStates: Readonly<Record<string, "completed" | "failed">> = { Completed: "completed", Error: "failed" };

/**
 * Reads the progress of a node's maintenance: from annotations, or in later versions of Harvester from a condition. The
 * condition's reason is `Error` if Harvester has given up; its status is then True if the drain had begun, and False if
 * not (the enhancement "status conditions when activating maintenance mode" in harvester/harvester).
 */
export function maintenanceOf({ annotations, maintenance }: NodeObject): MaintenanceState {
  const isTrouble = maintenance?.status === "False" || maintenance?.reason === "Error";
  const trouble = isTrouble ? maintenance.message || maintenance.reason : "";
  const status = annotations[maintainStatus];
  if (status !== undefined)
    return { is: status === "completed" ? "completed" : "running", byCondition: false, trouble };
  if (maintenance?.status === "True")
    return { is: conditionStates[maintenance.reason] ?? "running", byCondition: true, trouble };
  return { is: drainRequested in annotations ? "requested" : "none", byCondition: false, trouble };
}

/**
 * Refuses maintenance that Harvester has given up on: it stays in that state until someone ends it in the Harvester UI.
 */
export function failedMaintenance(own: NodeObject): Refusal | undefined {
  const { is, trouble } = maintenanceOf(own);
  if (is !== "failed") return undefined;
  return refuse({
    code: "maintenance-failed",
    message: `Harvester has given up on the maintenance of ${own.name}, which may be cordoned and half empty: ${trouble}`,
    hint: "End it in the Harvester UI: Hosts, the node's menu, Disable Maintenance Mode; fix the cause, then rerun",
    final: true,
  });
}

/** Refuses a new request while an earlier one's error is stored: Harvester would only cancel it. */
export function keptError({ name, maintenance }: NodeObject): Refusal | undefined {
  if (maintenance?.status !== "False" || maintenance.reason !== "Error") return undefined;
  return refuse({
    code: "maintenance-error",
    message: `Harvester still stores the error of an earlier request for the maintenance of ${name}, and would withdraw a new one: ${maintenance.message || "it gave no reason"}`,
    hint: "Fix the cause, choose Clear Maintenance Mode Error in the Harvester UI (Hosts, the node's menu), then rerun",
  });
}

/** True if a node is one of those that manage the cluster. */
export function isManagement({ roles }: NodeObject): boolean {
  return roles.includes("control-plane") || roles.includes("etcd");
}

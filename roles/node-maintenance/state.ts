import type { NodeObject } from "../cluster-answers/objects.ts";

/** The annotation by which Harvester is asked to empty a node (pkg/util/drainhelper/helper.go in harvester/harvester). */
export const drainRequested = "harvesterhci.io/drain-requested";
/** The annotation that lets Harvester shut down what cannot move. furrow never sets it. */
export const drainForced = "harvesterhci.io/drain-forced";
/** The annotation with Harvester's progress, up to v1.8 (pkg/controller/master/node/maintain_controller.go). */
export const maintainStatus = "harvesterhci.io/maintain-status";
/** The taint that Harvester removes at the end of the maintenance (pkg/api/node/formatter.go). */
export const drainTaint = "kubevirt.io/drain";
/** furrow's own annotation on a node: who asked for the maintenance, and when. */
export const askedBy = "furrow/maintenance-asked-by";

/** How far the maintenance of a node is. */
export interface MaintenanceState {
  /** `none`, asked for, begun, or reached. */
  readonly is: "none" | "requested" | "running" | "completed";
  /** True if only a condition says so, as in versions after v1.8. */
  readonly byCondition: boolean;
  /** Harvester's own words about a failure; empty if it reports none. */
  readonly trouble: string;
}

/** Reads how far the maintenance of a node is: from annotations, or in later versions of Harvester from a condition. */
export function maintenanceOf({ annotations, maintenance }: NodeObject): MaintenanceState {
  const trouble = maintenance?.status === "False" ? maintenance.message || maintenance.reason : "";
  const status = annotations[maintainStatus];
  if (status !== undefined)
    return { is: status === "completed" ? "completed" : "running", byCondition: false, trouble };
  if (maintenance?.status === "True")
    return { is: maintenance.reason === "Completed" ? "completed" : "running", byCondition: true, trouble };
  return { is: drainRequested in annotations ? "requested" : "none", byCondition: false, trouble };
}

/** True if a node is one of those that manage the cluster. */
export function isManagement({ roles }: NodeObject): boolean {
  return roles.includes("control-plane") || roles.includes("etcd");
}

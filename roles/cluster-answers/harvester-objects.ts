import { z } from "../../src/authoring.ts";
import { doubledCondition, isEachOnce } from "./contradictions.ts";

const name = z.string().min(1);

const condition = z.looseObject({
  type: name,
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().default(""),
  message: z.string().default(""),
});

const nodeStatus = z.looseObject({
  state: z.string().default(""),
  reason: z.string().default(""),
  message: z.string().default(""),
});

/** The label in which Harvester stores the state of an upgrade (pkg/controller/master/upgrade/job_controller.go). */
const stateLabel = "harvesterhci.io/upgradeState";

/**
 * An upgrade of Harvester (pkg/apis/harvesterhci.io/v1beta1/upgrade.go). An upgrade that was just created has no state
 * and no status.
 */
export const upgradeSchema = z
  .looseObject({
    metadata: z.looseObject({
      name,
      creationTimestamp: z.iso.datetime(),
      labels: z.record(z.string(), z.string()).default({}),
    }),
    spec: z.looseObject({ version: z.string() }),
    status: z
      .looseObject({
        conditions: z.array(condition).refine(isEachOnce, doubledCondition).default([]),
        nodeStatuses: z.record(z.string(), nodeStatus).default({}),
      })
      .default({ conditions: [], nodeStatuses: {} }),
  })
  .transform(({ metadata: { name: own, creationTimestamp, labels }, spec, status }) => ({
    name: own,
    /** The version that the cluster is being upgraded to; empty if the upgrade was started from an image. */
    version: spec.version,
    created: creationTimestamp,
    /** What Harvester is doing: `PreparingNodes`; empty if the upgrade has not begun. */
    state: labels[stateLabel] ?? "",
    /** Any other state, including one that a later release may add, means that the upgrade has not finished. */
    outcome: labels[stateLabel] === "Succeeded" || labels[stateLabel] === "Failed" ? labels[stateLabel] : undefined,
    conditions: status.conditions,
    nodes: Object.entries(status.nodeStatuses).map(([node, one]) => ({ node, ...one })),
  }));

/** The parts of an upgrade that the guards use. */
export type UpgradeObject = z.output<typeof upgradeSchema>;

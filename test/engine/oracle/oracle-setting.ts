import type { Json } from "../../../src/core/facts/fact.ts";
import type { CallStep, FetchStep, StepResult } from "../../../src/core/host/step.ts";
import type { PlannedGroup } from "../../../src/engine/plan/plan.ts";

/** The controller as the naive executor sees it, with fixed answers instead of drivers. */
export interface NaiveController {
  read(driver: string, request: Json): unknown;
  act(host: string, step: CallStep | FetchStep): readonly StepResult[];
}

/** The inputs of a naive executor other than its hosts. */
export interface OracleSetting {
  readonly controller?: NaiveController;
  /** Runs a group on one host on behalf of all; throws Failed if the group fails on that host. */
  readonly once?: (group: PlannedGroup, act: () => Promise<void>) => Promise<void>;
}

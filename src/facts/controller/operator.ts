import { type ControllerFact, onlyRead } from "../../core/facts/fact.ts";

/** Who is running furrow, and when the run started. */
export interface Operator {
  /** The account and the machine: `me@laptop`. */
  readonly who: string;
  /** When this run of furrow started, as an ISO 8601 time in UTC. The time stays the same during the run. */
  readonly since: string;
}

/** Asks who runs furrow on the controller, and when this run started. */
export function operator(): ControllerFact<Operator> {
  return onlyRead({ driver: "operator", request: {} });
}

import type { FactPattern, Json } from "../facts/fact.ts";
import type { StepResult } from "./step.ts";

/** Answers one type of controller fact and performs calls of that type. The command line registers the drivers. */
export interface Driver {
  readonly name: string;
  /** Answers a fact's request; throws FurrowError E_DRIVER or E_FACT. */
  read(request: Json, signal: AbortSignal): Promise<unknown>;
  /**
   * Resolves when the answer to a fact's request may no longer be `found`, so that a wait need not poll. Rejects if
   * changes cannot be observed; the wait then polls at its own interval. Without this function, the wait always polls.
   */
  changed?(request: Json, found: unknown, signal: AbortSignal): Promise<void>;
  /**
   * For a driver that only reads from the controller: patterns of the facts that affect the answer if the host is the
   * controller itself. Such a request may be answered before its task's turn, unless an earlier task changes one of
   * these facts. Default: never.
   */
  ahead?(request: Json): readonly FactPattern[];
  /**
   * Performs a call step's request. The return value becomes the step's value or, if it is a RanCommand, the step's
   * result. While the call waits, the driver calls `say` with a sentence about what it is waiting for.
   */
  call?(request: Json, signal: AbortSignal, say?: (text: string) => void): Promise<unknown>;
  /**
   * Checks whether a call step's request would be accepted, without performing it. Check mode does this for each
   * planned call, and a run does it before its first change. `earlier`: the requests that earlier steps of the plan
   * make. Throws FurrowError if the call would be refused. Returns the reason why the call, or a part of it, cannot be
   * checked yet; undefined if it would be accepted.
   */
  rehearse?(request: Json, signal: AbortSignal, earlier: readonly Json[]): Promise<string | undefined>;
  /** The permissions that the service requires for a fact's request, or for a call step's. Default: none. */
  permissions?(request: Json, use: "read" | "call"): readonly Permission[];
}

/** The return value of a call that has run a command: the result of the call's step, which includes a value. */
export class RanCommand {
  readonly result: StepResult;

  constructor(result: StepResult) {
    this.result = result;
  }
}

/** The return value of a call that has run a command; the command's output is then treated like that of any step. */
export function ranCommand(result: StepResult, value: unknown): RanCommand {
  return new RanCommand({ ...result, value });
}

/** A permission that the credentials must have. */
export interface Permission {
  /** As the service names it: `ec2:RunInstances`, `compute.instances.create`. */
  readonly name: string;
  /** The project in which the permission must be granted, for services that have projects. */
  readonly project?: string;
  /**
   * The resource on which the permission must be granted, if that is not the project:
   * `projects/p/serviceAccounts/web@…`.
   */
  readonly on?: string;
  /** True if the run creates that resource, so permissions can be granted only on the resource above it. */
  readonly isNew?: boolean;
  /** For Amazon: patterns for the ARNs of the resources that the permission must cover; default: all. */
  readonly resources?: readonly string[];
  /**
   * The condition under which the permission is needed, as in Amazon's policies:
   * `{ StringEquals: { "ec2:CreateAction": … } }`.
   */
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Finds a driver by name; throws FurrowError E_DRIVER if the name is unknown. */
export type DriverLookup = (name: string) => Promise<Driver>;

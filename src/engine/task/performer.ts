import type { Values } from "../../core/evaluate.ts";
import type { FactChange } from "../../core/events.ts";
import type { Fact, FactPattern } from "../../core/fact.ts";
import type { Host } from "../host/host.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import type { PlannedTask } from "../plan/plan.ts";
import type { FurrowError } from "../../core/errors.ts";
import type { StepResult } from "../../core/step.ts";

/** The result of a task's steps. */
export interface Performed {
  readonly results: readonly StepResult[];
  readonly failed: FurrowError | undefined;
  /** Errors of facts read after the steps, by fact id. */
  readonly errors: Map<string, FurrowError>;
}

/** The result of a task's steps, and what reports say about the change. */
export interface Acted extends Performed {
  readonly changes: readonly FactChange[];
  /** Values that were read after the steps, by fact id. They stay here if the connection is lost and the host's knowledge with it. */
  readonly held?: ReadonlyMap<string, unknown>;
}

/**
 * How the steps of tasks reach a host. The engine decides each task in its turn and hands its steps to a performer, which
 * sends them now, or has sent them ahead of their turn. Each host's way through a play has its own performer.
 */
export interface Performer<Context> {
  /** True while a frame with steps of later tasks runs on the host. Nothing else can be asked of the host meanwhile. */
  readonly isBusy: boolean;
  /** Notes that a task has its turn, before it is decided. */
  begin(task: PlannedTask): Promise<void>;
  /** Acts on a host while nobody else of this run does. The turn lasts until frames that `act` sent have ended. */
  inTurn<T>(host: Host, act: () => Promise<T>): Promise<T>;
  /** True where the host has already begun the next task: then that task is told of, although the run is to stop. */
  hasBegunNext(): Promise<boolean>;
  /** Facts of later tasks to read in the same frame as those of the current task. */
  questions(context: Context): readonly Fact[];
  /** Notes whether the current task has something to change. */
  found(match: "same" | "different"): void;
  /** Performs the steps of a task, all of which run in frames. Throws WrongForecast where other steps were sent for it. */
  perform(change: ForeseenChange, values: Values, patterns: readonly FactPattern[], context: Context): Promise<Acted>;
  /** Gives up what was sent ahead, because the current task needs something else. */
  abandon(): Promise<void>;
  /** Gives up what was sent ahead, and the turn on the host. */
  leave(): Promise<void>;
}

/** Thrown where a task needs other steps than those that were sent ahead for it. It is decided again from the current state. */
export class WrongForecast extends Error {}

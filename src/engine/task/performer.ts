import type { Values } from "../../core/authoring/evaluate.ts";
import type { FactChange } from "../../core/events.ts";
import type { Fact, FactPattern } from "../../core/facts/fact.ts";
import type { Host } from "../host/host.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import type { PlannedTask } from "../plan/plan.ts";
import type { FurrowError } from "../../core/errors.ts";
import type { Step, StepResult } from "../../core/host/step.ts";

/** The results of a task's steps. */
export interface PerformedSteps {
  readonly results: readonly StepResult[];
  readonly failed: FurrowError | undefined;
  /** Errors of facts read after the steps, by fact id. */
  readonly errors: Map<string, FurrowError>;
}

/** The results of a task's steps, and the changes for reports. */
export interface PerformedTask extends PerformedSteps {
  readonly changes: readonly FactChange[];
  /**
   * Values read after the steps, by fact id. These values remain available even if the connection is lost, when
   * everything else known about the host is discarded.
   */
  readonly held?: ReadonlyMap<string, unknown>;
}

/** Steps that the host has performed before their task's turn, because a forecast was wrong. */
export interface EarlySteps<Context> {
  readonly steps: readonly Step[];
  /** The results of the steps. */
  results(context: Context): Promise<PerformedTask>;
}

/**
 * Sends the steps of tasks to a host. The engine decides each task in its turn and gives its steps to a performer,
 * which sends them now or has already sent them. Each host in a play has its own performer.
 */
export interface Performer<Context> {
  /**
   * True while a frame with steps of later tasks is running on the host. Until the frame ends, the host cannot be asked
   * anything else.
   */
  readonly isBusy: boolean;
  /** Records that it is a task's turn, before the task is decided. */
  begin(task: PlannedTask): Promise<void>;
  /**
   * Runs `act` while no other task in this run acts on the host. The turn lasts until the frames that `act` sent have
   * ended.
   */
  inTurn<T>(host: Host, act: () => Promise<T>): Promise<T>;
  /** True if the host has already begun the next task: that task is then reported even if the run stops. */
  hasBegunNext(): Promise<boolean>;
  /** Facts of later tasks to read in the same frame as those of the current task. */
  questions(context: Context): readonly Fact[];
  /** Records whether the current task has something to change. */
  found(match: "same" | "different"): void;
  /**
   * Performs the steps of a task, all of which run in frames. Throws WrongForecast if different steps were sent for the
   * task.
   */
  perform(
    change: ForeseenChange,
    values: Values,
    patterns: readonly FactPattern[],
    context: Context,
  ): Promise<PerformedTask>;
  /** The titles of tasks that the host has performed too early and whose results have not been taken yet. */
  readonly performedEarly: readonly string[];
  /** Returns the steps that the host has performed too early for a task. After this call, they count as taken. */
  takeEarly(task: string): EarlySteps<Context> | undefined;
  /** Gives up the frame that was sent ahead, because the current task needs something else. */
  abandon(): Promise<void>;
  /** Gives up the frame that was sent ahead, and the turn on the host. */
  leave(): Promise<void>;
}

/**
 * Thrown if a task needs different steps from those that were sent ahead for it. The task is then decided again from
 * the current state.
 */
export class WrongForecast extends Error {}

import type { DriverLookup } from "../../core/host/driver.ts";
import { collect, type Values } from "../../core/authoring/evaluate.ts";
import type { FactChange, Mode } from "../../core/events.ts";
import { type Fact, factId, type Facts, listFacts } from "../../core/facts/fact.ts";
import type { StepOutput } from "../../core/host/frame.ts";
import type { OutputLookup } from "../../core/authoring/ref.ts";
import type { Step, StepResult } from "../../core/host/step.ts";
import { isRan } from "../../core/facts/ran.ts";
import type { ForecastEnd } from "../plan/upcoming-tasks.ts";
import type { Freshness } from "../host/freshness.ts";
import type { Performer } from "./performer.ts";
import type { Host } from "../host/host.ts";
import type { NamedConflicts } from "../host/named-conflicts.ts";
import type { Outputs } from "../plan/outputs.ts";
import type { Paranoia } from "./paranoid.ts";
import type { PlayUndo } from "./ways/play-undo.ts";
import type { Inherited, PlannedTask } from "../plan/plan.ts";
import type { Simulation } from "../plan/simulation.ts";

/** Everything an attempt at a task needs besides the task itself. */
export interface AttemptContext {
  readonly host: Host;
  readonly mode: Mode;
  readonly drivers: DriverLookup;
  /** Aborted when the attempt must end immediately. */
  readonly signal: AbortSignal;
  /** Aborted when the run must stop before the next task. */
  readonly stop: AbortSignal;
  /**
   * The tasks that follow this one, in order, if nothing fails. A composite is expanded if the outputs it needs are
   * known.
   */
  readonly upcoming: (lookup: OutputLookup) => Iterable<PlannedTask | ForecastEnd>;
  /** The host that a task acts on, with the session for the privilege that the task needs. */
  readonly hostFor: (task: Inherited) => Host;
  /** Sends the tasks' steps, either in each task's turn or ahead of it. */
  readonly performer: Performer<AttemptContext>;
  /** The host that the play runs for; `host` is the host that the task acts on. */
  readonly playHost: string;
  /** Decides which values must be read again. */
  readonly freshness: Freshness;
  readonly outputs: Outputs;
  /** If true, tasks also read the content that a report needs in order to show a difference. */
  readonly diff: boolean;
  /** Checks what tasks declare about their effects. If set, nothing is sent ahead. */
  readonly paranoia?: Paranoia | undefined;
  /** Lets the host revert the changes of this play that may cut the connection, unless they are confirmed. */
  readonly confirm?: PlayUndo | undefined;
  /** Finds tasks in this plan that would undo each other, once it is known which things their names refer to. */
  readonly conflicts?: NamedConflicts | undefined;
  /** Replaces steps and waits on simulated hosts. */
  readonly simulation?: Simulation | undefined;
  /** The title that identifies predictions of this task. */
  readonly title: string;
  /**
   * Check mode: true if the host does not exist yet, so nothing is known about the host and there is no connection to
   * it.
   */
  readonly hostIsMissing: boolean;
  /**
   * In a run: called before a task acts. At the first call step that a driver can rehearse, later tasks' calls are
   * rehearsed too. Throws FurrowError if one of them would be refused.
   */
  readonly beforeChange?:
    | ((task: PlannedTask, steps: readonly Step[], context: AttemptContext) => Promise<void>)
    | undefined;
  readonly onStep: (step: Step) => void;
  readonly onOutput: (output: StepOutput) => void;
  /** Called with the results of all steps if the last one failed. */
  readonly onFailedStep: (results: readonly StepResult[]) => void;
}

/** The result of an attempt that did not fail. */
export interface AttemptResult {
  readonly outcome: "ok" | "changed" | "undecided";
  readonly changes: readonly FactChange[];
  readonly dependsOn?: { readonly task: string; readonly facts: readonly string[] };
  /** `undecided`: the values that the task wants for the unknown facts. */
  readonly intends?: readonly FactChange[];
  /** The values after the attempt, re-read or predicted. */
  readonly values: Values;
  readonly results: readonly StepResult[] | undefined;
  /** Check mode: true if an earlier change may lead to other values in the run. */
  readonly mayDiffer?: boolean;
  /** Check mode: the calls that could not be rehearsed. */
  readonly notes?: readonly string[];
}

/** The facts of a task with their values, keyed by the task's own names. */
export interface TaskFacts {
  readonly facts: Facts;
  readonly values: Values;
}

/**
 * The known values of these facts, by id. A task uses these values while a frame runs: if the connection is lost,
 * everything known about the host is lost with it.
 */
export function knownNow(facts: Facts, host: Host): Map<string, unknown> {
  const known = new Map<string, unknown>();
  for (const { fact } of listFacts(facts)) {
    const found = isRan(fact) ? undefined : host.knowledge.lookup(fact);
    if (found !== undefined) known.set(factId(fact), found.value);
  }
  return known;
}

/**
 * The values of facts, as far as they are currently known. `held`: values that were known when the engine began to
 * decide the task. Facts that currently have no known value are added to `open`.
 */
export function valuesNow(facts: Facts, host: Host, held?: ReadonlyMap<string, unknown>, open?: Fact[]): Values {
  return collect(facts, (fact) => {
    if (isRan(fact)) return host.knowledge.acts.has(fact);
    const known = host.knowledge.lookup(fact);
    if (known !== undefined) return known.value;
    open?.push(fact);
    return held?.get(factId(fact));
  });
}

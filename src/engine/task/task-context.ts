import type { DriverLookup } from "../../core/driver.ts";
import { collect, type Values } from "../../core/evaluate.ts";
import type { FactChange, Mode } from "../../core/events.ts";
import { type Fact, factId, type Facts, listFacts } from "../../core/fact.ts";
import type { StepOutput } from "../../core/frame.ts";
import type { OutputLookup } from "../../core/ref.ts";
import type { Step, StepResult } from "../../core/step.ts";
import { isRan } from "../../core/ran.ts";
import type { Border } from "../plan/coming-tasks.ts";
import type { Performer } from "./performer.ts";
import type { Host } from "../host/host.ts";
import type { NamedConflicts } from "../host/named-conflicts.ts";
import type { Outputs } from "../plan/outputs.ts";
import type { Paranoia } from "./paranoid.ts";
import type { PlannedTask } from "../plan/plan.ts";
import type { Simulation } from "../plan/simulation.ts";

/** What an attempt at a task needs beside the task. */
export interface AttemptContext {
  readonly host: Host;
  readonly mode: Mode;
  readonly drivers: DriverLookup;
  /** Aborted to end at once. */
  readonly signal: AbortSignal;
  /** Aborted when the run is to stop at the next task border. */
  readonly stop: AbortSignal;
  /** What comes after this task if nothing fails, in order; composites as far as the outputs they need are known. */
  readonly coming: (lookup: OutputLookup) => Iterable<PlannedTask | Border>;
  /** The host a task acts on, reached with the privilege the task needs. */
  readonly hostFor: (task: PlannedTask) => Host;
  /** Sends the steps of tasks, in their turn or ahead of it. */
  readonly performer: Performer<AttemptContext>;
  /** The host whose play this is; `host` is the one acted on. */
  readonly playHost: string;
  readonly outputs: Outputs;
  /** Read what a report needs to show a difference. */
  readonly diff: boolean;
  /** Believes no task what it says of its effects; then nothing is sent ahead. */
  readonly paranoia?: Paranoia | undefined;
  /** Tasks of this plan that would undo each other, by what their names lead to. */
  readonly conflicts?: NamedConflicts | undefined;
  /** Acts in place of steps and waits; for simulated hosts. */
  readonly simulation?: Simulation | undefined;
  /** The title under which predictions of this task are known. */
  readonly title: string;
  /** Check mode: the host is yet to be made, so nothing on it is known and nobody connects to it. */
  readonly isYetToBe: boolean;
  readonly onStep: (step: Step) => void;
  readonly onOutput: (output: StepOutput) => void;
}

/** How an attempt ended, where it did not fail. */
export interface Attempted {
  readonly outcome: "ok" | "changed" | "undecided";
  readonly changes: readonly FactChange[];
  readonly dependsOn?: { readonly task: string; readonly facts: readonly string[] };
  /** The values after the attempt: read again, or predicted. */
  readonly values: Values;
  readonly results: readonly StepResult[] | undefined;
}

/** The facts of a task with their values, by the task's own names. */
export interface Gathered {
  readonly facts: Facts;
  readonly values: Values;
}

/** What is known of these facts now, by id: for a task that waits while a frame plays, which may be lost with all knowledge. */
export function knownNow(facts: Facts, host: Host): Map<string, unknown> {
  const known = new Map<string, unknown>();
  for (const { fact } of listFacts(facts)) {
    const found = isRan(fact) ? undefined : host.knowledge.lookup(fact);
    if (found !== undefined) known.set(factId(fact), found.value);
  }
  return known;
}

/**
 * The values of facts as far as they are known now; `held`: of facts that were known when a task began to be decided. Facts
 * that are not known now are added to `open`.
 */
export function valuesNow(facts: Facts, host: Host, held?: ReadonlyMap<string, unknown>, open?: Fact[]): Values {
  return collect(facts, (fact) => {
    if (isRan(fact)) return host.knowledge.hasActed(fact);
    const known = host.knowledge.lookup(fact);
    if (known !== undefined) return known.value;
    open?.push(fact);
    return held?.get(factId(fact));
  });
}

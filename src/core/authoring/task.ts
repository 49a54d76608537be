import type { z } from "zod";
import { neverText } from "../guarded/as-text.ts";
import { guardCard, guardFunction, guardSteps } from "../guarded/task-params.ts";
import { makeCall, type TaskCall } from "./call.ts";
import { callerPosition } from "./position.ts";
import type { TaskOptions } from "./task-options.ts";
import type { Facts, Now } from "../facts/fact.ts";
import type { OrRef } from "./ref.ts";
import type { Refusal } from "./refusal.ts";
import type { StepResult } from "../host/step.ts";
import type { Card, Poll, StepContext, StepList, TaskDefinition, WantOf } from "./task-definition.ts";

/** A function that lists a task in a playbook when it is called with params. I: the accepted input, O: output. */
export interface TaskForm<I, O> {
  (params: I, options?: TaskOptions<O>): TaskCall<O>;
}

/**
 * A task module: call it with params to list it in a playbook. I: the accepted input, P: params, F: facts, O: output.
 */
export interface Task<I, P, F, O> extends TaskForm<I, O> {
  readonly card: Card<z.ZodType>;
  /** The module as data, for the engine and for tests. */
  readonly definition: TaskDefinition;
  /** Defines the task's output, which later tasks can take as a typed Ref. `results` is undefined if no step ran. */
  outputs<const O2>(
    make: (params: P, now: Now<F>, results: readonly StepResult[] | undefined) => O2,
  ): Task<I, P, F, O2>;
  /** Defines notes: things worth reporting that are not changes. `results` is undefined if no step ran. */
  notes(
    make: (params: P, now: Now<F>, results: readonly StepResult[] | undefined) => readonly string[],
  ): Task<I, P, F, O>;
}

/** The first part of the builder chain: which facts the task's decision depends on. */
export interface FactsLink<I, P> {
  facts<const F extends Facts>(ask: (params: P) => F): WantLink<I, P, F>;
}

/** The second part of the builder chain: more facts that depend on the first ones, or the want for the facts. */
export interface WantLink<I, P, F> {
  facts<const G extends Facts>(ask: (params: P, now: Now<F>) => G): WantLink<I, P, F & G>;
  want(decide: (params: P, now: Now<F>) => WantOf<F> | Refusal): StepsLink<I, P, F>;
}

/** The third part of the builder chain: the steps or, for a task that only waits, how to poll. */
export interface StepsLink<I, P, F> {
  steps(list: (params: P, context: StepContext<F>) => StepList): Task<I, P, F, undefined>;
  wait(poll: (params: P) => Poll): Task<I, P, F, undefined>;
}

/**
 * Defines a task module. Each part of the chain is a pure function of data, and can be called without a host. Chaining
 * the parts keeps a type error on the line that causes it.
 */
export function task<P extends z.ZodType>(card: Card<P>): FactsLink<OrRef<z.input<P>>, z.output<P>> {
  // furrow's own tasks are type-checked. Users' tasks might not be type-checked, so only they pay the cost of the
  // guard.
  const isUsers = callerPosition() !== undefined;
  const guard: Guard = isUsers
    ? { of: (own) => guardFunction(card, own), steps: (own) => guardSteps(card, own) }
    : { of: (own) => own, steps: (own) => own };
  return link({ card: isUsers ? guardCard(card) : card, stages: [] }, guard) as never;
}

/** Makes a task's functions receive guarded params. */
interface Guard {
  of<T extends TaskDefinition["want" | "outputs" | "notes" | "poll"] | TaskDefinition["stages"][number]>(own: T): T;
  steps(own: TaskDefinition["steps"]): TaskDefinition["steps"];
}

type Draft = { -readonly [K in keyof TaskDefinition]?: TaskDefinition[K] | undefined } & Pick<
  TaskDefinition,
  "card" | "stages"
>;

function link(draft: Draft, guard: Guard): object {
  return {
    facts: (stage: TaskDefinition["stages"][number]) =>
      link({ ...draft, stages: [...draft.stages, guard.of(stage)] }, guard),
    want: (own: TaskDefinition["want"]) => {
      const want = guard.of(own);
      return {
        steps: (steps: TaskDefinition["steps"]) =>
          finish({ ...draft, want, steps: guard.steps(steps), neverActs: isAlwaysEmpty(steps) }, guard),
        wait: (poll: NonNullable<TaskDefinition["poll"]>) =>
          finish({ ...draft, want, steps: () => [], poll: guard.of(poll) }, guard),
      };
    },
  };
}

/**
 * True if a task never has steps, whatever its params and facts: its function takes no arguments and returns an empty
 * list.
 */
function isAlwaysEmpty(steps: TaskDefinition["steps"]): boolean {
  if (steps.length > 0) return false;
  try {
    return (steps as () => StepList)().length === 0;
  } catch {
    // The function takes its arguments differently, for example as `...args`, or it contains an error, which is
    // reported when the task runs.
    return false;
  }
}

function finish(draft: Draft, guard: Guard): object {
  const definition = draft as TaskDefinition;
  const module = (input: unknown, options?: TaskOptions): TaskCall => makeCall(definition, input, options);
  const hint = "Call it with params, and list the call: output.map(…) makes a string from a task's output";
  return Object.assign(neverText(module, `the task module ${definition.card.name}`, hint), {
    card: definition.card,
    definition,
    outputs: (outputs: TaskDefinition["outputs"]) => finish({ ...draft, outputs: guard.of(outputs) }, guard),
    notes: (notes: TaskDefinition["notes"]) => finish({ ...draft, notes: guard.of(notes) }, guard),
  });
}

/** The definition of a task module; undefined for any other value. */
export function definitionOf(module: unknown): TaskDefinition | undefined {
  return typeof module === "function" && "definition" in module ? (module.definition as TaskDefinition) : undefined;
}

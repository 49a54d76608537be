import { guardUnknown, UnknownValue } from "../../core/facts/compare.ts";
import type { Values } from "../../core/authoring/evaluate.ts";
import type { OutputLookup } from "../../core/authoring/ref.ts";
import type { StepResult } from "../../core/host/step.ts";
import { knownAfterApply, type KnownAfterApply } from "../../core/facts/symbols.ts";
import type { TaskDefinition } from "../../core/authoring/task-definition.ts";

/** The output of a task on one host. */
export interface Output {
  readonly value: unknown;
  readonly changed: boolean | KnownAfterApply;
}

/** The outputs of a run so far, keyed by the call that listed the task and the host that the task ran for. */
export class Outputs {
  readonly #byCall = new WeakMap<object, Map<string, Output>>();
  readonly #beneath: Outputs | undefined;
  #isChanged = false;

  /** `beneath`: other outputs, used if this object has no output for a call. */
  constructor(beneath?: Outputs) {
    this.#beneath = beneath;
  }

  set(call: object, host: string, output: Output): void {
    const outputs = this.#byCall.get(call) ?? new Map<string, Output>();
    this.#byCall.set(call, outputs.set(host, output));
    if (output.changed !== false) this.#isChanged = true;
  }

  /** True if a task has changed something so far, on any host, or in check mode would or might change something. */
  get isChanged(): boolean {
    return this.#isChanged || this.#beneath?.isChanged === true;
  }

  /** The output of a call for exactly this host. */
  own(call: object, host: string): Output | undefined {
    return this.#byCall.get(call)?.get(host);
  }

  /**
   * Looks up outputs for `host`: first the host's own outputs, then those of any host (a play's hosts may come from
   * another play).
   */
  lookupFor(host: string): OutputLookup {
    const beneath = this.#beneath?.lookupFor(host);
    return (call) => {
      const outputs = this.#byCall.get(call);
      return outputs?.get(host) ?? beneath?.(call) ?? outputs?.values().next().value;
    };
  }
}

/** Stands for the output of a task if check mode cannot know it. */
export const unknownOutput: Output = { value: knownAfterApply, changed: knownAfterApply };

/** The results of a task that has not run: reading them makes the output unknown. */
export const unknownResults = new Proxy([] as readonly StepResult[], {
  get(): never {
    throw new UnknownValue("results");
  },
});

/** The output of a task; `knownAfterApply` if it depends on an unknown value. */
export function outputOf(
  module: TaskDefinition,
  params: unknown,
  values: Values,
  results: readonly StepResult[] | undefined,
): unknown {
  return known(() => module.outputs?.(params as never, guardUnknown(values) as never, results));
}

/** The result of `make`, or `knownAfterApply` if it reads an unknown value. */
export function known<T>(make: () => T): T | KnownAfterApply {
  try {
    return make();
  } catch (error) {
    if (error instanceof UnknownValue) return knownAfterApply;
    throw error;
  }
}

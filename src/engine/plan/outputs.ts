import { guardUnknown, UnknownValue } from "../../core/compare.ts";
import type { Values } from "../../core/evaluate.ts";
import type { OutputLookup } from "../../core/ref.ts";
import type { StepResult } from "../../core/step.ts";
import { knownAfterApply, type KnownAfterApply } from "../../core/symbols.ts";
import type { TaskDefinition } from "../../core/task-definition.ts";

/** What a task has put out on one host. */
export interface Output {
  readonly value: unknown;
  readonly changed: boolean | KnownAfterApply;
}

/** What tasks have put out so far in a run, by the call that listed them and the host they ran for. */
export class Outputs {
  readonly #byCall = new WeakMap<object, Map<string, Output>>();
  readonly #beneath: Outputs | undefined;

  /** `beneath`: what others have put out, looked at where nothing is put out here. */
  constructor(beneath?: Outputs) {
    this.#beneath = beneath;
  }

  set(call: object, host: string, output: Output): void {
    const outputs = this.#byCall.get(call) ?? new Map<string, Output>();
    this.#byCall.set(call, outputs.set(host, output));
  }

  /** What a call has put out for this very host. */
  own(call: object, host: string): Output | undefined {
    return this.#byCall.get(call)?.get(host);
  }

  /** Looks up outputs as `host` sees them: its own first, else any host's (a play's hosts may come from another). */
  lookupFor(host: string): OutputLookup {
    const beneath = this.#beneath?.lookupFor(host);
    return (call) => {
      const outputs = this.#byCall.get(call);
      return outputs?.get(host) ?? beneath?.(call) ?? outputs?.values().next().value;
    };
  }
}

/** The output of a task that check mode cannot know. */
export const unknownOutput: Output = { value: knownAfterApply, changed: knownAfterApply };

/** Of a task that would act, nobody knows the results: looking at them makes the output unknown. */
export const unknownResults = new Proxy([] as readonly StepResult[], {
  get(): never {
    throw new UnknownValue("results");
  },
});

/** What a task puts out; `knownAfterApply` where that depends on what is not knowable yet. */
export function outputOf(
  module: TaskDefinition,
  params: unknown,
  values: Values,
  results: readonly StepResult[] | undefined,
): unknown {
  return known(() => module.outputs?.(params as never, guardUnknown(values) as never, results));
}

/** What `make` gives, or `knownAfterApply` where it looks at what is not knowable yet. */
export function known<T>(make: () => T): T | KnownAfterApply {
  try {
    return make();
  } catch (error) {
    if (error instanceof UnknownValue) return knownAfterApply;
    throw error;
  }
}

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
  /** The calls in each host's plans. */
  readonly #listed = new Map<string, WeakSet<object>>();
  #isChanged = false;
  /** The ids of the changed things; undefined if a task may have changed anything. */
  #changed: Set<string> | undefined = new Set();

  /** `beneath`: other outputs, used if this object has no output for a call. */
  constructor(beneath?: Outputs) {
    this.#beneath = beneath;
  }

  /** `things`: the ids of the things that the task changes, if it changes no others. */
  set(call: object, host: string, output: Output, things?: readonly string[]): void {
    const outputs = this.#byCall.get(call) ?? new Map<string, Output>();
    this.#byCall.set(call, outputs.set(host, output));
    if (output.changed === false) return;
    this.#isChanged = true;
    if (things === undefined) this.#changed = undefined;
    for (const id of things ?? []) this.#changed?.add(id);
  }

  /** Records that a host's plan lists these calls: the host then uses only its own outputs of these calls. */
  list(host: string, calls: Iterable<object>): void {
    const listed = this.#listed.get(host) ?? new WeakSet();
    this.#listed.set(host, listed);
    for (const call of calls) listed.add(call);
  }

  /** True if one of the host's plans lists the call. */
  lists(host: string, call: object): boolean {
    return this.#listed.get(host)?.has(call) === true || this.#beneath?.lists(host, call) === true;
  }

  /** True if a task has changed something so far, on any host, or in check mode would or might change something. */
  get isChanged(): boolean {
    return this.#isChanged || this.#beneath?.isChanged === true;
  }

  /** True if a task has changed the thing with this id, or may have changed anything. */
  mayHaveChanged(id: string): boolean {
    return this.#changed === undefined || this.#changed.has(id) || this.#beneath?.mayHaveChanged(id) === true;
  }

  /** The output of a call for exactly this host. */
  own(call: object, host: string): Output | undefined {
    return this.#byCall.get(call)?.get(host);
  }

  /**
   * Looks up outputs for `host`: the host's own outputs, or those of any host if the host's plans do not list the call
   * (the task may belong to a play with other hosts).
   */
  lookupFor(host: string): OutputLookup {
    const beneath = this.#beneath?.lookupFor(host);
    return (call) => {
      const outputs = this.#byCall.get(call);
      const known = outputs?.get(host) ?? beneath?.(call);
      return known ?? (this.lists(host, call) ? undefined : outputs?.values().next().value);
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

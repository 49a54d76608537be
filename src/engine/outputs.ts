import type { OutputLookup } from "../core/ref.ts";
import { knownAfterApply, type KnownAfterApply } from "../core/symbols.ts";

/** What a task has put out on one host. */
export interface Output {
  readonly value: unknown;
  readonly changed: boolean | KnownAfterApply;
}

/** What tasks have put out so far in a run, by the call that listed them and the host they ran for. */
export class Outputs {
  readonly #byCall = new WeakMap<object, Map<string, Output>>();

  set(call: object, host: string, output: Output): void {
    const outputs = this.#byCall.get(call) ?? new Map<string, Output>();
    this.#byCall.set(call, outputs.set(host, output));
  }

  /** Looks up outputs as `host` sees them: its own first, else any host's (a play's hosts may come from another). */
  lookupFor(host: string): OutputLookup {
    return (call) => {
      const outputs = this.#byCall.get(call);
      return outputs?.get(host) ?? outputs?.values().next().value;
    };
  }
}

/** The output of a task that check mode cannot know. */
export const unknownOutput: Output = { value: knownAfterApply, changed: knownAfterApply };

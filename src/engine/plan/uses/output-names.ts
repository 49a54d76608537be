import { type FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { TaskCall } from "../../../core/authoring/call.ts";
import { Ref } from "../../../core/authoring/ref.ts";
import { UnknownValue } from "../../../core/facts/compare.ts";
import { guardOutput, isMissingOutput } from "../../../core/guarded/output.ts";
import { isNamedTask, isRecord } from "../../../core/facts/symbols.ts";
import { parseParams } from "../../../core/params/params.ts";
import { everyNode } from "../once-calls.ts";
import { type Planned, whereOf } from "../plan.ts";

/**
 * Refuses a `map` or `until` that reads a name that its task's output does not have. Each function is called once, with
 * the output that the task has if no step runs: a function must accept that output, because a task may find nothing to
 * do. Outputs that depend on facts are not known yet, so they are not checked. Throws FurrowError E_PLAYBOOK.
 */
export function refuseUnknownOutputNames(plan: readonly Planned[]): void {
  for (const node of everyNode(plan)) {
    for (const ref of refsOf(node)) {
      if (!ref.needsOutput || !isCall(ref.source)) continue;
      const output = outputWithoutSteps(ref.source);
      if (output !== undefined) refuseMissing(() => ref.resolve(() => ({ value: output, changed: true })));
    }
    if (node.node !== "task") continue;
    const { until } = node.call.options;
    // A function without a parameter reads no output.
    const output = until === undefined || until.length === 0 ? undefined : outputWithoutSteps(node.call);
    if (output !== undefined) refuseMissing(() => until?.(guardOutput(output, node.call.module.card.name) as never));
  }
}

/** Throws only the error about a missing name: because the output is not real, any other error means nothing. */
function refuseMissing(act: () => unknown): void {
  const missing = errorOf(act);
  if (missing !== undefined) throw missing;
}

function errorOf(act: () => unknown): FurrowError | undefined {
  try {
    const given = act();
    // An async function is refused when its task runs.
    if (given instanceof Promise) given.catch(() => {});
    return undefined;
  } catch (error) {
    return isFurrowError(error) && isMissingOutput(error) ? error : undefined;
  }
}

/** The output of a task that finds nothing to do; undefined if it depends on facts, or has no names. */
function outputWithoutSteps(call: TaskCall): object | undefined {
  const { card, outputs } = call.module;
  try {
    const parsed = parseParams(card.params, call.input, () => undefined, whereOf(call));
    const output: unknown = "params" in parsed ? outputs?.(parsed.params as never, unread, undefined) : undefined;
    return isRecord(output) && !Array.isArray(output) && Object.keys(output).length > 0 ? output : undefined;
  } catch {
    return undefined;
  }
}

const unread = new Proxy({} as never, {
  get(_target, key): never {
    throw new UnknownValue(String(key));
  },
});

/** All outputs in a node's condition and params. */
function refsOf(node: Planned): readonly Ref<unknown>[] {
  const input = node.node === "composite" ? node.composite.input : node.node === "task" ? node.call.input : undefined;
  return [...node.when.filter((condition) => condition instanceof Ref), ...refsIn(input)];
}

/** All outputs in params, at any depth. */
export function refsIn(value: unknown): Ref<unknown>[] {
  if (value instanceof Ref) return [value];
  if (Array.isArray(value)) return value.flatMap(refsIn);
  const isPlain = isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
  return isPlain && !isNamedTask(value) ? Object.values(value).flatMap(refsIn) : [];
}

/** True for a task call. */
export function isCall(value: unknown): value is TaskCall {
  return typeof value === "object" && value !== null && isNamedTask(value);
}

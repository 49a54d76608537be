import { guardedPrototype } from "../guarded/members.ts";
import { callerPosition } from "./position.ts";
import { Ref } from "./ref.ts";
import { checkOptions, type TaskOptions } from "./task-options.ts";
import type { TaskDefinition } from "./task-definition.ts";
import { reportLater } from "../wrong-calls.ts";

/** A task with its params, as listed in a playbook. A call does nothing by itself. */
export interface TaskCall<out O = unknown> {
  readonly node: "task";
  readonly module: TaskDefinition;
  /** The params as written, with Refs, before the schema parses them. */
  readonly input: unknown;
  readonly options: TaskOptions<never>;
  /** Position in the user's file, `path:line:column`. */
  readonly source: string | undefined;
  /** The task's output, once it has run. */
  readonly output: Ref<O>;
  /**
   * Whether the task changed anything in this run, once it has run. A rerun after a failure does not know what an
   * earlier run changed, so work that must not be skipped needs a guard on the host instead.
   */
  readonly changed: Ref<boolean>;
}

const callPrototype = guardedPrototype(["output", "changed"], {
  noun: "a task",
  optional: ["node", "module", "input", "options", "source"],
  hint: (name) => `Use output.map(({ ${name} }) => ${name}) if "${name}" is an output of the task, or remove it`,
  asText: "Use output.map(…) to make a string from its output, or write the title as a string",
});

/** Calls made so far by the play's `tasks` function that is currently running. */
let making: Set<TaskCall> | undefined;

/**
 * Runs `act`. Returns its result and all task calls that it made. If `act` throws, `cut` receives the calls made so
 * far, and the error is rethrown.
 */
export function withCallsMade<T>(
  act: () => T,
  cut: (made: ReadonlySet<TaskCall>) => void = () => {},
): { readonly value: T; readonly made: ReadonlySet<TaskCall> } {
  const outer = making;
  const made = new Set<TaskCall>();
  making = made;
  try {
    return { value: act(), made };
  } catch (error) {
    cut(made);
    throw error;
  } finally {
    making = outer;
  }
}

/** Creates a task call; every task module uses this function. Throws FurrowError if options are wrong. */
export function makeCall<O>(module: TaskDefinition, input: unknown, options: TaskOptions<O> = {}): TaskCall<O> {
  const source = callerPosition();
  reportLater(() => checkOptions(options, { task: module.card.name, ...(source !== undefined && { source }) }));
  const call = Object.assign(Object.create(callPrototype) as object, {
    node: "task" as const,
    module,
    input,
    options,
    source,
  });
  const made: TaskCall<O> = Object.assign(call, {
    output: new Ref<O>(call, (output) => (output as { value: unknown }).value, module.card.name),
    changed: new Ref<boolean>(call, (output) => (output as { changed: unknown }).changed, undefined, false),
  });
  making?.add(made);
  return made;
}

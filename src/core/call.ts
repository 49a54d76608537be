import { callerPosition } from "./position.ts";
import { Ref } from "./ref.ts";
import { checkOptions } from "./task-options.ts";
import type { TaskDefinition } from "./task.ts";

/** How often and how soon a failed task is tried again. */
export interface Retry {
  /** Tries after the first one. */
  readonly times: number;
  /** Seconds before the second try; default 1. */
  readonly delaySeconds?: number;
  /** By how much each further delay grows; default 2. */
  readonly factor?: number;
  /** No delay is longer than this many seconds; default 60. */
  readonly maxDelaySeconds?: number;
}

/** What can be said about any task or group beside its params. */
export interface CommonOptions {
  /** Shown instead of the name made from the params. */
  readonly name?: string;
  /** Chosen with --tags and --skip-tags; `always` and `never` as in Ansible. Inherited by everything inside a group. */
  readonly tags?: readonly string[];
  /** Leaves the task out where false. */
  readonly when?: boolean | Ref<boolean>;
  /** The user the steps run as; what the play becomes does not matter then. */
  readonly become?: string;
}

/** What can be said about any task beside its params. */
export interface TaskOptions<O = unknown> extends CommonOptions {
  /** Tries again when the task fails, whatever the kind of failure. */
  readonly retries?: number | Retry;
  /** Tries again (as `retries` says, default 3) until this is true of the task's output. */
  readonly until?: (output: O) => boolean;
  /** Seconds for all of the task's steps together; default 1800. */
  readonly timeoutSeconds?: number;
  /** A failure is reported and the host goes on. */
  readonly ignoreFailure?: boolean;
}

/** A task with params: what a playbook lists. It does nothing by itself. */
export interface TaskCall<out O = unknown> {
  readonly node: "task";
  readonly module: TaskDefinition;
  /** The params as written: with Refs, before the schema has seen them. */
  readonly input: unknown;
  readonly options: TaskOptions<never>;
  /** Position in the user's file, `path:line:column`. */
  readonly source: string | undefined;
  /** What the task puts out, once it has run. */
  readonly output: Ref<O>;
  /** Whether the task changed anything, once it has run. */
  readonly changed: Ref<boolean>;
}

/** The calls made by the body of a play that is being called now. */
let making: Set<TaskCall> | undefined;

/** What `act` gives, and all calls of task modules that were made in it. Throws whatever `act` throws. */
export function withCallsMade<T>(act: () => T): { readonly value: T; readonly made: ReadonlySet<TaskCall> } {
  const outer = making;
  const made = new Set<TaskCall>();
  making = made;
  try {
    return { value: act(), made };
  } finally {
    making = outer;
  }
}

/** Makes a call of a task module; what a module does when it is called. Throws FurrowError for wrong options. */
export function makeCall<O>(module: TaskDefinition, input: unknown, options: TaskOptions<O> = {}): TaskCall<O> {
  const source = callerPosition();
  checkOptions(options, { task: module.card.name, ...(source !== undefined && { source }) });
  const call = {
    node: "task" as const,
    module,
    input,
    options: options as TaskOptions<never>,
    source,
  };
  const made: TaskCall<O> = Object.assign(call, {
    output: new Ref<O>(call, (output) => (output as { value: unknown }).value),
    changed: new Ref<boolean>(call, (output) => (output as { changed: unknown }).changed),
  });
  making?.add(made);
  return made;
}

import { fileURLToPath } from "node:url";
import { Ref } from "./ref.ts";
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

/** Makes a call of a task module; what a module does when it is called. */
export function makeCall<O>(module: TaskDefinition, input: unknown, options: TaskOptions<O> = {}): TaskCall<O> {
  const call = {
    node: "task" as const,
    module,
    input,
    options: options as TaskOptions<never>,
    source: callerPosition(),
  };
  return Object.assign(call, {
    output: new Ref<O>(call, (output) => (output as { value: unknown }).value),
    changed: new Ref<boolean>(call, (output) => (output as { changed: unknown }).changed),
  });
}

const ownFolder = fileURLToPath(new URL(".", import.meta.url));
/** Task modules that come with furrow may call others: the line a person wrote is outside of them, too. */
const catalogue = fileURLToPath(new URL("../../tasks/", import.meta.url));

/** True for furrow's own part of a call: core and the catalogue, but for their tests. */
function isOwn(file: string): boolean {
  return (file.startsWith(ownFolder) || file.startsWith(catalogue)) && !file.includes(".test.");
}

/** Node names modules by URL, test runners and bundlers some by path. */
function pathOf(file: string): string {
  return file.startsWith("file:") ? fileURLToPath(file) : file;
}

const outside = new Map<string, string | undefined>();

/** The path of a file that is no part of furrow; undefined where it is. There are few files and a stack for every task. */
function outsidePath(name: string): string | undefined {
  if (!outside.has(name)) {
    const path = name.startsWith("node:") ? undefined : pathOf(name);
    outside.set(name, path === undefined || isOwn(path) ? undefined : path);
  }
  return outside.get(name);
}

/** Takes the frames as they are: formatting a whole stack for every task of a large playbook would cost more than the rest. */
const firstOutside = (_error: Error, frames: readonly NodeJS.CallSite[]): string | undefined => {
  for (const frame of frames) {
    const position = outsidePosition(frame);
    if (position !== undefined) return position;
  }
  return undefined;
};

/** All positions up to the body of the play, the innermost first. */
const allOutside = (_error: Error, frames: readonly NodeJS.CallSite[]): string => {
  const body = frames.findIndex((frame) => frame.getFunctionName() === listTasks.name && isThisFile(frame));
  return frames
    .slice(0, body < 0 ? undefined : body)
    .flatMap((frame) => outsidePosition(frame) ?? [])
    .join(" < ");
};

function outsidePosition(frame: NodeJS.CallSite): string | undefined {
  const file = outsidePath(frame.getFileName() || "node:");
  return file === undefined ? undefined : `${file}:${frame.getLineNumber()}:${frame.getColumnNumber()}`;
}

function isThisFile(frame: NodeJS.CallSite): boolean {
  return pathOf(frame.getFileName() ?? "") === fileURLToPath(import.meta.url);
}

function stackBy<T>(take: (error: Error, frames: readonly NodeJS.CallSite[]) => T, depth: number): T {
  const limit = Error.stackTraceLimit;
  const formatter: unknown = Reflect.get(Error, "prepareStackTrace");
  Error.stackTraceLimit = depth;
  Error.prepareStackTrace = take;
  try {
    return new Error("position").stack as T;
  } finally {
    Error.stackTraceLimit = limit;
    Reflect.set(Error, "prepareStackTrace", formatter);
  }
}

/** The position of the innermost caller outside furrow's own core and tasks: the line a person wrote. */
export function callerPosition(): string | undefined {
  return stackBy(firstOutside, 8);
}

/**
 * The positions of all callers outside furrow up to {@link listTasks}: they tell a call of one place of a role from the
 * call of the same place when the role is listed elsewhere, and are the same for every host.
 */
export function callerPositions(): string {
  return stackBy(allOutside, 200);
}

/** Calls the function of a play that lists its tasks. What calls it is no part of {@link callerPositions}. */
export function listTasks<T>(body: () => T): T {
  return body();
}

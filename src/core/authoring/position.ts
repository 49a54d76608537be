import { fileURLToPath } from "node:url";

const ownFolder = fileURLToPath(new URL("../", import.meta.url));
/** furrow's task modules may call each other, so the search for the user's line skips them too. */
const catalogue = fileURLToPath(new URL("../../../tasks", import.meta.url));

/** All of furrow's code except the catalogue. */
const sources = fileURLToPath(new URL("../../", import.meta.url));

/** True for a file of furrow's core or catalogue, except their tests. */
function isOwn(file: string): boolean {
  return (file.startsWith(ownFolder) || file.startsWith(catalogue)) && !file.includes(".test.");
}

/** Node identifies modules by URL; test runners and bundlers identify some of them by path. */
function pathOf(file: string): string {
  return file.startsWith("file:") ? fileURLToPath(file) : file;
}

const outside = new Map<string, string | undefined>();

/**
 * The path of a file that is not part of furrow; undefined if it is part of furrow. Cached, because every task has a
 * stack, but all stacks together contain only a few files.
 */
function outsidePath(name: string): string | undefined {
  if (!outside.has(name)) {
    const path = name.startsWith("node:") ? undefined : pathOf(name);
    outside.set(name, path === undefined || isOwn(path) ? undefined : path);
  }
  return outside.get(name);
}

/**
 * Uses raw call sites, because formatting a whole stack for every task in a large playbook would cost more than all
 * other work.
 */
const firstOutside = (_error: Error, frames: readonly NodeJS.CallSite[]): string | undefined => {
  for (const frame of frames) {
    const position = outsidePosition(frame);
    if (position !== undefined) return position;
  }
  return undefined;
};

/** All positions up to the play's `tasks` function, innermost first. */
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

/** The position of the innermost caller outside furrow's core and tasks: the line that a user wrote. */
export function callerPosition(): string | undefined {
  return stackBy(firstOutside, 8);
}

/**
 * The positions of all callers outside furrow, up to {@link listTasks}. The positions of one call are the same for
 * every host. If a role is listed in two places, the positions of its calls differ between the two.
 */
export function callerPositions(): string {
  return stackBy(allOutside, 200);
}

/**
 * The position of the code that reads a property, if that is user code; undefined if JavaScript itself
 * (JSON.stringify), furrow or a package reads it. `trap`: the proxy trap that handles the read.
 */
export function readerPosition(trap: Trap): string | undefined {
  return positionAbove(trap, 1, ([frame]) => frame && foreignPosition(frame));
}

/**
 * Like {@link readerPosition}, for a trap that JavaScript itself may call on behalf of the user's code, for example in
 * `list.join()` or `Object.assign`. Returns the position of the innermost code that is in a file, if that is user code.
 */
export function nearestPosition(trap: Trap): string | undefined {
  return positionAbove(trap, 8, (frames) => {
    // Printing a value does not count as using it as text: console.log("%s", value) creates the text itself.
    const nearest = frames.find((frame) => !/^$|^node:(?!internal\/util\/inspect$)/.test(frame.getFileName() ?? ""));
    return nearest && foreignPosition(nearest);
  });
}

type Trap = (...input: never[]) => unknown;

function positionAbove(
  trap: Trap,
  depth: number,
  take: (frames: readonly NodeJS.CallSite[]) => string | undefined,
): string | undefined {
  const limit = Error.stackTraceLimit;
  const formatter: unknown = Reflect.get(Error, "prepareStackTrace");
  Error.stackTraceLimit = depth;
  Error.prepareStackTrace = (_error, frames) => take(frames);
  try {
    const holder: { stack?: string } = {};
    Error.captureStackTrace(holder, trap);
    return holder.stack;
  } finally {
    Error.stackTraceLimit = limit;
    Reflect.set(Error, "prepareStackTrace", formatter);
  }
}

function foreignPosition(frame: NodeJS.CallSite): string | undefined {
  const name = frame.getFileName();
  if (!name || name.startsWith("node:")) return undefined;
  const path = pathOf(name);
  const isOurs = (path.startsWith(sources) || path.startsWith(catalogue)) && !path.includes(".test.");
  if (isOurs || path.includes("/node_modules/")) return undefined;
  return `${path}:${frame.getLineNumber()}:${frame.getColumnNumber()}`;
}

/**
 * Where an error was thrown, if that is in code outside furrow: the first position in its stack that is not inside
 * Node. Undefined if furrow itself threw the error, or if the stack does not show a position.
 */
export function thrownAt(error: Error): string | undefined {
  for (const line of (error.stack ?? "").split("\n")) {
    const [, name = "", position = ""] = /(?:\(|at )((?:file:\/\/)?\/[^()]+?)(:\d+:\d+)\)?$/.exec(line) ?? [];
    if (name === "") continue;
    const path = pathOf(name);
    return path.startsWith(sources) && !path.includes(".test.") ? undefined : outsidePath(name) && `${path}${position}`;
  }
  return undefined;
}

/** Calls a play's `tasks` function. {@link callerPositions} omits the callers above this function. */
export function listTasks<T>(body: () => T): T {
  return body();
}

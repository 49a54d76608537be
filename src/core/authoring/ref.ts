import { FurrowError } from "../errors.ts";
import { guardUnknown, UnknownValue } from "../facts/compare.ts";
import { guardedPrototype } from "../guarded/members.ts";
import { guardOutput } from "../guarded/output.ts";
import { isNamedTask, knownAfterApply } from "../facts/symbols.ts";
import { callerPosition } from "./position.ts";
import { callUser } from "./user-code.ts";

/** Looks up a task's output: its value, `knownAfterApply` in check mode, or undefined if the task has not run. */
export type OutputLookup = (source: object) => unknown;

declare const ofRef: unique symbol;
declare const isRef: unique symbol;

/**
 * A value from a task's output, which exists once the task has run. Use it as a param, or derive another value from it
 * with `map`. The value cannot be read while the playbook is being loaded.
 */
export class Ref<out T> {
  readonly source: object;
  readonly #read: (output: unknown) => unknown;
  /**
   * These two properties exist only in the type: they make it depend on T and distinguish it from other types. Neither
   * is ever set.
   */
  declare readonly [ofRef]?: T;
  declare readonly [isRef]: true;

  /** The task's name, if this is the task's whole output; undefined for values derived from an output. */
  readonly #task: string | undefined;

  /** True if the value depends on the task's output, and not only on whether the task has changed anything. */
  readonly needsOutput: boolean;

  constructor(source: object, read: (output: unknown) => unknown, task?: string, needsOutput = true) {
    this.source = source;
    this.#read = read;
    this.#task = task;
    this.needsOutput = needsOutput;
  }

  /** Derives a value from this one once it is known. In check mode, a part of an output may be unknown. */
  map<U>(make: (value: T) => U): Ref<U> {
    const read = (output: unknown): unknown => {
      const value = this.#read(output);
      if (value === knownAfterApply) return knownAfterApply;
      // In a run, no part is unknown. Looking for an unknown part would call the getter of a truncated output, and that
      // getter throws.
      const seen = hasGetters(value) ? value : guardUnknown(value);
      // guardOutput reads every part of the value, so a value with an unknown part gets only the guard of guardUnknown.
      const given = seen === value && this.#task !== undefined ? guardOutput(value, this.#task) : seen;
      try {
        const made = callUser("the function given to map()", () => make(given as T));
        if (made !== given && returnsRef(made)) throw madeRef();
        return made;
      } catch (error) {
        if (error instanceof UnknownValue) return knownAfterApply;
        throw error;
      }
    };
    return new Ref<U>(this.source, read, undefined, this.needsOutput);
  }

  /** The value; `knownAfterApply` if check mode cannot know it; undefined if the task has not run. */
  resolve(lookup: OutputLookup): T | typeof knownAfterApply | undefined {
    const output = lookup(this.source);
    if (output === undefined || output === knownAfterApply) return output;
    return this.#read(output) as T;
  }

  toString(): string {
    const source = callerPosition();
    throw new FurrowError("E_PLAYBOOK", {
      what: "a task's output was used in a string while the playbook was being read",
      ...(source !== undefined && { where: { source } }),
      hint: "Use output.map((value) => `…${value}…`), which builds the string once the value is known",
    });
  }
}

/**
 * True if data contains a Ref. A part that cannot be read, such as an unknown part of an output, is ignored. Stops at a
 * depth that only circular data reaches.
 */
function returnsRef(value: unknown, depth = 32): boolean {
  if (value instanceof Ref) return true;
  if (depth === 0) return false;
  try {
    const parts = Array.isArray(value) ? (value as unknown[]) : isPlain(value) ? Object.values(value) : [];
    return parts.some((part) => returnsRef(part, depth - 1));
  } catch {
    return false;
  }
}

/** The error for a function given to `map` that returns another output: its value would never be found. */
function madeRef(): FurrowError {
  return new FurrowError("E_PLAYBOOK", {
    what: "the function given to map() returned a task's output instead of a value",
    hint: "Use the value that the function receives, and pass another task's output as a separate param",
  });
}

// The class's own members are found first, so only the lookup of unknown names costs time.
Object.setPrototypeOf(
  Ref.prototype,
  guardedPrototype(["map"], {
    noun: "a task's output",
    optional: ["source", "needsOutput", "resolve", "toString"],
    hint: (name) => `Use output.map(({ ${name} }) => ${name}): a task's output is known only once it has run`,
  }),
);

/**
 * A Ref as the type of a param. This type has no member names of its own, so an editor suggests the names of the param
 * and not `map`.
 */
export interface AnyRef<out T> {
  readonly [ofRef]?: T;
  readonly [isRef]: true;
}

/** T, or a Ref to it, at any depth: what a task's params accept. */
export type OrRef<T> = Own<T> | RefTo<T> | Parts<T>;

/**
 * T itself, but `never` for an object type that is not a union. {@link Parts} accepts the same objects, and an editor
 * shows the description of a property only if a single type has it.
 */
type Own<T> = [T] extends [object]
  ? [T] extends [readonly unknown[] | { readonly module: unknown } | ((...input: never[]) => unknown)]
    ? T
    : [T] extends [AllOf<T>]
      ? never
      : T
  : T;

/** The intersection of a union's members. */
type AllOf<T> = (T extends unknown ? (form: T) => void : never) extends (all: infer A) => void ? A : never;

/**
 * A Ref to a complete T. The type forbids all property names of T, so an error about one property can list what each
 * form of T allows.
 */
export type RefTo<T> = [T] extends [readonly unknown[] | string | number | boolean | undefined]
  ? AnyRef<T>
  : AnyRef<T> & { readonly [K in Exclude<NamesOf<T>, keyof Ref<unknown>>]?: never };

type NamesOf<T> = T extends object ? keyof T : never;

/**
 * T with Refs inside its lists and objects. The type is written out without an alias, so that errors show the allowed
 * values.
 */
type Parts<T> = T extends readonly (infer U)[]
  ? readonly OrRef<U>[]
  : T extends { readonly module: unknown } | ((...input: never[]) => unknown)
    ? never
    : T extends object
      ? { readonly [K in keyof T]: T[K] | AnyRef<T[K]> | Parts<T[K]> }
      : never;

/** The result of replacing the Refs in some input. */
export interface Resolved {
  readonly value: unknown;
  /** Paths of Refs whose task has not run. */
  readonly pending: readonly string[];
  /** Paths of Refs whose value check mode cannot know. */
  readonly unknown: readonly string[];
}

/**
 * Replaces every Ref in plain data. A pending or unknown Ref becomes undefined, and its path is listed. If a task is a
 * param (`restartOn: [conf]`), only the Refs in that task's own params are replaced.
 */
export function resolveRefs(input: unknown, lookup: OutputLookup, hole?: unknown): Resolved {
  const pending: string[] = [];
  const unknown: string[] = [];
  const visit = (value: unknown, path: string): unknown => {
    if (value instanceof Ref) {
      const found: unknown = value.resolve(lookup);
      // The function given to map() may return undefined even after the Ref's task has run: the param then counts as
      // not given.
      if (found === undefined && lookup(value.source) === undefined) pending.push(path);
      else if (found === knownAfterApply) unknown.push(path);
      return found === knownAfterApply ? hole : found;
    }
    if (Array.isArray(value)) return value.map((item, index) => visit(item, `${path}.${index}`));
    if (isNamed(value)) return visitNamed(value, path);
    if (isPlain(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, visit(part, `${path}.${key}`)]));
    }
    return value;
  };
  const visitNamed = (task: Named, path: string): unknown => {
    if (!holdsRef(task.input)) return task;
    const open = pending.length + unknown.length;
    const params = visit(task.input, `${path}.input`);
    if (pending.length + unknown.length === open) return { ...task, input: params };
    return hole === undefined ? task : { ...task, input: hole };
  };
  return { value: visit(input, ""), pending, unknown };
}

/** The tasks of all Refs in `input` whose values check mode cannot know. */
export function unknownSources(input: unknown, lookup: OutputLookup): readonly object[] {
  const sources = new Set<object>();
  const visit = (value: unknown): void => {
    if (value instanceof Ref) {
      if (value.resolve(lookup) === knownAfterApply) sources.add(value.source);
    } else if (Array.isArray(value)) value.forEach(visit);
    else if (isNamed(value)) visit(value.input);
    else if (isPlain(value)) Object.values(value).forEach(visit);
  };
  visit(input);
  return [...sources];
}

interface Named {
  readonly input: unknown;
}

function isNamed(value: unknown): value is Named {
  return typeof value === "object" && value !== null && isNamedTask(value);
}

function holdsRef(value: unknown): boolean {
  if (value instanceof Ref) return true;
  if (Array.isArray(value)) return value.some(holdsRef);
  return isPlain(value) && Object.values(value).some(holdsRef);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !isNamedTask(value);
}

function hasGetters(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).some((property) => "get" in property);
}

import { isFurrowError } from "../errors.ts";
import { isSecret, reveal } from "../secrets/secret.ts";
import { type Absent, absent, isRecord, type KnownAfterApply, knownAfterApply } from "./symbols.ts";
import { ControlFlowError } from "../control-flow-error.ts";

/**
 * The values and parts of values that a task may want for a fact of type T. A record sets only the keys it names, but a
 * list must match exactly. `absent` must be wanted explicitly, and `knownAfterApply` is allowed anywhere.
 */
export type Wanted<T> =
  | KnownAfterApply
  | (T extends Absent
      ? Absent
      : T extends readonly unknown[] | string | number | boolean
        ? T
        : T extends object
          ? { readonly [K in keyof T]?: Wanted<T[K]> | undefined }
          : T);

/** A fact that differs from its want. */
export interface Change<T = unknown> {
  readonly from: T;
  readonly to: Wanted<T>;
  /** The dotted paths of the parts that differ: `mode`, `sha256`; one empty path if the whole value differs. */
  readonly paths: readonly string[];
}

/** The result of comparing a value with a want: it matches, it differs, or part of the value is unknown. */
export type Match = "same" | "differs" | "unknown";

/** Compares a value with a want, by the subset rule. A key that a record lacks is treated as absent. */
export function match(now: unknown, wanted: unknown): Match {
  if (now === wanted || wanted === undefined || wanted === knownAfterApply) return "same";
  if (wanted === absent && now === undefined) return "same";
  if (now === knownAfterApply) return "unknown";
  if (typeof wanted === "string" && typeof now === "string") return sameText(now, wanted) ? "same" : "differs";
  if (Array.isArray(wanted)) return matchList(now, wanted);
  if (isRecord(wanted)) {
    if (!isRecord(now)) return "differs";
    return worst(Object.entries(wanted).map(([key, value]) => match(now[key], value)));
  }
  return Object.is(now, wanted) ? "same" : "differs";
}

function matchList(now: unknown, wanted: readonly unknown[]): Match {
  if (!Array.isArray(now) || now.length !== wanted.length) return "differs";
  return worst(wanted.map((value, index) => match(now[index], value)));
}

function worst(matches: readonly Match[]): Match {
  return matches.includes("differs") ? "differs" : matches.includes("unknown") ? "unknown" : "same";
}

/** Compares two strings with their secrets revealed. */
function sameText(a: string, b: string): boolean {
  return a === b || ((isSecret(a) || isSecret(b)) && reveal(a) === reveal(b));
}

/** The value after `wanted` is applied: the wanted keys replace those of `before`. */
export function merge(before: unknown, wanted: unknown): unknown {
  if (wanted === undefined) return before;
  if (!isRecord(wanted)) return wanted;
  const base = isRecord(before) ? before : {};
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(wanted)) {
    if (value !== undefined) merged[key] = merge(base[key], value);
  }
  return merged;
}

/** One leaf that differs: its dotted path within the fact, and both values. */
export interface Difference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The leaves in which a value differs from a want, in the order of the want. */
export function differences(now: unknown, wanted: unknown, path = ""): Difference[] {
  if (match(now, wanted) === "same") return [];
  if (isRecord(wanted) && isRecord(now)) {
    return Object.entries(wanted).flatMap(([key, value]) =>
      differences(now[key], value, path === "" ? key : `${path}.${key}`),
    );
  }
  return [{ path, from: now === undefined ? absent : now, to: wanted }];
}

/** True if both wants set the same leaf to different values: no host can satisfy both. */
export function contradict(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined || a === knownAfterApply || b === knownAfterApply) return false;
  if (isRecord(a) && isRecord(b)) {
    return Object.keys(a).some((key) => contradict(a[key], b[key]));
  }
  try {
    return match(a, b) === "differs";
  } catch (error) {
    // Plans are compared before secrets are read, so a missing secret does not count as a contradiction. Values with
    // secrets are compared again when the play begins.
    if (isFurrowError(error) && error.code === "E_SECRET") return false;
    throw error;
  }
}

/** True if `value` is or contains `knownAfterApply`. */
export function holdsUnknown(value: unknown): boolean {
  if (typeof value !== "object") return value === knownAfterApply;
  if (Array.isArray(value)) return value.some(holdsUnknown);
  if (!isRecord(value)) return false;
  // Every stage of a task's facts checks all values that were read, so this loop creates no list of them.
  for (const key in value) if (holdsUnknown(value[key])) return true;
  return false;
}

/** Thrown when a task reads an unknown value; the engine catches it. */
export class UnknownValue extends ControlFlowError {}

let strict = false;

/**
 * Runs `act` in strict mode: {@link peek} throws {@link UnknownValue} for an unknown value. Used for forecasts whose
 * steps are performed, because a decision made without a value could differ from one made with it.
 */
export function inStrictMode<T>(act: () => T): T {
  const before = strict;
  strict = true;
  try {
    return act();
  } finally {
    strict = before;
  }
}

/**
 * Returns the value unchanged. Throws {@link UnknownValue} if the value is unknown and the code runs in strict mode
 * ({@link inStrictMode}).
 */
export function checkKnown<T>(value: T, name: string): T {
  if (strict && value === knownAfterApply) throw new UnknownValue(name);
  return value;
}

/** The same value with a guard: reading an unknown part throws {@link UnknownValue}. */
export function guardUnknown<T>(value: T): T {
  if (!holdsUnknown(value) || typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, key, receiver): unknown {
      // The text of an object with an unknown part is also unknown.
      if (key === Symbol.toPrimitive) throw new UnknownValue("a text of an object");
      const part: unknown = Reflect.get(target, key, receiver);
      if (part === knownAfterApply) throw new UnknownValue(String(key));
      return guardUnknown(part);
    },
  });
}

/**
 * One of a task's values without the guard: `knownAfterApply` if it is unknown. For a want that works without the
 * value, e.g. a want that refuses only if a tool is known to be missing.
 */
export function peek<T extends object, K extends keyof T>(now: T, key: K): T[K] | KnownAfterApply {
  return checkKnown(Object.getOwnPropertyDescriptor(now, key)?.value as T[K], String(key));
}

/** True if two values are equal, with their secrets revealed. A key with the value undefined is treated as missing. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((part, at) => sameData(part, b[at]));
  }
  if (isRecord(a) && isRecord(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => sameData(a[key], b[key]));
  }
  return typeof a === "string" && typeof b === "string" ? sameText(a, b) : Object.is(a, b);
}

/** Canonical JSON of a value: sorted keys, symbols as text. Equal values give equal text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "symbol") return `\u0000${part.description ?? ""}`;
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

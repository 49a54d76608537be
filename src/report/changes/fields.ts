import type { Difference } from "../../core/facts/compare.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";

/**
 * Returns the leaves of a value, keyed by path: `ips[0].address`. Empty lists and records are leaves; undefined values
 * are left out.
 */
export function fieldsOf(value: unknown, path = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const parts: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((part, at) => [`${path}[${at}]`, part] as const)
    : isRecord(value)
      ? Object.entries(value).map(([key, part]) => [path === "" ? key : `${path}.${key}`, part] as const)
      : [];
  if (parts.length === 0 && value !== undefined) found.set(path, value);
  for (const [name, part] of parts) for (const [key, leaf] of fieldsOf(part, name)) found.set(key, leaf);
  return found;
}

/** Returns the leaves in which two values differ: first the leaves of `from`, in its order, then new leaves. */
export function fieldDifferences(from: unknown, to: unknown, path = ""): Difference[] {
  const [before, after] = [fieldsOf(from, path), fieldsOf(to, path)];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [old, now] = [before.has(name) ? before.get(name) : absent, after.has(name) ? after.get(name) : absent];
    return isSame(old, now) ? [] : [{ path: name, from: old, to: now }];
  });
}

/** Compares two leaves: symbols, scalars, and empty lists and records. */
function isSame(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));
}

/**
 * True for a list of records or lists, or for a record that contains a list or record. Such a value is easier to read
 * with one line per field.
 */
export function isDeep(value: unknown): boolean {
  const parts = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  return parts.some((part) => Array.isArray(part) || isRecord(part));
}

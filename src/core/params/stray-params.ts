import type { z } from "zod";
import { defOf } from "../secrets/secret-schema.ts";

/**
 * The params that a schema would drop silently, because it is a `z.object`: a param with a misspelled name would count
 * as not given. The result is empty if the schema accepts any name.
 */
export function strayParams(schema: z.ZodType, input: unknown): string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const names = inputNames(schema);
  if (names === undefined) return [];
  return Object.entries(input).flatMap(([name, value]) => (value === undefined || names.has(name) ? [] : [name]));
}

const known = new WeakMap<z.ZodType, { readonly names: ReadonlySet<string> | undefined }>();

function inputNames(schema: z.ZodType): ReadonlySet<string> | undefined {
  const before = known.get(schema);
  if (before !== undefined) return before.names;
  const names = namesOf(schema, 0);
  known.set(schema, { names });
  return names;
}

/** The names that a schema accepts as its input; undefined if it accepts any name. */
function namesOf(schema: z.ZodType, depth: number): ReadonlySet<string> | undefined {
  const { type, shape, catchall, innerType, in: first, out, left, right, options = [], getter } = defOf(schema);
  // Stops at a schema that contains only itself.
  if (depth > 20) return undefined;
  if (shape !== undefined) {
    return catchall === undefined || defOf(catchall).type === "never" ? new Set(Object.keys(shape)) : undefined;
  }
  // The names after a preprocessing step are not those of the input.
  const parts = type === "pipe" ? [first] : [innerType, left, right, ...options, out, getter?.()];
  const given = parts.filter((part) => part !== undefined);
  const sets = given.map((part) => namesOf(part, depth + 1));
  if (sets.length === 0 || sets.includes(undefined)) return undefined;
  return new Set(sets.flatMap((names) => [...(names ?? [])]));
}

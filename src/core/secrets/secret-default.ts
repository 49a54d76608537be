import type { z } from "zod";
import { Secret, secretOf } from "./secret.ts";
import { deepest, defOf, isMarked, ofKey } from "./secret-schema.ts";

/**
 * The output of a schema, with default values of secret parts replaced by secrets. zod returns a default, or the value
 * of a `catch`, without passing it through the schema that would make it a secret.
 */
export function withSecretDefaults(schema: z.ZodType, data: unknown): unknown {
  return holdsDefault(schema) ? replaced(schema, data, 0) : data;
}

function replaced(schema: z.ZodType, data: unknown, depth: number): unknown {
  if (data === undefined || data === null || depth > deepest || data instanceof Secret) return data;
  if (typeof data === "string" && data !== "" && isSecretDefault(schema)) return secretOf(data, "var");
  let whole: unknown = data;
  for (const part of sameOutput(schema)) whole = replaced(part, whole, depth + 1);
  const inner = (value: unknown, key: PropertyKey): unknown => {
    let one = value;
    for (const part of ofKey(schema, key)) one = replaced(part, one, depth + 1);
    return one;
  };
  if (Array.isArray(whole)) return whole.map((value, at) => inner(value, at));
  if (typeof whole !== "object" || whole === null || Object.getPrototypeOf(whole) !== Object.prototype) return whole;
  return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, inner(value, key)]));
}

/** The schemas whose output is this schema's output; for a transformation, only its last schema. */
function sameOutput(schema: z.ZodType): z.ZodType[] {
  const { innerType, out, left, right, options = [], getter } = defOf(schema);
  return [innerType, out, left, right, ...options, getter?.()].filter((part) => part !== undefined);
}

const known = new WeakMap<z.ZodType, boolean>();

/**
 * True if a part of a schema is a default for a secret. Cached, because there are many params and few of their schemas
 * have such a default.
 */
function holdsDefault(schema: z.ZodType): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  // Stops the recursion in a schema that contains itself.
  known.set(schema, false);
  const { shape, catchall, items = [], rest, element, valueType } = defOf(schema);
  const below = [...Object.values(shape ?? {}), catchall, ...items, rest, element, valueType];
  const parts = [...sameOutput(schema), ...below].filter((part) => part !== undefined && part !== null);
  const holds = isSecretDefault(schema) || parts.some(holdsDefault);
  known.set(schema, holds);
  return holds;
}

const wrappers: ReadonlySet<string | undefined> = new Set(["optional", "nullable", "nonoptional", "readonly"]);

/** True for a default, or a `catch`, around a schema whose values are secret. */
function isSecretDefault(schema: z.ZodType): boolean {
  const { type, innerType } = defOf(schema);
  return (type === "default" || type === "catch") && innerType !== undefined && isSecret(innerType);
}

function isSecret(schema: z.ZodType): boolean {
  if (isMarked(schema)) return true;
  const { type, innerType } = defOf(schema);
  const passes = wrappers.has(type) || type === "default" || type === "catch";
  return passes && innerType !== undefined && isSecret(innerType);
}

import type { z } from "zod";
import { Secret, secretOf } from "./secret.ts";

/** Names that mark a value as secret even if no schema does: `dbPassword`, `api_key`, `pw`. */
const secretName =
  /pass(?:word|wd|phrase)?(?![a-z])|passw|(?:^|[._-])(?:pw|pwd|pin|psk)(?![a-z])|secret|token|credential|(?:api|private|access|signing|encryption)[_-]?key/i;

/** The text that messages show in place of a secret value. */
export const notShown = "(not shown)";

/** Names of values that only refer to a secret: `private_key_file`, `tokenUrl`. */
const notItself = /(?:file|path|folder|dir|url|name|length|id|policy)s?$/i;

/** True if a name, or a path such as `hosts.web1.password`, marks its value as secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !notItself.test(name);
}

/** True if a name says that its value only refers to a secret: `secretName`, `tokenPath`. */
export function refersToSecret(name: string): boolean {
  return secretName.test(name) && notItself.test(name);
}

const secretSchemas = new WeakMap<z.ZodType, SecretParts>();

/** The secret parts of a string: by default the whole text. */
type SecretParts = (text: string) => readonly string[];

/** Marks a schema whose values are always secret, or have secret parts. */
export function alwaysSecret<S extends z.ZodType>(schema: S, partsOf: SecretParts = (text) => [text]): S {
  secretSchemas.set(schema, partsOf);
  return schema;
}

const unquotedSchemas = new WeakSet<z.ZodType>();

/** Marks a schema whose values may be secret, so that no error about params quotes them. */
export function neverQuoted<S extends z.ZodType>(schema: S): S {
  unquotedSchemas.add(schema);
  return schema;
}

/** The parts of a zod schema's definition that contain other schemas. */
export interface SchemaDef {
  readonly type?: string;
  readonly shape?: Readonly<Record<PropertyKey, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly items?: readonly z.ZodType[];
  readonly rest?: z.ZodType | null;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly left?: z.ZodType;
  readonly right?: z.ZodType;
  readonly getter?: () => z.ZodType;
}

/** The definition of a schema. */
export function defOf(schema: z.ZodType): SchemaDef {
  return (schema as unknown as { def: SchemaDef }).def;
}

/** True for a schema that {@link alwaysSecret} marked, and for copies of it. */
export function isMarked(schema: z.ZodType): boolean {
  return originals(schema).some((own) => secretSchemas.has(own));
}

/** A schema and the schemas that it was copied from: adding a description or refinement makes a copy. */
function originals(schema: z.ZodType): z.ZodType[] {
  const parent = schema._zod.parent as z.ZodType | undefined;
  return [schema, ...(parent === undefined ? [] : originals(parent))];
}

function isUnquoted(schema: z.ZodType): boolean {
  return originals(schema).some((own) => secretSchemas.has(own) || unquotedSchemas.has(own));
}

/** The schemas that apply to the same data as this one: the schemas that it wraps, and the branches of a union. */
function sameData(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: first, out, left, right, options = [], getter } = defOf(schema);
  return [innerType, first, out, left, right, ...options, getter?.()].filter((part) => part !== undefined);
}

/** The schemas for one key of the data. */
export function ofKey(schema: z.ZodType, key: PropertyKey): z.ZodType[] {
  const { shape, catchall, items, rest, element, valueType } = defOf(schema);
  // A var may have the same name as a member of every object: `constructor`.
  const own = shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : catchall;
  const item = items?.[Number(key)] ?? (items === undefined ? undefined : rest);
  return [own, item, element, valueType].filter((part) => part !== undefined && part !== null);
}

/** The recursion limit, for schemas that contain themselves; no vars are nested this deep. */
export const deepest = 40;

/**
 * True if a schema marks the value at a path, a value that contains it, or a value inside it as secret or as {@link
 * neverQuoted}. Values inside it count because a value of the wrong shape, such as a password in place of a list of
 * passwords, is as secret as its parts would be. A union marks a value if any of its branches does.
 */
export function isSecretAt(schema: z.ZodType, path: readonly PropertyKey[], depth = 0): boolean {
  if (isUnquoted(schema)) return true;
  if (depth > deepest) return false;
  const [key, ...rest] = path;
  if (key === undefined) return containsSecret(schema);
  return (
    sameData(schema).some((part) => isSecretAt(part, path, depth + 1)) ||
    ofKey(schema, key).some((part) => isSecretAt(part, rest, depth + 1))
  );
}

/** True if a schema marks its value or any value inside it as secret. */
function containsSecret(schema: z.ZodType, seen = new Set<z.ZodType>()): boolean {
  if (isUnquoted(schema)) return true;
  // A lazy schema may make a new schema on every call, so the set alone does not end the recursion.
  if (seen.has(schema) || seen.size > mostSchemas) return false;
  seen.add(schema);
  const { shape = {}, catchall, items = [], rest, element, valueType } = defOf(schema);
  const inside = [...Object.values(shape), catchall, ...items, rest, element, valueType];
  return [...sameData(schema), ...inside].some(
    (part) => part !== undefined && part !== null && containsSecret(part, seen),
  );
}

/** The maximum number of schemas that one search visits. */
const mostSchemas = 10_000;

/**
 * Turns all values that a schema marks as secret into secrets, whether or not they match the schema, so that no output
 * shows them. Call it as soon as schema and data are known, before any check.
 */
export function hideSecrets(schema: z.ZodType, data: unknown, depth = 0): void {
  if (data === undefined || depth > deepest) return;
  for (const own of originals(schema)) hideTexts(data, secretSchemas.get(own));
  for (const part of sameData(schema)) hideSecrets(part, data, depth + 1);
  if (typeof data !== "object" || data === null || data instanceof Secret) return;
  for (const [key, value] of Object.entries(data)) {
    for (const part of ofKey(schema, key)) hideSecrets(part, value, depth + 1);
  }
}

/** Shorter numbers, `true` and `null` occur in almost any output, so they cannot be hidden. */
const shortestNumber = 4;

function hideTexts(value: unknown, partsOf: SecretParts | undefined): void {
  if (partsOf === undefined || value instanceof Secret) return;
  if (typeof value === "object" && value !== null) {
    // Keys are names, not values. Hiding them would remove these words from every output.
    for (const part of Object.values(value)) hideTexts(part, partsOf);
  } else if (typeof value === "string" || (typeof value === "number" && String(value).length >= shortestNumber)) {
    for (const part of partsOf(String(value))) if (part !== "") secretOf(part, "var");
  }
}

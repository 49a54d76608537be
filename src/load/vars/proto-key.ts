/**
 * The paths of all values inside `value` that have a key named `__proto__`. JSON and YAML may contain such a key, but a
 * schema would leave it out, and the entry that the user wrote would be missing.
 */
export function withProtoKey(value: unknown, path: string, seen = new Set<object>()): string[] {
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  const below = Object.entries(value).flatMap(([key, part]) => withProtoKey(part, `${path}.${key}`, seen));
  return Object.hasOwn(value, "__proto__") ? [path, ...below] : below;
}

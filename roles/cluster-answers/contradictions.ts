/** The error for a list of conditions in which a type occurs twice. */
export const doubledCondition = "the same condition twice";

/** True if each condition occurs once: if two have the same type, a guard could read either. */
export function isEachOnce(conditions: readonly { readonly type: string }[]): boolean {
  return new Set(conditions.map(({ type }) => type)).size === conditions.length;
}

/** Returns the first name that occurs twice; undefined if each occurs once. A cluster lists an object only once. */
export function doubled(names: readonly (string | undefined)[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => name !== undefined && seen.size === seen.add(name).size);
}

/**
 * Matches a name against OpenSSH pattern lists (ssh_config(5), PATTERNS): `*` matches any text, `?` matches one
 * character, and `!` negates. A name matches if some pattern matches it and no negated pattern does.
 */
export function globList(patterns: readonly string[], name: string): boolean {
  let found = false;
  for (const pattern of patterns) {
    const negated = pattern.startsWith("!");
    if (!glob(negated ? pattern.slice(1) : pattern, name)) continue;
    if (negated) return false;
    found = true;
  }
  return found;
}

function glob(pattern: string, name: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === name;
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(name);
}

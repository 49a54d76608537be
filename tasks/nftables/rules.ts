/** Returns what is expected instead of a table's content; undefined if the content can affect only the table. */
export function problemOfRules(rules: string): string | undefined {
  if (/\0/.test(rules)) return "rules without NUL";
  const code = withoutCommentsAndStrings(rules);
  if (code === undefined) return 'rules in which every " is closed on the same line';
  if (/\bflush\s+ruleset\b/.test(code)) {
    return "rules without `flush ruleset`, which would empty all tables on the host";
  }
  if (/^\s*(add\s+|delete\s+|destroy\s+)?table\s/m.test(code)) {
    return "only the content of the table, without `table … {` around it";
  }
  if (/(^|[;{}\n])\s*include\b/.test(code))
    return "rules without include: their meaning must not depend on other files";
  let depth = 0;
  for (const brace of code.match(/[{}]/g) ?? []) {
    depth += brace === "{" ? 1 : -1;
    if (depth < 0) return "rules in which every } has a matching {";
  }
  return depth === 0 ? undefined : "rules in which every { is closed";
}

/**
 * Removes comments (from # to the end of the line) and strings (from " to " on one line). Undefined if a string is not
 * closed.
 */
function withoutCommentsAndStrings(rules: string): string | undefined {
  const lines = rules.split("\n").map((line) => {
    const code = /^((?:[^"#]|"[^"]*")*)(#.*)?$/.exec(line)?.[1];
    return code?.replaceAll(/"[^"]*"/g, '""');
  });
  return lines.includes(undefined) ? undefined : lines.join("\n");
}

/** True if the rules themselves add elements to sets, so the content of the sets is not part of the desired state. */
export function addsElements(rules: string): boolean {
  return /\b(dynamic|timeout)\b/.test(withoutCommentsAndStrings(rules) ?? "");
}

/**
 * Returns the file that replaces the table in one transaction (nft(8): a file is applied as a whole or not at all). The
 * first line creates the table if it does not exist, so the second line can delete it.
 */
export function sourceOf(family: string, table: string, rules: string): string {
  const name = `${family} ${table}`;
  return `table ${name}\ndelete table ${name}\ntable ${name} {\n${rules.replace(/\n*$/, "")}\n}\n`;
}

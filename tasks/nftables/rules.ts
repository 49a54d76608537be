/** What is wrong with the inside of a table; undefined where it cannot reach beyond its table. */
export function problemOfRules(rules: string): string | undefined {
  if (/\0/.test(rules)) return "rules without NUL";
  const code = withoutCommentsAndStrings(rules);
  if (code === undefined) return 'rules in which every " has its pair in the same line';
  if (/\bflush\s+ruleset\b/.test(code)) {
    return "rules without `flush ruleset`, which would empty the tables of everybody else on the host";
  }
  if (/^\s*(add\s+|delete\s+|destroy\s+)?table\s/m.test(code)) {
    return "the inside of the table only, without `table … {` around it";
  }
  if (/(^|[;{}\n])\s*include\b/.test(code))
    return "rules without include: what they mean must not depend on other files";
  let depth = 0;
  for (const brace of code.match(/[{}]/g) ?? []) {
    depth += brace === "{" ? 1 : -1;
    if (depth < 0) return "rules in which no } closes more than was opened";
  }
  return depth === 0 ? undefined : "rules in which every { is closed";
}

/** Comments run from # to the end of the line, strings from " to " in one line. Undefined where a string does not end. */
function withoutCommentsAndStrings(rules: string): string | undefined {
  const lines = rules.split("\n").map((line) => {
    const code = /^((?:[^"#]|"[^"]*")*)(#.*)?$/.exec(line)?.[1];
    return code?.replaceAll(/"[^"]*"/g, '""');
  });
  return lines.includes(undefined) ? undefined : lines.join("\n");
}

/** True where the rules add elements to sets by themselves, so that what the sets hold is nobody's want. */
export function addsElements(rules: string): boolean {
  return /\b(dynamic|timeout)\b/.test(withoutCommentsAndStrings(rules) ?? "");
}

/**
 * The file that puts the table in place of what there is of it, in one transaction (nft(8): a file is applied as a
 * whole or not at all). The first line makes the second possible where there is no such table.
 */
export function sourceOf(family: string, table: string, rules: string): string {
  const name = `${family} ${table}`;
  return `table ${name}\ndelete table ${name}\ntable ${name} {\n${rules.replace(/\n*$/, "")}\n}\n`;
}

/**
 * Returns a regular expression for a path pattern in an AppArmor profile, in which variables are already expanded.
 * `*` and `?` stop at a slash, `**` does not. A `*` or `**` that follows a slash and ends the name matches at least one
 * character (apparmor.d(5), "Globbing").
 */
export function pathPattern(pattern: string): RegExp {
  let source = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern[at] ?? "";
    if (sign === "\\") {
      at += 1;
      source += literal(pattern[at] ?? "\\");
    } else if (sign === "*") {
      const stars = /^\*+/.exec(pattern.slice(at))?.[0].length ?? 1;
      const after = pattern[at + stars];
      const whole = pattern[at - 1] === "/" && (after === undefined || after === "/");
      source += (whole ? "[^/]" : "") + (stars > 1 ? "[^]*" : "[^/]*");
      at += stars - 1;
    } else if (sign === "?") {
      source += "[^/]";
    } else if (sign === "[") {
      const end = pattern.indexOf("]", at + 2);
      if (end < 0) source += String.raw`\[`;
      else {
        source += `(?!/)[${pattern.slice(at + 1, end).replaceAll("\\", String.raw`\\`)}]`;
        at = end;
      }
    } else if (sign === "{") {
      depth += 1;
      source += "(?:";
    } else if (sign === "}" && depth > 0) {
      depth -= 1;
      source += ")";
    } else if (sign === "," && depth > 0) {
      source += "|";
    } else source += literal(sign);
  }
  return new RegExp(`^(?:${source})$`, "u");
}

function literal(sign: string): string {
  return sign.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
}

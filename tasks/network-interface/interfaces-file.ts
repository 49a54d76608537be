/** The file that ifupdown reads first. */
export const interfacesPath = "/etc/network/interfaces";
const include = "source /etc/network/interfaces.d/*";
const mark = "# furrow: ";
/** The keywords that begin a stanza or a single line (interfaces(5)). */
const begins = /^\s*(iface|mapping|auto|allow-\S+|no-auto-down|no-scripts|source|source-directory|rename|template)\b/;

/**
 * The new text of /etc/network/interfaces: the stanzas of these interfaces are commented out, because furrow's own
 * files define them, and any missing lines that make ifupdown read furrow's files are added.
 */
export function withoutStanzas(text: string, names: readonly string[]): string {
  let isOurs = false;
  const lines = text.split("\n").map((line) => {
    const words = line.trim().split(/\s+/);
    if (begins.test(line)) isOurs = words[0] === "iface" && names.includes(words[1] ?? "");
    if (isOurs) return line.trim() === "" || line.trim().startsWith("#") ? line : `${mark}${line}`;
    if (!/^(auto|allow-\S+|no-auto-down|no-scripts)$/.test(words[0] ?? "")) return line;
    const left = words.slice(1).filter((name) => !names.includes(name));
    if (left.length === words.length - 1) return line;
    return left.length === 0 ? `${mark}${line}` : [words[0], ...left].join(" ");
  });
  const missing = missingSources(lines, names);
  if (missing.length === 0) return lines.join("\n");
  const result = lines.join("\n");
  return `${result}${result === "" || result.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`;
}

/**
 * The missing lines that make ifupdown read the files of these interfaces; ifupdown reads a file twice if two lines
 * name it.
 */
function missingSources(lines: readonly string[], names: readonly string[]): string[] {
  const has = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  if (has(/^\s*source\s+(\/etc\/network\/)?interfaces\.d\/\*\s*$/)) return [];
  if (!has(/^\s*source-directory\s+(\/etc\/network\/)?interfaces\.d\/?\s*$/)) return [include];
  // source-directory ignores names with any other character.
  return names
    .filter((name) => !/^[\w-]+$/.test(name))
    .map((name) => `source /etc/network/interfaces.d/furrow-${name}`)
    .filter((line) => !lines.some((other) => other.trim().split(/\s+/).join(" ") === line));
}

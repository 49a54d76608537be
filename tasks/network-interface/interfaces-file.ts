/** Where ifupdown looks first. */
export const interfacesPath = "/etc/network/interfaces";
const include = "source /etc/network/interfaces.d/*";
const mark = "# furrow: ";
/** The words that begin a stanza, or stand alone (interfaces(5)). */
const begins = /^\s*(iface|mapping|auto|allow-\S+|no-auto-down|no-scripts|source|source-directory|rename|template)\b/;

/**
 * The text of /etc/network/interfaces with the stanzas of these interfaces as comments, because furrow's own files define
 * them, and with a line that reads furrow's own files.
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
  const isIncluded = lines.some((line) =>
    /^\s*(source\s+\/etc\/network\/interfaces\.d\/\*|source-directory\s+\/etc\/network\/interfaces\.d\/?)\s*$/.test(
      line,
    ),
  );
  const result = lines.join("\n");
  if (isIncluded) return result;
  return `${result}${result === "" || result.endsWith("\n") ? "" : "\n"}${include}\n`;
}

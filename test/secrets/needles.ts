/**
 * The forms in which a value may appear in text. The forms are listed here a second time, because the search for leaks
 * must not share its list with the code that prevents them. All are strings with one character per byte (latin1).
 */
export function needlesOf(value: string): readonly string[] {
  // The lines of a multi-line value are searched for one by one; their beginnings are not secret.
  const lines = value.split("\n").filter((line) => line.length > 8 && !line.startsWith("-----"));
  return [...new Set(lines.flatMap(formsOf))];
}

function formsOf(line: string): string[] {
  const bytes = Buffer.from(line);
  const json = JSON.stringify(line).slice(1, -1);
  const texts = [
    line,
    json,
    json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    JSON.stringify(json).slice(1, -1),
    JSON.stringify(JSON.stringify(json).slice(1, -1)).slice(1, -1),
    // As Go's JSON encoder writes it.
    json.replaceAll(/[&<>]/g, (unit) => String.raw`\u00` + unit.charCodeAt(0).toString(16)),
    Array.from(line, (unit) => String.raw`\u` + (unit.codePointAt(0) ?? 0).toString(16).padStart(4, "0")).join(""),
    Array.from(line, (unit) => `&#${unit.codePointAt(0) ?? 0};`).join(""),
    Array.from(line, (unit) => `&#x${(unit.codePointAt(0) ?? 0).toString(16)};`).join(""),
    // As bash's `printf %q` writes it.
    line.replaceAll(/[^\w#%+./:=@~-]/g, String.raw`\$&`),
    line.replaceAll("'", String.raw`'\''`),
    line.replaceAll(/["$\\`]/g, String.raw`\$&`),
    encodeURIComponent(line),
    encodeURI(line),
    encodeURIComponent(line).replaceAll("%20", "+"),
    new URLSearchParams([["", line]]).toString().slice(1),
    // The random words alone, which also find a secret that was cut in half, truncated, wrapped or requoted.
    ...(line.match(/[\w-]{12,}/g) ?? []),
  ];
  const whole = texts.map((text) => Buffer.from(text).toString("latin1"));
  return [...whole, ...base64Of(bytes), bytes.toString("hex"), bytes.toString("hex").toUpperCase()];
}

/**
 * The parts of the base64 form that do not depend on the surrounding data, for each of three alignments and both
 * alphabets.
 */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const sure = padded.slice(Math.ceil((offset * 4) / 3) + 1, -2);
    return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** The secrets that occur in the text, each with the form in which it was found. */
export function found(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, value]) =>
    needlesOf(value)
      .filter((needle) => text.includes(needle))
      .map((needle) => `${name} as ${needle}`),
  );
}

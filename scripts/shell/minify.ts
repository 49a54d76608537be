/** The names and constants to replace in order to shorten a script. */
export interface Shortening {
  /** Functions and variables: full name → short name. */
  readonly names: Readonly<Record<string, string>>;
  /** Constants from the surrounding TypeScript: name in capitals → value. */
  readonly constants: Readonly<Record<string, number>>;
}

/** The context of a character in a script: between commands, in double quotes, in `$(…)`, or in `${…}`. */
type Place = "code" | "quotes" | "command" | "value";

/**
 * Minifies a script before it is sent to a host: removes comments, indentation and unnecessary spaces, and shortens
 * names. Comments must be whole lines. Throws if quotes or brackets are not closed.
 */
export function minify(source: string, { names, constants }: Shortening): string {
  const shorter = replaceWords(stripBlanks(source), names);
  const values = Object.entries(constants);
  return values.reduce((text, [name, value]) => {
    const uses = new RegExp(String.raw`"\$${name}"|\$?\b${name}\b`, "g");
    return text.replaceAll(uses, String(value));
  }, shorter);
}

/**
 * Replaces words that a shell would interpret as names: `a_b` in `$a_b`, `${a_b%c}`, `a_b=` and `a_b "$1"`. Throws if
 * such a word is part of a path.
 */
function replaceWords(text: string, names: Readonly<Record<string, string>>): string {
  return text.replaceAll(/(?<!\w)[a-z]\w*(?!\w)/g, (word, at: number) => {
    if (!Object.hasOwn(names, word)) return word;
    if (/[/.@-]/.test(text[at - 1] ?? ""))
      throw new Error(`${word} is a name and appears in a path: choose another name`);
    return names[word] ?? "";
  });
}

function stripBlanks(source: string): string {
  const places: Place[] = ["code"];
  let out = "";
  let at = 0;
  const take = (length: number): void => {
    out += source.slice(at, at + length);
    at += length;
  };
  const open = (place: Place, length: number): void => {
    places.push(place);
    take(length);
  };
  const isCode = (): boolean => ["code", "command"].includes(places.at(-1) ?? "");
  while (at < source.length) {
    const char = source[at] ?? "";
    const here = places.at(-1);
    if (char === "\\") take(2);
    else if (source.startsWith("${", at)) open("value", 2);
    else if (source.startsWith("$((", at)) take(source.indexOf("))", at) + 2 - at);
    else if (source.startsWith("$(", at)) open("command", 2);
    else if (char === '"' && here === "quotes") {
      places.pop();
      take(1);
    } else if (char === '"') open("quotes", 1);
    else if (here === "value" && char === "}") {
      places.pop();
      take(1);
    } else if (!isCode()) take(1);
    else if (char === "'") take(source.indexOf("'", at + 1) + 1 - at);
    else if (char === "(") open("command", 1);
    else if (char === ")") {
      // The bracket after a `case` pattern does not close anything.
      if (here === "command") places.pop();
      take(1);
    } else if (/[ \t\n]/.test(char)) {
      const blanks = /(?:[ \t]|\n(?:[ \t]*(?:#[^\n]*)?(?=\n))*)+/y;
      blanks.lastIndex = at;
      const found = blanks.exec(source)?.[0] ?? char;
      at += found.length;
      out += blankBetween(out, source.slice(at, at + 2), found.includes("\n"));
    } else if (char === "#" && out === "") at = source.indexOf("\n", at);
    else take(1);
  }
  if (places.length > 1) throw new Error(`the script ends within ${places.at(-1)}`);
  return `${out.trim()}\n`;
}

/** The space that is needed between the text so far and the next text, if any. */
function blankBetween(before: string, next: string, isLineEnd: boolean): string {
  if (before === "") return "";
  if (/(?:;;|\|\||&&|\|)$/.test(before) || next === ";;") return "";
  if (isLineEnd) return before.endsWith("\n") ? "" : "\n";
  return before.endsWith(";") || /^(?:\||&&|;)/.test(next) ? "" : " ";
}

/**
 * Splits a line into words as Python's `shlex.split` does. Quotes protect spaces and are removed. A backslash makes the
 * next character literal. With `comments`, `#` starts a comment even inside a word. Undefined if a quote is not closed.
 */
export function shellWords(line: string, comments: boolean): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (/[ \t\r\n]/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "#" && comments) {
      break;
    } else if (character === "'" || character === '"') {
      const quoted = readQuoted(line, at);
      if (quoted === undefined) return undefined;
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (character === "\\") {
      at += 1;
      if (at >= line.length) return undefined;
      word = (word ?? "") + (line[at] ?? "");
    } else {
      word = (word ?? "") + character;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** The text inside the quotes that open at `start`, and the index of the closing quote. */
function readQuoted(line: string, start: number): { text: string; end: number } | undefined {
  const quote = line[start];
  let text = "";
  for (let at = start + 1; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (character === quote) return { text, end: at };
    const next = line[at + 1] ?? "";
    if (character === "\\" && quote === '"' && (next === '"' || next === "\\")) {
      text += next;
      at += 1;
    } else {
      text += character;
    }
  }
  return undefined;
}

/** One option of ssh, such as `-p 22`, or a word that is not an option. */
export interface SshWord {
  /** The option's letter; empty for a word that is not an option. */
  readonly flag: string;
  /** The option's value; empty for an option without one. */
  readonly value: string;
}

/** The options of ssh(1) that take a value. */
const withValue = /[BbcDEeFIiJLlmOopPQRSWw]/;

/**
 * Splits ssh's arguments into options as getopt(3) does: `-Cp 22` is `-C` and `-p 22`. Undefined if a quote is open.
 */
export function sshWords(text: string): SshWord[] | undefined {
  const words = shellWords(text, false);
  if (words === undefined) return undefined;
  const found: SshWord[] = [];
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (!/^-[^-]/.test(word)) {
      found.push({ flag: "", value: word });
      continue;
    }
    const letters = word.slice(1);
    const last = letters.search(withValue);
    const plain = last < 0 ? letters : letters.slice(0, last);
    found.push(...plain.split("").map((flag) => ({ flag, value: "" })));
    if (last < 0) continue;
    const glued = letters.slice(last + 1);
    found.push({ flag: letters.charAt(last), value: glued === "" ? (queue.shift() ?? "") : glued });
  }
  return found;
}

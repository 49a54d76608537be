/**
 * The words of a line as Python's `shlex.split` with comments has them: quotes hold blanks together and go, a backslash
 * takes the next character as it is, `#` ends the line even inside a word. Undefined where a quote is not closed.
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

/** The text between quotes that begin at `start`, and where they end. */
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

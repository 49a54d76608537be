/** Characters that a backslash escapes; before any other character, a backslash is literal. */
const escapable = /['"\\]/;

/**
 * Splits a line of ssh_config into words like OpenSSH's `argv_split` (misc.c). Whitespace separates words unless it is
 * in single or double quotes; a `#` at the start of a word begins a comment. Undefined if a quote is not closed.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    const next = text.charAt(at + 1);
    if (quote === "" && (letter === " " || letter === "\t")) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (word === undefined && letter === "#") {
      break;
    } else if (letter === "\\" && (escapable.test(next) || (quote === "" && next === " "))) {
      word = (word ?? "") + next;
      at += 1;
    } else if (quote === "" && (letter === '"' || letter === "'")) {
      quote = letter;
      word ??= "";
    } else if (quote !== "" && letter === quote) {
      quote = "";
    } else {
      word = (word ?? "") + letter;
    }
  }
  if (quote !== "") return undefined;
  return word === undefined ? words : [...words, word];
}

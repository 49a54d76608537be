/** Characters that a backslash takes the meaning from; before any other it stands for itself. */
const escapable = /['"\\]/;

/**
 * The words of a line of ssh_config as OpenSSH's `argv_split` cuts them (misc.c): blanks part words, single and double
 * quotes join what stands between them, a `#` that begins a word begins a comment. Undefined where a quote stays open.
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

/** Flags that limit the hosts. The rerun command has its own limit instead. */
const limits = /^(--limit|-l)$/;

/**
 * Builds the command that reruns a playbook for its unfinished hosts, from the command-line words after `furrow`.
 * Leaves out the values of `--var`, because they may be secrets: `--var token=…`.
 */
export function rerunCommand(words: readonly string[]): string {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (limits.test(word)) at += 1;
    else if (/^(--limit=|-l.)/.test(word)) continue;
    else if (/^(--var|-e)$/.test(word)) {
      kept.push(word, shownVar(words[at + 1] ?? ""));
      at += 1;
    } else {
      const [, flag, value] = /^(--var=|-e)(.+)$/s.exec(word) ?? [];
      kept.push(flag === undefined || value === undefined ? quoted(word) : `${flag}${shownVar(value)}`);
    }
  }
  return ["furrow", ...kept, "--limit", "@unfinished"].join(" ");
}

/** Shows the name of a vars file, but never the value of a var. */
function shownVar(text: string): string {
  if (text.startsWith("@")) return quoted(text);
  const [, name] = /^([\w.-]+)=/.exec(text) ?? [];
  return name === undefined ? "…" : `${name}=…`;
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w./,:@=+%-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

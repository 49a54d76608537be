/** Flags that choose hosts: a rerun chooses its own. */
const limits = /^(--limit|-l)$/;

/**
 * The command that runs a playbook again for the hosts that were left unfinished, from the words of the command line behind
 * `furrow`. Values of `--var` are left out, as they may be secrets: `--var token=…`.
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

/** A file of vars may be named; a value may not. */
function shownVar(text: string): string {
  if (text.startsWith("@")) return quoted(text);
  const [, name] = /^([\w.-]+)=/.exec(text) ?? [];
  return name === undefined ? "…" : `${name}=…`;
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./,:@=+%-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

import { shownValue } from "../../core/secrets/shown-value.ts";
import { hiddenValue } from "../../load/vars/var-flag.ts";

/** Flags that limit the hosts. The rerun command has its own limit instead. */
const limits = /^(--limit|-l)$/;

/**
 * Builds the command that reruns a playbook for its unfinished hosts, from the command-line words after `furrow`. A
 * value of `--var` that is or contains a secret, or whose name or a key inside it sounds like one, is left out:
 * `--var token=…`.
 */
export function rerunCommand(
  words: readonly string[],
  isSecret: (text: string) => boolean,
  command = "furrow",
): string {
  const shownVar = (text: string): string => {
    const [, name, value] = (text.startsWith("{") ? undefined : /^([^=\s]+)=(.*)$/s.exec(text)) ?? [];
    if (!isSecret(text) && !soundsSecret(name ?? "", value ?? text)) return quoted(text);
    return name === undefined ? hiddenValue : `${name}=${hiddenValue}`;
  };
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
  return [command, ...kept, "--limit", "@unfinished"].join(" ");
}

function soundsSecret(name: string, text: string): boolean {
  const keys = [name];
  let value: unknown = text;
  try {
    value = JSON.parse(text, (key, part: unknown) => {
      keys.push(key);
      return part;
    });
  } catch {
    // The value is not JSON.
  }
  const isHidden = JSON.stringify(shownValue(name, value)) !== JSON.stringify(value);
  return isHidden || keys.some((key) => /pass|secret|token|key/i.test(key));
}

/**
 * The command that started furrow, as a person would type it in a shell: `npx furrow` if the program, which is
 * `process.argv[1]`, is in the project's `node_modules/.bin`. Only npx and npm's scripts have that folder in their
 * PATH.
 */
export function furrowCommand(program: string | undefined): string {
  return /[\\/]node_modules[\\/]\.bin[\\/]/.test(program ?? "") ? "npx furrow" : "furrow";
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w./,:@=+%-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

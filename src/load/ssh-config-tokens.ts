import { join } from "node:path";

/** Replaces `%x` tokens (ssh_config(5), TOKENS); unknown ones stay as they are, `%%` is a percent sign. */
export function expandTokens(text: string, tokens: Readonly<Record<string, string>>): string {
  return text.replaceAll(/%(.)/g, (whole, letter: string) => (letter === "%" ? "%" : (tokens[letter] ?? whole)));
}

/** A path of ssh_config: `~`, `${NAME}` and tokens replaced. */
export function expandPath(
  path: string,
  tokens: Readonly<Record<string, string>>,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const absolute = path === "~" ? home : path.startsWith("~/") ? join(home, path.slice(2)) : path;
  const filled = absolute.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => env[name] ?? whole);
  return expandTokens(filled, { ...tokens, d: home });
}

import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { FurrowError } from "../../core/errors.ts";

/** The values of `%` tokens by letter (ssh_config(5), TOKENS). */
export type Tokens = Readonly<Record<string, string>>;

/** The connection settings known so far, from which tokens get their values. */
export interface Told {
  /** The requested name, before HostName. */
  readonly name: string;
  readonly address: string;
  readonly user: string;
  readonly port: number;
  readonly alias: string | undefined;
  readonly localUser: string;
  readonly home: string;
}

/** All tokens that are allowed in file names and `Match exec` commands. */
export function allTokens({ name, address, user, port, alias, localUser, home }: Told): Tokens {
  const local = hostname();
  return {
    C: createHash("sha1").update(`${local}${address}${port}${user}`).digest("hex"),
    d: home,
    h: address,
    i: String(process.getuid?.() ?? 0),
    k: alias ?? name,
    L: local.split(".")[0] ?? local,
    l: local,
    n: name,
    p: String(port),
    r: user,
    u: localUser,
  };
}

/** The tokens with these letters. */
export function onlyTokens(tokens: Tokens, letters: string): Tokens {
  return Object.fromEntries(Object.entries(tokens).filter(([letter]) => letters.includes(letter)));
}

/** Replaces `%x` tokens; `%%` is a percent sign. Like ssh, refuses a token that is not in `tokens`: throws E_FILE. */
export function expandTokens(text: string, tokens: Tokens): string {
  return text.replaceAll(/%(.?)/gs, (whole, letter: string) => {
    if (letter === "%") return "%";
    const value = Object.hasOwn(tokens, letter) ? tokens[letter] : undefined;
    if (value !== undefined) return value;
    throw new FurrowError("E_FILE", {
      what: `"${text}" in ssh_config cannot be used: the token ${whole} is not allowed there`,
      expected: `one of %% ${Object.keys(tokens)
        .toSorted()
        .map((known) => `%${known}`)
        .join(" ")}`,
      hint: "Write %% for a percent sign; `man ssh_config`, section TOKENS, lists the tokens for each keyword",
    });
  });
}

/** Replaces `~`, `${NAME}` and tokens in a path. Throws E_FILE for an unknown token or an unset variable. */
export function expandPath(
  path: string,
  tokens: Tokens,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const filled = expandHome(path, home).replaceAll(/\$\{([^}]*)\}/g, (_whole, name: string) => {
    const value = env[name];
    // Percent signs in the value of a variable are not tokens.
    if (value !== undefined) return value.replaceAll("%", "%%");
    throw new FurrowError("E_FILE", {
      what: `"${path}" in ssh_config cannot be used: the variable ${name} is not set`,
      hint: `Set ${name}, or write the full path`,
    });
  });
  return expandTokens(filled, tokens);
}

/** Replaces a leading `~` with the home folder. */
export function expandHome(path: string, home: string): string {
  return path === "~" ? home : path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

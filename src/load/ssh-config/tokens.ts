import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { FurrowError } from "../../core/errors.ts";

/** What `%` and a letter stand for (ssh_config(5), TOKENS). */
export type Tokens = Readonly<Record<string, string>>;

/** What a configuration has said so far of the connection that tokens speak of. */
export interface Told {
  /** The name as asked for, before HostName. */
  readonly name: string;
  readonly address: string;
  readonly user: string;
  readonly port: number;
  readonly alias: string | undefined;
  readonly localUser: string;
  readonly home: string;
}

/** All tokens that file names and the commands of `Match exec` may hold. */
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

/** Of tokens only those with these letters. */
export function onlyTokens(tokens: Tokens, letters: string): Tokens {
  return Object.fromEntries(Object.entries(tokens).filter(([letter]) => letters.includes(letter)));
}

/** Replaces `%x` tokens; `%%` is a percent sign. Throws E_FILE for a token that may not stand there, as ssh does. */
export function expandTokens(text: string, tokens: Tokens): string {
  return text.replaceAll(/%(.?)/gs, (whole, letter: string) => {
    if (letter === "%") return "%";
    const value = Object.hasOwn(tokens, letter) ? tokens[letter] : undefined;
    if (value !== undefined) return value;
    throw new FurrowError("E_FILE", {
      what: `ssh_config says "${text}", and ${whole} means nothing there`,
      expected: `one of %% ${Object.keys(tokens)
        .toSorted()
        .map((known) => `%${known}`)
        .join(" ")}`,
      hint: "Write %% for a percent sign; `man ssh_config` says under TOKENS which stand where",
    });
  });
}

/** A path of ssh_config: `~`, `${NAME}` and tokens replaced. Throws E_FILE for a token or a variable that is none. */
export function expandPath(
  path: string,
  tokens: Tokens,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const filled = expandHome(path, home).replaceAll(/\$\{([^}]*)\}/g, (_whole, name: string) => {
    const value = env[name];
    // What a variable holds is no pattern.
    if (value !== undefined) return value.replaceAll("%", "%%");
    throw new FurrowError("E_FILE", {
      what: `ssh_config says "${path}", and the variable ${name} is not set`,
      hint: `Set ${name}, or write the path out`,
    });
  });
  return expandTokens(filled, tokens);
}

/** A path with the home folder in place of a leading `~`. */
export function expandHome(path: string, home: string): string {
  return path === "~" ? home : path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

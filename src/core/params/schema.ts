import { z } from "zod";
import { allowSecret } from "./params.ts";
import { isFurrowError } from "../errors.ts";
import { isSecret, requireRule, reveal, Secret, secretOf, type SecretRule } from "../secrets/secret.ts";
import { alwaysSecret } from "../secrets/secret-schema.ts";
import { loginsIn } from "../secrets/url-secrets.ts";

/** Schemas that many tasks share. Each schema's message says what it expects, with an example. */

/**
 * An absolute path on the host, normalized: no `..`, no double or trailing slash, no line break, and no name that is
 * too long.
 */
export const absolutePath = (): z.ZodType<string, string> =>
  z
    .string({ error: 'an absolute path, like "/etc/motd"' })
    .regex(/^[^\n\r\0]*$/, "a path without a line break or NUL in it")
    .regex(/^\//, 'an absolute path, like "/etc/motd"')
    .refine((path) => path === "/" || (!path.endsWith("/") && !/\/\/|(\/|^)\.{1,2}(\/|$)/.test(path)), {
      message: 'a path without "//", "." or ".." parts and without a trailing slash',
    })
    .refine((path) => fits(path), { message: "a path of at most 4095 bytes, with names of at most 255 bytes" });

/** The limits of Linux: NAME_MAX and PATH_MAX in linux/limits.h; PATH_MAX includes a final NUL. */
function fits(path: string): boolean {
  const bytes = (text: string): number => Buffer.byteLength(text, "utf8");
  return path.length < 86 || (bytes(path) <= 4095 && path.split("/").every((name) => bytes(name) <= 255));
}

/** An octal mode as a string of four digits. A number is refused: 0644 in source code is decimal 420. */
export const mode = (): z.ZodType<string, string> =>
  z
    .string({ error: 'an octal mode in quotes, like "0644"' })
    .regex(/^[0-7]{4}$/, 'an octal mode of four digits in quotes, like "0644"');

/** A user, group or host name, or a number. */
export const name = (what: string, example: string): z.ZodType<string, string> =>
  z
    .string({ error: `${what}, like "${example}"` })
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.$-]*$/, `${what}, like "${example}"`);

/**
 * The name of an account that a task creates or removes: programs read digits as an id, and useradd(8) and groupadd(8)
 * refuse more than 32 characters.
 */
export const accountName = (what: string, example: string): z.ZodType<string, string> =>
  name(what, example)
    .refine((text) => !/^\d+$/.test(text), `${what}, like "${example}", that is not only digits`)
    .refine((text) => text.length <= 32, `${what}, like "${example}", of at most 32 characters`);

/** A positive number of seconds. */
export const seconds = (): z.ZodType<number, number> =>
  z.number({ error: "a number of seconds" }).positive("a positive number of seconds").max(604_800, "at most a week");

/** Text that may be or contain a secret. */
export const text = (): z.ZodType<string, string | Secret> =>
  allowSecret(
    z
      .union([z.string(), z.instanceof(Secret)], { error: "a string or a secret" })
      .transform((value) => (typeof value === "string" ? value : value.toString())),
  );

/**
 * The hash that crypt(5) stores for a password, `$ID$…`, or a marker that no password matches. Colons are not allowed,
 * because they separate the fields of shadow(5).
 */
const passwordField = /^[$!*][^:\s]*$/;

/**
 * The password field of shadow(5), never the password itself. The value may be a secret. A hash given as plain text
 * also becomes a secret, so no output shows it. A secret that has no value yet is checked once it has one.
 */
export const passwordHash = (): z.ZodType<string, string | Secret> =>
  allowSecret(
    text()
      .refine((value) => passwordField.test(revealed(value) ?? "*"), {
        message: 'a password as crypt(5) stores it, like "$6$…" or "$y$…", or "!" or "*"; never the password itself',
      })
      .transform((value) => (value.includes("$") && !isSecret(value) ? hidden(value) : value)),
  );

function revealed(value: string): string | undefined {
  try {
    return reveal(value);
  } catch (error) {
    if (isFurrowError(error) && error.code === "E_SECRET") return undefined;
    throw error;
  }
}

/** One secret per hash, because params are parsed again for every host. */
const hiddenHashes = new Map<string, string>();

function hidden(hash: string): string {
  const known = hiddenHashes.get(hash) ?? String(secretOf(hash, "passwordHash"));
  hiddenHashes.set(hash, known);
  return known;
}

/** The rules for the value of a {@link secretText}. */
interface SecretTextOptions {
  /** The minimum number of characters. */
  readonly atLeast?: number;
  /** A regular expression that the whole value must match, and a description of such values. */
  readonly matches?: { readonly pattern: RegExp; readonly expected: string };
}

/**
 * Text that becomes a secret, even if given as plain text: for vars that are passwords or tokens. The result is a
 * Secret, which JSON.stringify quotes correctly. A secret without a value is checked when it gets one, before furrow
 * connects to a host.
 */
export const secretText = (options: SecretTextOptions = {}): z.ZodType<Secret, string | Secret> => {
  const secret = z
    .union([z.string().min(1), z.instanceof(Secret)], { error: "a string or a secret" })
    .transform((value) => (typeof value === "string" ? secretOf(value, "var") : value));
  const checked = rulesOf(options).reduce<z.ZodType<Secret, string | Secret>>(
    (schema, rule) => schema.refine((value) => requireRule(value, rule), rule.expected),
    secret,
  );
  return alwaysSecret(allowSecret(checked));
};

/**
 * The form of a {@link secretUrl}: a regular expression that the whole value must match, and a description of such
 * values.
 */
interface SecretUrlOptions {
  readonly matches: RegExp;
  readonly expected: string;
}

/**
 * A URL whose user and password become secret. A URL with a login becomes a Secret; any other URL stays a string. The
 * error for a wrong value does not quote the value. Other output hides only the URL's login, because the rest may be an
 * ordinary word.
 */
export const secretUrl = ({ matches, expected }: SecretUrlOptions): z.ZodType<Secret | string, string | Secret> => {
  const url = z
    .union([z.string().regex(matches, expected), z.instanceof(Secret)], { error: expected })
    .transform((value) => {
      if (typeof value !== "string" || !value.includes("@")) return value;
      for (const login of loginsIn(value)) secretOf(login, "var");
      return secretOf(value, "var");
    });
  return alwaysSecret(allowSecret(url), loginsIn);
};

function rulesOf({ atLeast = 1, matches }: SecretTextOptions): SecretRule[] {
  const long: SecretRule = {
    accepts: (value) => Array.from(value).length >= atLeast,
    fault: "is too short",
    expected: `at least ${atLeast} characters`,
    hint: "Choose a longer one: furrow hides a secret wherever output contains it, and a short one may be part of ordinary words",
  };
  const fitting = matches && {
    accepts: (value: string) => matches.pattern.test(value),
    fault: "has a value that cannot be used here",
    expected: matches.expected,
    hint: "Choose another value, and replace the secret where it is stored",
  };
  return [...(atLeast === 1 ? [] : [long]), ...(fitting ? [fitting] : [])];
}

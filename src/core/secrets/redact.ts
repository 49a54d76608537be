import { redactCuts } from "./cuts.ts";
import { dumpRedactor } from "./dumped.ts";
import { dumpedHex } from "./spellings/encodings.ts";
import { escapedRedactor, type Unescaped } from "./escaped.ts";
import { unformatted } from "./formatting.ts";
import { longValue, needles, unescapedNeedles } from "./needles.ts";
import { countSecrets, knownSecrets, printMarkers } from "./secret.ts";
import { spelledRedactor } from "./spelled.ts";

/** A value shorter than this is replaced only if it is a whole word. */
const shortValue = 4;

/** A secret to keep out of output. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/**
 * Returns a function that replaces each of these secrets in a string with `«secret NAME»`. The function finds the value
 * itself and each of its longer lines in these forms: plain text; base64 (also of base64) at any alignment; base64url,
 * base32, hex and percent-encoding; quoted for a shell, JSON or XML, even several levels deep, such as JSON inside
 * JSON; and with escapes for characters that the C locale cannot show. A secret of eight characters or more is also
 * found in upper or lower case, reversed, and as hex with separators. Colors do not hide a secret; text that contains a
 * secret loses its colors.
 */
export function redactor(secrets: readonly KnownSecret[]): (text: string) => string {
  const names = new Map<string, string>();
  for (const [value, name] of byValue(secrets)) {
    const plain = unformatted(value);
    const more = plain === value || value.length > longValue ? [] : needles(plain);
    for (const spelling of [...needles(value), ...more]) if (!names.has(spelling)) names.set(spelling, name);
  }
  if (names.size === 0) return (text) => text;
  const withoutSpelled = spelledRedactor(names, pattern);
  const withoutDumps = dumpRedactor(() => dumpsOf(secrets));
  const withoutEscaped = escapedRedactor(() => unescapedSecrets(secrets), pattern);
  const hide = (text: string): string => withoutEscaped(withoutDumps(withoutSpelled(text)));
  return (text) => {
    const plain = unformatted(text);
    if (plain === text) return hide(text);
    const hidden = hide(plain);
    return hidden === plain ? hide(text) : hidden;
  };
}

function dumpsOf(secrets: readonly KnownSecret[]): ReadonlyMap<string, string> {
  const short = secrets.filter(({ value }) => value.length <= longValue);
  return new Map(short.flatMap(({ name, value }) => dumpedHex(value).map((hex) => [hex, name])));
}

function unescapedSecrets(secrets: readonly KnownSecret[]): ReadonlyMap<string, Unescaped> {
  const found = new Map<string, Unescaped>();
  for (const { name, value } of secrets) {
    const backslash = value.endsWith("\\");
    for (const text of unescapedNeedles(value)) if (!found.has(text)) found.set(text, { name, backslash });
  }
  return found;
}

/** The names of secrets by value. Each value is counted once: a play creates the same secret again for every host. */
function byValue(secrets: readonly KnownSecret[]): ReadonlyMap<string, string> {
  return new Map(secrets.map(({ name, value }) => [value, name]));
}

function pattern(needle: string): string {
  const literal = needle.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`);
  return needle.length < shortValue ? String.raw`(?<!\w)${literal}(?!\w)` : literal;
}

interface Built {
  /** The number of secrets that had a value at the last check for new ones. */
  readonly count: number;
  readonly names: ReadonlyMap<string, string>;
  readonly replace: (text: string) => string;
}

let built: Built = { count: 0, names: new Map(), replace: (text) => text };

/** Keeps the current function if no value is new, because the regular expression for all spellings is slow to build. */
function rebuilt(count: number): Built {
  const known = knownSecrets();
  const names = byValue(known);
  const same = names.size === built.names.size && [...names].every(([value, name]) => built.names.get(value) === name);
  return { count, names, replace: same ? built.replace : redactor(known) };
}

/**
 * Replaces everything secret in a string that leaves the process: markers, and all spellings of the values that are
 * known so far. Every sink passes all its output through this function. Pass whole lines: a value that is split between
 * two calls is not found.
 */
export function redact(text: string): string {
  const count = countSecrets();
  if (count !== built.count) built = rebuilt(count);
  const printed = text.includes("«secret ") ? printMarkers(text) : text;
  return built.replace(printed.includes("bytes left out") ? redactCuts(printed) : printed);
}

import { dumpRedactor } from "./dumped.ts";
import { dumpedHex, spellings } from "./encodings.ts";
import { countSecrets, knownSecrets, printMarkers } from "./secret.ts";

/** A value shorter than this is only replaced where it stands as a word of its own. */
const shortValue = 4;
/** A line of a secret of many lines is replaced from this length on: `}` or `true` would blacken everything. */
const shortLine = 6;
/** A secret of many lines that is longer than this, such as a configuration file with one in it, is looked for by line. */
const longValue = 8192;

/** A secret to be kept out of output. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/**
 * Makes a function that replaces every one of these secrets in a text by `«secret NAME»`: the value itself, each
 * longer line of it, and both as base64 at any alignment, base64url, hex, percent-encoded, quoted for a shell, JSON
 * or XML; from eight characters on also in upper or lower case, backwards, and as hex with separators.
 */
export function redactor(secrets: readonly KnownSecret[]): (text: string) => string {
  const names = new Map<string, string>();
  const dumps = new Map<string, string>();
  for (const [value, name] of byValue(secrets)) {
    for (const spelling of needles(value)) if (!names.has(spelling)) names.set(spelling, name);
    if (value.length <= longValue) for (const hex of dumpedHex(value)) dumps.set(hex, name);
  }
  if (names.size === 0) return (text) => text;
  // Longest first, so that a part never hides the whole.
  const alternatives = [...names.keys()].toSorted((a, b) => b.length - a.length).map(pattern);
  const expression = new RegExp(alternatives.join("|"), "g");
  const withoutDumps = dumpRedactor(dumps);
  return (text) => withoutDumps(text.replaceAll(expression, (found) => `«secret ${names.get(found) ?? "?"}»`));
}

/** The names of secrets by value. Each value counts once: a play creates the same secret again for every host. */
function byValue(secrets: readonly KnownSecret[]): ReadonlyMap<string, string> {
  return new Map(secrets.map(({ name, value }) => [value, name]));
}

function needles(value: string): string[] {
  const lines = value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= shortLine && !/^-----(BEGIN|END) .*-----$/.test(line));
  // The encodings of each line are found inside those of the whole, which would be too large an expression.
  if (value.length > longValue && lines.length > 1) return lines.flatMap(spellings);
  const whole = [value, value.trimEnd(), ...(lines.length > 1 || value.includes("\n") ? lines : [])];
  return [...new Set([...whole, ...whole.map(splitByShell)])].flatMap(spellings);
}

/** What `echo $VALUE` makes of it: a shell splits an unquoted value at blanks and joins the words by one. */
function splitByShell(value: string): string {
  return value.trim().replaceAll(/[ \t\n]+/g, " ");
}

function pattern(needle: string): string {
  const literal = needle.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`);
  return needle.length < shortValue ? String.raw`(?<!\w)${literal}(?!\w)` : literal;
}

/** What stands where a part of an output was left out; what is before and behind it may end or begin inside a secret. */
const leftOut = /\n\[… (?:some|\d+) bytes left out …\]\n/g;
/** A shorter part of a secret reveals nothing, and would match ordinary text. */
const shortPart = 4;

/** Says in an output that a number of its bytes are not shown. */
export function leftOutNote(bytes: number | "some"): string {
  return `\n[… ${bytes} bytes left out …]\n`;
}

/** Replaces the end of a secret behind such a note, and the beginning of one before it: {@link redact} finds whole ones. */
export function redactCuts(text: string): string {
  const notes = text.match(leftOut);
  if (notes === null) return text;
  const all = knownSecrets().flatMap(({ name, value }) => needles(value).map((spelling) => ({ name, spelling })));
  return text
    .split(leftOut)
    .map((part, at, { length }) => {
      const behind = at === 0 ? part : withoutStart(part, all);
      return (at === length - 1 ? behind : withoutEnd(behind, all)) + (notes[at] ?? "");
    })
    .join("");
}

interface Spelling {
  readonly name: string;
  readonly spelling: string;
}

function withoutStart(text: string, all: readonly Spelling[]): string {
  const { length, name } = longest(all, text.length, (spelling, count) => text.startsWith(spelling.slice(-count)));
  return length === 0 ? text : `«secret ${name}»${text.slice(length)}`;
}

function withoutEnd(text: string, all: readonly Spelling[]): string {
  const { length, name } = longest(all, text.length, (spelling, count) => text.endsWith(spelling.slice(0, count)));
  return length === 0 ? text : `${text.slice(0, -length)}«secret ${name}»`;
}

/** The longest part of a spelling that `fits`, of `most` characters at most. */
function longest(
  all: readonly Spelling[],
  most: number,
  fits: (spelling: string, count: number) => boolean,
): { readonly length: number; readonly name: string } {
  let best = { length: 0, name: "" };
  for (const { name, spelling } of all) {
    for (let count = Math.min(spelling.length - 1, most); count >= shortPart && count > best.length; count -= 1) {
      if (fits(spelling, count)) best = { length: count, name };
    }
  }
  return best;
}

interface Built {
  /** The number of secrets with a value at the last check for new ones. */
  readonly count: number;
  readonly names: ReadonlyMap<string, string>;
  readonly replace: (text: string) => string;
}

let built: Built = { count: 0, names: new Map(), replace: (text) => text };

/** Keeps the current function if no value is new, because the expression of all spellings is slow to build. */
function rebuilt(count: number): Built {
  const known = knownSecrets();
  const names = byValue(known);
  const same = names.size === built.names.size && [...names].every(([value, name]) => built.names.get(value) === name);
  return { count, names, replace: same ? built.replace : redactor(known) };
}

/**
 * Replaces everything secret in a text that leaves the process: markers, and all forms of the values known by now.
 * Every sink passes all it prints through this. Give it whole lines: a value cut in two is not found.
 */
export function redact(text: string): string {
  const count = countSecrets();
  if (count !== built.count) built = rebuilt(count);
  const printed = text.includes("«secret ") ? printMarkers(text) : text;
  return built.replace(printed.includes("bytes left out") ? redactCuts(printed) : printed);
}

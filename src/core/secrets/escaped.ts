/**
 * One escaped character, or backslashes before a character that needs no escape, as shell quoting and nested JSON add
 * them. In XML nested inside XML, the `&` of an escape is itself escaped as `&amp;`.
 */
const escape =
  /\\+(?:u([\dA-Fa-f]{4})|x([0-7][\dA-Fa-f])|([01][0-7]{2}))?|&(?:amp;)*(?:#(\d{1,7});|#[Xx]([\dA-Fa-f]{1,6});|(amp|lt|gt|quot|apos);)/g;
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** How many levels of nested escapes are decoded, for example those of JSON inside XML. */
const depth = 4;

/**
 * The text with all escapes decoded and all other backslashes removed. A secret that several programs escaped in turn,
 * at any depth, becomes the same text again.
 */
export function unescaped(text: string): string {
  let now = text;
  for (let pass = 0; pass < depth; pass += 1) {
    const before = now;
    now = before.replaceAll(escape, (...groups: (string | undefined)[]) => character(groups));
    if (now === before) break;
  }
  return now;
}

/** The character that an escape stands for; empty for backslashes. Takes the match and its groups. */
function character(groups: readonly (string | undefined)[]): string {
  const [whole = "", wide, hex, octal, decimal, reference, name] = groups;
  if (name !== undefined) return named[name] ?? whole;
  const digits = wide ?? hex ?? octal ?? decimal ?? reference;
  if (digits === undefined) return "";
  const base = decimal === undefined ? (octal === undefined ? 16 : 8) : 10;
  const code = Number.parseInt(digits, base);
  if (code > 0x10_ff_ff) return whole;
  return wide === undefined ? String.fromCodePoint(code) : String.fromCharCode(code);
}

/** A secret that is searched for in unescaped text. */
export interface Unescaped {
  readonly name: string;
  /** True if the secret ends with a backslash, which unescaped text does not show. */
  readonly backslash: boolean;
}

/**
 * Returns a function that redacts secrets in a string even where a program has escaped them. `secrets` returns a map
 * whose keys are the secrets in the form that `unescaped` produces. `secrets` is not called until the first escape is
 * seen, because most output has none.
 */
export function escapedRedactor(
  secrets: () => ReadonlyMap<string, Unescaped>,
  pattern: (needle: string) => string,
): (text: string) => string {
  let known: ReadonlyMap<string, Unescaped> | undefined;
  let expression = /(?!)/g;
  return (text) => {
    const read = text.includes("\\") || text.includes("&") ? unescaped(text) : text;
    if (read === text) return text;
    if (known === undefined) {
      known = secrets();
      // Longest first, so that a whole value is replaced rather than a part of it.
      const alternatives = [...known.keys()].toSorted((a, b) => b.length - a.length).map(pattern);
      if (alternatives.length > 0) expression = new RegExp(alternatives.join("|"), "g");
    }
    // Much faster than `matchAll`, which copies the expression.
    return read.search(expression) < 0 ? text : replaced(text, [...read.matchAll(expression)], known);
  };
}

function replaced(text: string, finds: readonly RegExpExecArray[], secrets: ReadonlyMap<string, Unescaped>): string {
  const starts = startsOf(text, true);
  const bare = startsOf(text, false);
  let shown = "";
  let from = 0;
  for (const { 0: found, index } of finds) {
    const secret = secrets.get(found);
    const start = starts[index] ?? 0;
    const end = (secret?.backslash === true ? bare : starts)[index + found.length] ?? text.length;
    // Without an escape inside, the match only resembles a secret that has lost its backslashes.
    if (text.slice(bare[index], end) === found) continue;
    shown += `${text.slice(from, start)}«secret ${secret?.name ?? "?"}»`;
    from = end;
  }
  return shown + text.slice(from);
}

/**
 * The position in the text of each character of the unescaped text, and of its end. If the character has an escape,
 * this is the position of the escape; with `slashes`, it is the position of the backslashes before it.
 */
function startsOf(text: string, slashes: boolean): readonly number[] {
  let now = text;
  let starts = Array.from({ length: text.length + 1 }, (_, at) => at);
  for (let pass = 0; pass < depth; pass += 1) {
    const next: number[] = [];
    let from = 0;
    let first: number | undefined;
    const copy = (to: number): void => {
      for (; from < to; from += 1) {
        next.push(first ?? starts[from] ?? 0);
        first = undefined;
      }
    };
    for (const found of now.matchAll(escape)) {
      copy(found.index);
      const { length } = character(found);
      if (length > 0 || slashes) first ??= starts[found.index];
      for (let unit = 0; unit < length; unit += 1) next.push(first ?? 0);
      if (length > 0) first = undefined;
      from = found.index + found[0].length;
    }
    copy(now.length + 1);
    now = now.replaceAll(escape, (...groups: (string | undefined)[]) => character(groups));
    starts = next;
  }
  return starts;
}

import { encodeText } from "../../host/bytes.ts";

/** The C escapes of control characters, by character code. */
const named: Readonly<Record<number, string>> = { 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r" };

/** One way to write characters that a terminal cannot show. */
interface Style {
  /** Characters that get a backslash. */
  readonly special: string;
  /** Writes a byte: octal in C and in shells, hex in Python. */
  readonly byte: (byte: number) => string;
  /** How the escape character (code 27) is written, if a shell has a name for it. */
  readonly escape?: string;
  /** True if characters beyond ASCII are not escaped, as in a locale that supports them. */
  readonly wide?: true;
}

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`;
const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, "0")}`;

/**
 * In order: `$'…'` in bash, with and without a locale; `ls -Q` and git; `ls -b`; the quotes of GNU messages; `sed -n
 * l`; bytes in Python, with either quote.
 */
const styles: readonly Style[] = [
  { special: `'\\`, byte: octal, escape: String.raw`\E` },
  { special: `'\\`, byte: octal, escape: String.raw`\E`, wide: true },
  { special: `"\\`, byte: octal },
  { special: `"\\`, byte: octal, wide: true },
  { special: ` \\`, byte: octal },
  { special: ` \\`, byte: octal, wide: true },
  { special: `'\\`, byte: octal },
  { special: `\\`, byte: octal },
  { special: `'\\`, byte: hex },
  { special: `\\`, byte: hex },
];

/** Every character that any style escapes. Most secrets have none of them. */
const toEscape = /[^ -~]|[ "'\\]/gu;

/** The minimum number of visible letters. With fewer, question marks in ordinary text would match a secret. */
const leastShown = 8;

/** The forms in which programs write a value with characters that a terminal or the C locale cannot show. */
export function escapedForms(value: string): string[] {
  if (value.search(toEscape) < 0) return [];
  const shown = value.replaceAll(/[^ -~]/g, "").length;
  return [
    ...styles.map((style) => escaped(value, style)),
    shellEscaped(value),
    python(value),
    caret(value),
    ...(shown < leastShown ? [] : [value.replaceAll(/[^ -~]/gu, "?"), ...questioned(value)]),
  ];
}

function escaped(value: string, { special, byte, escape, wide }: Style): string {
  return value.replaceAll(toEscape, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 32 && code < 127) return special.includes(character) ? `\\${character}` : character;
    if (code > 127 && wide === true) return character;
    const name = named[code];
    if (name !== undefined) return `\\${name}`;
    if (code === 27 && escape !== undefined) return escape;
    return [...encodeText(character)].map(byte).join("");
  });
}

/** `'Gr'$'\303\274''n'`: file names in coreutils messages. Characters outside the value itself are not included. */
function shellEscaped(value: string): string {
  return value
    .replaceAll(/[^ -~]+|'/g, (run) =>
      run === "'" ? String.raw`'\''` : `'$'${escaped(run, { special: "", byte: octal })}''`,
    )
    .replace(/''$/, "");
}

/** As Python's `repr` and `ascii` print it: `\xfc` is a character here, not a byte. */
function python(value: string): string {
  return value.replaceAll(/[^ -~]|\\/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === "\\") return "\\\\";
    if (code === 9 || code === 10 || code === 13) return `\\${named[code]}`;
    if (code < 256) return hex(code);
    const digits = code.toString(16);
    return code < 65_536 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
  });
}

/** As `cat -v` prints it: `M-C` for the byte 0xc3, `^I` for a tab. Line breaks stay unchanged. */
function caret(value: string): string {
  return value.replaceAll(/[^\t\n -~]/gu, (character) =>
    [...encodeText(character)].map((byte) => (byte < 128 ? control(byte) : `M-${control(byte - 128)}`)).join(""),
  );
}

function control(byte: number): string {
  if (byte === 9 || byte === 10) return String.fromCharCode(byte);
  if (byte === 127) return "^?";
  return byte < 32 ? `^${String.fromCharCode(byte + 64)}` : String.fromCharCode(byte);
}

/**
 * The value with a question mark for each byte that is not printable, as busybox `ls` and `ps` print it. Tabs and line
 * breaks may or may not be replaced.
 */
function questioned(value: string): string[] {
  const bytes = Buffer.from(encodeText(value)).toString("latin1");
  return [bytes.replaceAll(/[^ -~]/g, "?"), bytes.replaceAll(/[^\t\n -~]/g, "?")];
}

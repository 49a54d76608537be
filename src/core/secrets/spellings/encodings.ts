import { base32, base32Inside } from "./base32.ts";
import { encodeText } from "../../host/bytes.ts";
import { escapedForms } from "./escapes.ts";

/** Long encodings are searched for in parts of this length, because tools break them into lines. */
const partLength = 24;

/** The forms in which programs, shells and file formats write a value. The value itself is first. */
export function spellings(value: string): string[] {
  const bytes = Buffer.from(encodeText(value));
  const inBase32 = [base32(bytes), ...base32Inside(bytes)].filter((form) => form.length >= shortestTurned);
  // A Kubernetes Secret inside a file that is itself base64.
  const twice = base64Forms(Buffer.from(bytes.toString("base64"))).filter((form) => form.length >= shortestTurned);
  const encoded = [...inBase32, ...twice];
  return [...commonSpellings(value), ...encoded, ...encoded.flatMap(longParts), ...wrapped(bytes, base32)];
}

/**
 * The only spellings to search for if a value has thousands of lines. Each line is searched for, so every additional
 * spelling costs a second.
 */
export function commonSpellings(value: string): string[] {
  const bytes = Buffer.from(encodeText(value));
  const encoded = [bytes.toString("hex"), bytes.toString("hex").toUpperCase(), ...base64Forms(bytes)];
  const forms = [
    ...quotedSpellings(value),
    ...percentEncoded(bytes),
    ...encoded,
    ...encoded.flatMap(longParts),
    ...wrapped(bytes, (part) => Buffer.from(part).toString("base64")),
    ...turned(value),
  ];
  return [...new Set(forms.filter((form) => form !== ""))];
}

/** The value as it is, and as it is quoted or escaped by shells, JSON, XML and other programs. */
export function quotedSpellings(value: string): string[] {
  return [value, ...quoted(value), ...escapedForms(value)];
}

/** A value shorter than this may be an ordinary word in another letter case: "Test" would match every "test". */
const shortestTurned = 8;

/** The value in upper and lower case (also as `tr` converts it, which changes only ASCII letters), and reversed. */
function turned(value: string): string[] {
  if (value.length < shortestTurned) return [];
  const upper = value.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  const lower = value.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return [value.toUpperCase(), value.toLowerCase(), upper, lower, Array.from(value).toReversed().join("")];
}

/** Bytes per line in `xxd`, `hexdump -C` and `od`. */
const dumpedLine = 16;
/** Minimum length in bytes. Shorter sequences match by chance: a MAC address, for example, is six bytes long. */
const shortestDump = 8;

/**
 * The value as lower-case hex digits: as a whole, and split into lines as dump programs split it. Search for these in
 * upper and lower case, with and without separators between the bytes.
 */
export function dumpedHex(value: string): string[] {
  const bytes = Buffer.from(encodeText(value));
  const count = Math.ceil(bytes.length / dumpedLine);
  const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * dumpedLine, (at + 1) * dumpedLine));
  return [
    ...new Set([bytes, ...pieces].filter((part) => part.length >= shortestDump).map((part) => part.toString("hex"))),
  ];
}

/**
 * A value that consists of these characters, such as base64, looks the same in shells, JSON and XML, except for `\/` in
 * JSON.
 */
const plainCharacters = /^[\w+./=-]*$/;

function quoted(value: string): string[] {
  if (plainCharacters.test(value)) return value.includes("/") ? [value.replaceAll("/", String.raw`\/`)] : [];
  const json = JSON.stringify(value).slice(1, -1);
  return [
    json,
    json.replaceAll("/", String.raw`\/`),
    // As tools print it in ASCII-only JSON and Python.
    json.replaceAll(/[^\0-\x7e]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    value.replaceAll("'", String.raw`'\''`),
    value.replaceAll("'", `'"'"'`),
    // Inside double quotes, and as bash's `printf %q` writes it.
    value.replaceAll(/["$\\`]/g, String.raw`\$&`),
    value.replaceAll(/[ !"$&'()*,;<>?[\\\]^`{|}]|(?<=[:=])~/g, String.raw`\$&`),
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    value
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&apos;"),
  ];
}

/** The percent encoding of each byte, if characters that match `kept` are not encoded. */
function percentCodes(kept: RegExp): readonly string[] {
  return Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    return kept.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/** The characters that are not encoded: in RFC 3986, in forms, and in a component and a URL as browsers encode them. */
const percentStyles = [/[\w.~-]/, /[\w.*-]/, /[\w.~!'()*-]/, /[\w.~!$&'()*+,;=:@/?-]/].map(percentCodes);

/** Percent-encoded in each style, with `%20` or `+` for a space, and with digits in upper or lower case. */
function percentEncoded(bytes: Buffer): string[] {
  const forms = percentStyles.map((codes) => Array.from(bytes, (byte) => codes[byte] ?? "").join(""));
  const all = [...new Set([...forms, ...forms.map((form) => form.replaceAll("%20", "+"))])];
  return [...all, ...all.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/** Base64 of the bytes alone, and the base64 characters that do not change when the bytes are inside longer data. */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const forms = [bytes.toString("base64"), ...inside].filter((form) => form.length >= 4);
  return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

/** Characters per line: 76 in MIME and in `base64` and `base32` (coreutils), 64 in PEM. */
const encodedColumns = [76, 64];

/**
 * The lines of a long value in base64 or base32, with and without the trailing line break that `echo VALUE | base64`
 * adds.
 */
function wrapped(bytes: Buffer, encode: (part: Uint8Array) => string): string[] {
  const wholes = [bytes, Buffer.concat([bytes, Buffer.from("\n")])].map(encode);
  return encodedColumns
    .flatMap((columns) => {
      const lines = new RegExp(`.{1,${columns}}`, "g");
      return wholes.flatMap((whole) => (whole.length > columns ? (whole.match(lines) ?? []) : []));
    })
    .filter((line) => line.length >= shortestTurned);
}

function longParts(form: string): string[] {
  if (form.length < 2 * partLength) return [];
  const parts = Math.floor(form.length / partLength);
  return Array.from({ length: parts }, (_, index) =>
    form.slice(index * partLength, index + 1 === parts ? undefined : (index + 1) * partLength),
  );
}

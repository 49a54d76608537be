import { isFurrowError } from "../core/errors.ts";
import type { RunEvent } from "../core/events.ts";
import { isRecord } from "../core/facts/symbols.ts";
import { sealed } from "./text/hidden-field.ts";
import type { Report, Write } from "./report.ts";

/** The version of the JSON line format; it increases whenever a field is removed or its meaning changes. */
export const jsonSchema = 2;

/**
 * Prints one line of JSON per event, with `schema` and `time` (ISO 8601). Errors are objects with a `code`. JSON cannot
 * express furrow's symbols, so they are printed as `{ "symbol": "absent" }` and `{ "symbol": "knownAfterApply" }`.
 */
export function jsonReport(write: Write, now: () => Date = () => new Date()): Report {
  return {
    handle: (event) => write(jsonLine(event, now())),
    close: async () => {},
  };
}

/** Formats one line: an event, or an error that occurred before the first event. */
export function jsonLine(event: RunEvent | { readonly type: "error"; readonly error: unknown }, time: Date): string {
  const { type, ...rest } = event;
  return `${jsonText({ schema: jsonSchema, time: time.toISOString(), type, ...(withoutSeals(toJson(rest)) as object) })}\n`;
}

/**
 * Formats data as JSON, like `JSON.stringify`, but also escapes the control and invisible characters that
 * `JSON.stringify` leaves raw: they could control or deceive a terminal.
 */
export function jsonText(data: object, indent?: number): string {
  return JSON.stringify(data, undefined, indent).replaceAll(/[\u007F-\u009F\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/**
 * Replaces the keyed hash of a secret with a word, because equal secrets have equal hashes. The hash's field gets the
 * name of the field that the hash protects: `data.password` for `data.passwordSeal`.
 */
function withoutSeals(value: unknown): unknown {
  if (isSeal(value)) return "(secret)";
  if (Array.isArray(value)) return value.map(withoutSeals);
  if (!isRecord(value)) return value;
  const { path, from, to } = value;
  const isSealedChange = typeof path === "string" && (isSeal(from) || isSeal(to));
  const entries = Object.entries(value).map(([key, part]) => [isSeal(part) ? sealed(key) : key, withoutSeals(part)]);
  return { ...Object.fromEntries(entries), ...(isSealedChange && { path: sealed(path) }) };
}

function isSeal(value: unknown): boolean {
  return typeof value === "string" && /^sealed:[0-9a-f]+$/.test(value);
}

/** Converts a value to plain JSON data: errors become objects, and symbols and bigints are spelled out. */
export function toJson(value: unknown): unknown {
  if (typeof value === "symbol") return { symbol: value.description?.replace(/^furrow\./, "") ?? "" };
  if (typeof value === "bigint") return String(value);
  if (isFurrowError(value)) {
    const { cause, ...failure } = value.failure;
    const stack = value.code === "E_BUG" && { stack: cause instanceof Error ? cause.stack : value.stack };
    return { code: value.code, ...(toJson(failure) as object), ...stack };
  }
  if (value instanceof Error) return { code: "E_BUG", what: `${value.name}: ${value.message}`, stack: value.stack };
  if (Array.isArray(value)) return value.map(toJson);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toJson(part)]));
  return value;
}

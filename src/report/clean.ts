import { FurrowError, isFurrowError } from "../core/errors.ts";
import { redact } from "../core/secrets/redact.ts";
import { Secret } from "../core/secrets/secret.ts";
import { isRecord } from "../core/facts/symbols.ts";

/**
 * Redacts secrets everywhere in plain data and errors: in strings, in numbers and in the names of fields. A value
 * without secrets is returned unchanged, not copied. For data whose fields have fixed names, see {@link cleanFields}.
 */
export function clean(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number" || typeof value === "bigint") return cleanNumber(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Secret) return redact(String(value));
  if (isFurrowError(value)) return cleanError(value);
  if (value instanceof Error) return cleanStack(value, new Error(redact(value.message)));
  if (Array.isArray(value)) return cleanList(value, clean);
  if (value instanceof Uint8Array) return redact(Buffer.from(value).toString());
  return isRecord(value) ? cleanRecord(value) : value;
}

/** Cleans every item of a list; returns the same list if none of them contains a secret. */
export function cleanList<T>(list: readonly T[], cleanItem: (item: T) => unknown): readonly T[] {
  const items = list.map((item) => cleanItem(item));
  return items.every((item, index) => item === list[index]) ? list : (items as T[]);
}

/**
 * How to clean the fields of a record: those in `kept` are left as they are, those in `by` are cleaned by the function
 * given there, and all others by {@link clean}.
 */
export interface FieldRules {
  readonly kept?: readonly string[];
  readonly by?: Readonly<Record<string, (value: never) => unknown>>;
}

/**
 * Cleans the values of a record whose field names are furrow's own. A secret may equal such a name, or a word such as
 * `changed`: replacing it would not protect anything, and reports would become unreadable.
 */
export function cleanFields<T extends object>(record: T, { kept = [], by = {} }: FieldRules = {}): T {
  let changed: Record<string, unknown> | undefined;
  for (const name of Object.keys(record)) {
    if (kept.includes(name)) continue;
    const value = (record as Readonly<Record<string, unknown>>)[name];
    const cleanValue = (by[name] ?? clean) as (value: unknown) => unknown;
    const cleaned = cleanValue(value);
    if (cleaned !== value) changed = { ...changed, [name]: cleaned };
  }
  return changed === undefined ? record : { ...record, ...changed };
}

/** A secret can consist of digits only. */
function cleanNumber(value: number | bigint): unknown {
  const text = String(value);
  const redacted = redact(text);
  return redacted === text ? value : redacted;
}

/**
 * Redacts a record. Copies the record only if it contains a secret, because every task has several records, and most
 * contain none.
 */
function cleanRecord(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const key of Object.keys(record)) {
    if (redact(key) === key && clean(record[key]) === record[key]) continue;
    return Object.fromEntries(Object.entries(record).map(([name, part]) => [redact(name), clean(part)]));
  }
  return record;
}

/** Returns a copy of an error with every text redacted, including in its cause and stack. */
export function cleanError(error: FurrowError): FurrowError {
  const { cause, where, ...rest } = error.failure;
  const failure = {
    ...cleanFields(rest),
    ...(where !== undefined && { where: cleanFields(where, { kept: ["host"] }) }),
    ...(cause !== undefined && { cause: clean(cause) }),
  };
  return cleanStack(error, new FurrowError(error.code, failure));
}

function cleanStack<E extends Error>(from: Error, to: E): E {
  to.stack = redact(from.stack ?? "");
  return to;
}

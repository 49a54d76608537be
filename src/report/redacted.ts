import { FurrowError, isFurrowError } from "../core/errors.ts";
import type { RunEvent } from "../core/events.ts";
import { redact } from "../core/secrets/redact.ts";
import { Secret } from "../core/secrets/secret.ts";
import { isRecord } from "../core/facts/symbols.ts";
import { OutputLines } from "./text/output-lines.ts";
import type { Report } from "./report.ts";

/**
 * Wraps a report so that every string in every event is redacted and step output arrives in whole lines. Every report
 * is wrapped this way.
 */
export function redacted(next: Report): Report {
  const lines = new OutputLines();
  const pass = (event: RunEvent): void => next.handle(clean(event) as RunEvent);
  return {
    handle(event) {
      if (event.type === "stepOutput") {
        const whole = lines.add(event);
        if (whole !== undefined) pass(whole);
        return;
      }
      const host = "host" in event ? event.host : undefined;
      if (host !== undefined || event.type === "runFinished") for (const rest of lines.flush(host)) pass(rest);
      pass(event);
    },
    async close() {
      for (const rest of lines.flush()) pass(rest);
      await next.close();
    },
  };
}

/** Redacts every string in plain data and errors. A value without secrets is returned unchanged, not copied. */
export function clean(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Secret) return redact(String(value));
  if (isFurrowError(value)) return cleanError(value);
  if (value instanceof Error) return cleanStack(value, new Error(redact(value.message)));
  if (Array.isArray(value)) {
    const parts = value.map(clean);
    return parts.every((part, index) => part === value[index]) ? value : parts;
  }
  if (value instanceof Uint8Array) return redact(Buffer.from(value).toString());
  return isRecord(value) ? cleanRecord(value) : value;
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

/** Returns a copy of an error with every string redacted, including in its cause and stack. */
export function cleanError(error: FurrowError): FurrowError {
  const { cause, ...rest } = error.failure;
  const failure = clean(rest) as typeof rest;
  return cleanStack(
    error,
    new FurrowError(error.code, { ...failure, ...(cause !== undefined && { cause: clean(cause) }) }),
  );
}

function cleanStack<E extends Error>(from: Error, to: E): E {
  to.stack = redact(from.stack ?? "");
  return to;
}

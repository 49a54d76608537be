import { z } from "zod";
import { Secret } from "../core/secrets/secret.ts";
import { absent, isRecord } from "../core/facts/symbols.ts";

/** JSON data in a report. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The schema of JSON data. */
export const jsonSchema: z.ZodType<Json> = z.json();

const symbols: Readonly<Record<string, unknown>> = { absent };

/**
 * A value as JSON data. JSON has no symbols, so `absent` is written as `{ "symbol": "absent" }`, a secret as `{
 * "symbol": "secret" }`, and anything else that JSON cannot represent as `{ "symbol": "unknown" }`.
 */
export function toData(value: unknown): Json {
  if (value === absent) return { symbol: "absent" };
  if (value instanceof Secret) return { symbol: "secret" };
  if (Array.isArray(value)) return value.map(toData);
  if (isRecord(value)) {
    const parts = Object.entries(value).filter(([, part]) => part !== undefined);
    return Object.fromEntries(parts.map(([key, part]) => [key, toData(part)]));
  }
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  return typeof value === "number" && Number.isFinite(value) ? value : { symbol: "unknown" };
}

/** The value that {@link toData} wrote. `secret` stands for every secret. */
export function fromData(data: Json, secret: string): unknown {
  if (Array.isArray(data)) return data.map((part: Json) => fromData(part, secret));
  if (!isRecord(data)) return data;
  const { symbol } = data;
  if (typeof symbol === "string" && Object.keys(data).length === 1)
    return symbol === "secret" ? secret : symbols[symbol];
  return Object.fromEntries(Object.entries(data).map(([key, part]) => [key, fromData(part, secret)]));
}

import type { z } from "zod";
import { isFurrowError } from "../../core/errors.ts";
import { knownKeys } from "../../core/params/params.ts";
import { redact } from "../../core/secrets/redact.ts";
import { defOf, isSecretAt, isSecretName, notShown, ofKey } from "../../core/secrets/secret-schema.ts";
import type { Values } from "./precedence.ts";

/** An error that a schema of vars threw, for example in a `.transform()`, instead of reporting an issue. */
export interface ThrownBySchema {
  /** The var whose own schema threw the error; empty if only the schema of all vars together throws it. */
  readonly path: string;
  readonly message: string;
}

/** Parses vars; returns the error if the schema throws one. Rethrows furrow's own errors. */
export async function parsed<T>(
  schema: z.ZodType<T>,
  data: unknown,
): Promise<z.ZodSafeParseResult<T> | { readonly error: unknown; readonly success: "threw" }> {
  try {
    return await schema.safeParseAsync(data);
  } catch (error) {
    if (isFurrowError(error)) throw error;
    return { success: "threw", error };
  }
}

/** Finds the var whose schema threw an error. The message is not shown if it may contain a secret. */
export async function thrownBySchema(schema: z.ZodType, data: Values, error: unknown): Promise<ThrownBySchema> {
  for (const path of knownKeys(schema)) {
    for (const part of schemasOf(schema, path)) {
      const result = await parsed(part, data[path]);
      if (result.success === "threw") return { path, message: messageOf(result.error, schema, [path]) };
    }
  }
  return { path: "", message: messageOf(error, schema, knownKeys(schema)) };
}

/** The schemas of one var. */
export function schemasOf(schema: z.ZodType, name: string): z.ZodType[] {
  const { innerType, in: first, options = [] } = defOf(schema);
  const wrapped = [innerType ?? first, ...options].filter((part) => part !== undefined);
  return [...ofKey(schema, name), ...wrapped.flatMap((part) => schemasOf(part, name))];
}

function messageOf(error: unknown, schema: z.ZodType, names: readonly string[]): string {
  if (names.some((name) => isSecretAt(schema, [name]) || isSecretName(name))) return notShown;
  const text = redact(String(error)).replaceAll(/\s+/g, " ");
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

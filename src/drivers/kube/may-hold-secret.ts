import { isRecord } from "../../core/facts/symbols.ts";
import { isSecretName } from "../../core/secrets/secret-schema.ts";
import { holdsUrlSecret } from "../../core/secrets/url-secrets.ts";

/** A URL with a password: `postgres://shop:PASSWORD@db`. */
const urlWithPassword = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/**
 * True if a part of a value is under a name that marks it as secret, or may contain the value of such a name (as in a
 * list of environment variables), or is a URL with a password or another secret.
 */
export function mayHoldSecret(value: unknown): boolean {
  if (typeof value === "string") return isSecretName(value) || urlWithPassword.test(value) || holdsUrlSecret(value);
  if (Array.isArray(value)) return value.some(mayHoldSecret);
  return isRecord(value) && Object.entries(value).some(([key, part]) => isSecretName(key) || mayHoldSecret(part));
}

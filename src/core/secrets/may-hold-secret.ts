import { isRecord } from "../facts/symbols.ts";
import { isSecretName, refersToSecret } from "./secret-schema.ts";
import { holdsUrlSecret } from "./url-secrets.ts";

/**
 * A URL with a password: `postgres://shop:PASSWORD@db`. The password may contain quotes, because nothing in a value
 * shows where the URL ends. In a message, which {@link holdsUrlSecret} checks, a quote ends the URL.
 */
const urlWithPassword = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/**
 * A name with a value, in a string of several lines or in JSON: `password = …`, `"apiKey": …`. Only whole names match,
 * so the time is linear in the length of a string.
 */
const nameBeforeValue = /(?<![\w.-])[\w.-]+(?![\w.-])(?=["']?[ \t]*[=:])/g;

/**
 * True if a part of a value has a name that marks it as secret, may contain the value of such a name (as in a list of
 * environment variables), or is a URL with a password or another secret.
 */
export function mayHoldSecret(value: unknown): boolean {
  if (typeof value === "string")
    return (
      isSecretName(value) ||
      urlWithPassword.test(value) ||
      holdsUrlSecret(value) ||
      (value.match(nameBeforeValue) ?? []).some(isSecretName)
    );
  if (Array.isArray(value)) return value.some(mayHoldSecret);
  return isRecord(value) && Object.entries(value).some(([key, part]) => isSecretName(key) || mayHoldSecret(part));
}

/**
 * True if the value of an object's field may be secret, judging by the field's name or by the value itself:
 * `data.conf`, `spec.containers[name=web].env`. The name of a Secret, as in `parameters[example.com/secret-name]`, is
 * not secret.
 */
export function fieldMayHoldSecret(field: string, value: unknown): boolean {
  const name = field.replaceAll(/[[\]]+/g, ".").replace(/\.$/, "");
  if (refersToSecret(name) && typeof value === "string" && /^[\w./-]*$/.test(value)) return false;
  return isSecretName(name) || mayHoldSecret(value);
}

import { isRecord } from "../facts/symbols.ts";
import { isSecretName, notShown } from "./secret-schema.ts";
import { Secret } from "./secret.ts";
import { withoutUrlSecrets } from "./url-secrets.ts";

/**
 * Returns a value as a message can show it: every string and number inside it whose name or path looks like that of a
 * secret is hidden, at any depth. `isReference` tells which strings only refer to a secret.
 */
export function shownValue(
  name: string,
  value: unknown,
  isReference: (text: string) => boolean = () => false,
): unknown {
  if (value instanceof Secret) return value;
  const below = (key: string, part: unknown): unknown =>
    shownValue(name === "" ? key : `${name}.${key}`, part, isReference);
  if (Array.isArray(value)) return value.map((part, at) => below(String(at), part));
  if (isRecord(value) && !("toJSON" in value)) {
    // The form of an entry in a list of environment variables: `{ name: "DB_PASSWORD", value: "…" }`.
    const isNamedSecret = typeof value["name"] === "string" && isSecretName(value["name"]);
    const named = (key: string): string => (isNamedSecret && key === "value" ? "secret" : key);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, below(named(key), part)]));
  }
  if (typeof value === "string") return isReference(value) ? value : shownText(name, value);
  return typeof value === "number" && isSecretName(name) ? notShown : value;
}

function shownText(name: string, text: string): string {
  // A private key that is given by mistake is not marked as a secret.
  if (isSecretName(name) || /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return notShown;
  // JSON that does not parse stays a string, but may contain a secret.
  if (/^\s*[[{]/.test(text) && text.split(/[^\w.-]+/).some(isSecretName)) return notShown;
  // A string that begins like a URL counts as a URL, even if its password has a space or a quote, which no URL may
  // contain.
  return withoutUrlSecrets(text.replace(/^([a-z0-9+.-]+:\/\/[^/:@]*:)[^/]*@/i, "$1…@"));
}

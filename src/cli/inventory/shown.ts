import { isTemplate } from "../../load/ansible/connection.ts";
import { isSecretName, notShown } from "../../core/secrets/secret-schema.ts";
import { Secret } from "../../core/secrets/secret.ts";

/**
 * Returns a var or setting as `furrow inventory` can show it. There is no playbook schema here that could mark the
 * value as secret, so a value is hidden if its name or path looks like that of a secret. Values that are already
 * secrets stay secret.
 */
export function shownValue(name: string, value: unknown): unknown {
  if (value instanceof Secret) return value;
  if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value).map(([key, part]) => [key, shownValue(`${name}.${key}`, part)] as const);
    return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
  }
  const isText = typeof value === "number" || (typeof value === "string" && !isTemplate(value));
  return isText && isSecretName(name) ? notShown : value;
}

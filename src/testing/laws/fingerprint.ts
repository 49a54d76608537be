import { reveal, Secret } from "../../core/secrets/secret.ts";
import { isNamedTask, isRecord } from "../../core/facts/symbols.ts";

/**
 * A value as text. Equal values give the same text, regardless of the order of their keys. Secrets are represented by
 * their values. All tasks that a param refers to are treated as equal.
 */
export function fingerprint(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "symbol") return `\u0000${part.description ?? ""}`;
    if (typeof part === "function" || part instanceof RegExp) return String(part);
    if (!isRecord(part) || part instanceof Secret) return part;
    if (isNamedTask(part)) return "\u0000task";
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
  return reveal(text ?? "");
}

import { printMarkers } from "../../core/secrets/secret.ts";
import { absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";

/**
 * A value or a want as text of at most `longest` characters, for messages. A want that does not set any part is
 * described in words.
 */
export function valueText(value: unknown, longest: number): string {
  if (value === absent) return "absent";
  if (value === knownAfterApply) return "anything";
  if (isRecord(value) && Object.values(value).every((part) => part === undefined)) return "present";
  const text = printMarkers(JSON.stringify(value) ?? "nothing");
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

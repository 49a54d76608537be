import { printMarkers } from "../../core/secret.ts";
import { absent, isRecord, knownAfterApply } from "../../core/symbols.ts";

/** A value, or what is wanted of one, in a message of at most `longest` characters; a want that binds no part in words. */
export function valueText(value: unknown, longest: number): string {
  if (value === absent) return "absent";
  if (value === knownAfterApply) return "anything";
  if (isRecord(value) && Object.values(value).every((part) => part === undefined)) return "something there";
  const text = printMarkers(JSON.stringify(value) ?? "nothing");
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

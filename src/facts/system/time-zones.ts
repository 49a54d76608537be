import { closest } from "../../core/closest.ts";

/**
 * True for text that can be a zone's name: parts of letters, digits, "_", "+" and "-", such as
 * `America/Argentina/Salta`.
 */
export function isZoneName(text: string): boolean {
  return /^[A-Za-z][\w+-]*(\/[A-Za-z0-9][\w+-]*)*$/.test(text);
}

/**
 * The zone known to Node with the most similar name, if one is similar enough; undefined for a name that Node itself
 * knows, because the host's tz database may be older.
 */
export function nearestZone(name: string): string | undefined {
  const known = Intl.supportedValuesOf("timeZone");
  return known.includes(name) ? undefined : closest(name, known);
}

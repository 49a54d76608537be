import { z } from "zod";

/** The maximum number of parts that are named. */
const most = 3;

/**
 * Describes the parts that a schema did not accept: `droplet.id: Invalid input: expected string, received undefined`.
 * Undefined for an error that no schema threw. Zod's own message is JSON.
 */
export function wrongParts(error: unknown): string | undefined {
  if (!(error instanceof z.core.$ZodError)) return undefined;
  const parts = error.issues.map(
    ({ path, message }) => `${path.map(String).join(".") || "the whole value"}: ${message}`,
  );
  const more = parts.length > most ? `; and ${parts.length - most} more` : "";
  return parts.slice(0, most).join("; ") + more;
}

import { type Absent, absent, peek } from "../../src/authoring.ts";
import type { SeenId } from "../../src/facts/catalogue.ts";

/** The id of a resource that the task has read; undefined if the resource is created in the same run. */
export function seenIn(now: { readonly id: string } | Absent | undefined): SeenId {
  if (now === undefined || now === absent) return undefined;
  const id = peek(now, "id");
  return typeof id === "string" ? id : undefined;
}

import type { Json } from "../../../core/facts/fact.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import type { GcePlace } from "../../../facts/cloud/gce/index.ts";
import type { Sort } from "../collections.ts";

/** A planned API call. */
export interface PlannedCall {
  readonly on: Sort;
  readonly method: string;
  readonly place: GcePlace;
  readonly fields: Readonly<Record<string, Json>>;
}

/** The resource that the call would insert; empty for any other call. */
export function resourceOf({ on, method, fields }: PlannedCall): Readonly<Record<string, unknown>> {
  const resource = method === "insert" ? fields[`${on}Resource`] : undefined;
  return isRecord(resource) ? resource : {};
}

/** The records in a list field. */
export function recordsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The metadata that the call would set, by key. */
export function metadataIn(call: PlannedCall): Readonly<Record<string, unknown>> {
  const metadata = resourceOf(call)["metadata"] ?? call.fields["metadataResource"];
  const items = recordsIn(isRecord(metadata) ? metadata["items"] : undefined);
  return Object.fromEntries(items.map(({ key, value }) => [String(key), value]));
}

/** True if the call would give a new instance an external address. */
export function wantsExternal(call: PlannedCall): boolean {
  return recordsIn(resourceOf(call)["networkInterfaces"]).some((nic) => recordsIn(nic["accessConfigs"]).length > 0);
}

import { refuse, type Refusal } from "../../src/authoring.ts";

/** Refuses a zone that does not exist in the region; undefined if the zone exists, or if that is not known. */
export function refuseZone(zone: string | undefined, zones: readonly string[] | undefined): Refusal | undefined {
  if (zone === undefined || zones === undefined || zones.length === 0 || zones.includes(zone)) return undefined;
  return refuse({
    code: "unknown-zone",
    message: `the region has no zone ${zone}`,
    current: zones.join(", "),
    expected: zone,
    hint: "Correct the zone, or the region",
  });
}

import { refuse, type Refusal } from "../../src/authoring.ts";
import type { Ec2Permission } from "../../src/facts/catalogue.ts";

/** The refusal of what the credentials in use may not do; undefined where they may, or nobody can say. */
export function refuseDenied(may: Ec2Permission | undefined): Refusal | undefined {
  if (may === undefined || may.denied === "") return undefined;
  return refuse({
    code: "not-permitted",
    message: `the credentials in use may not do this: ${may.denied} is not allowed`,
    current: `no permission ${may.denied}`,
    hint: `Let an administrator of the account allow ${may.denied} to the credentials in use, or use others`,
  });
}

/** The refusal of a zone that the region does not have; undefined where it has it, or nobody can say. */
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

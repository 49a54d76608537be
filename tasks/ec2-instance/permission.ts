import { refuse, type Refusal } from "../../src/authoring.ts";
import type { Ec2Permission } from "../../src/facts/catalogue.ts";

/** Refuses an action that the credentials do not permit; undefined if they permit it, or if that is not known. */
export function refuseDenied(may: Ec2Permission | undefined): Refusal | undefined {
  if (may === undefined || may.denied === "") return undefined;
  return refuse({
    code: "not-permitted",
    message: `the credentials in use do not permit ${may.denied}`,
    current: `no permission ${may.denied}`,
    hint: `Ask an administrator of the account to allow ${may.denied}, or use other credentials`,
  });
}

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

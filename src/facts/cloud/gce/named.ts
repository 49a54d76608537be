import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { GcePlace } from "./values.ts";

/** An instance, and the zone that it is in. */
export interface GceInstanceInZone {
  readonly zone: string;
  readonly description: string;
}

/** A disk or an address that belongs to a machine, and the zone or region that it is in. */
export interface GcePart {
  readonly sort: "disk" | "address";
  readonly name: string;
  readonly place: string;
}

/** Asks Compute Engine for the disks and addresses of this owner in all zones and regions of the project, sorted. */
export function gcePartsOf({ project, name }: Pick<GcePlace, "project" | "name">): ControllerFact<readonly GcePart[]> {
  return { driver: "gce", request: { get: "partsOf", project, name } };
}

/** Asks Compute Engine for the instances with this name in all zones of the project, in the order of their zones. */
export function gceInstancesNamed({
  project,
  name,
}: Pick<GcePlace, "project" | "name">): ControllerFact<readonly GceInstanceInZone[]> {
  return { driver: "gce", request: { get: "instancesNamed", project, name } };
}

import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { GcePlace } from "./values.ts";

/** An instance, and the zone that it is in. */
export interface GceInstanceInZone {
  readonly zone: string;
  readonly description: string;
}

/** Asks Compute Engine for the instances with this name in all zones of the project, in the order of their zones. */
export function gceInstancesNamed({
  project,
  name,
}: Pick<GcePlace, "project" | "name">): ControllerFact<readonly GceInstanceInZone[]> {
  return { driver: "gce", request: { get: "instancesNamed", project, name } };
}

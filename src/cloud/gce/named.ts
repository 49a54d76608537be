import type { GceInstanceInZone, GcePlace } from "../../facts/cloud/gce/index.ts";
import { listAll } from "./list.ts";
import { instancesOf } from "./machines.ts";
import { shortName, textOf } from "./views.ts";

/** The instances with this name in all zones of the project. Throws FurrowError E_DRIVER. */
export async function instancesNamed(
  { project, name }: GcePlace,
  signal: AbortSignal,
): Promise<readonly GceInstanceInZone[]> {
  const found: GceInstanceInZone[] = [];
  const request = { project, filter: `name = "${name}"` };
  for await (const pair of listAll(
    "instances",
    "aggregatedList",
    request,
    `list the instances of ${project}`,
    signal,
  )) {
    for (const raw of instancesOf(pair)) {
      if (raw.name !== name) continue;
      found.push({ zone: shortName(raw.zone), description: textOf((raw as { description?: unknown }).description) });
    }
  }
  return found.toSorted((a, b) => (a.zone < b.zone ? -1 : 1));
}

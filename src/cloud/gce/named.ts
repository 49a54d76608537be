import { isRecord } from "../../core/facts/symbols.ts";
import { type GceInstanceInZone, gceOwner, type GcePart, type GcePlace } from "../../facts/cloud/gce/index.ts";
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

const collections = { disk: "disks", address: "addresses" } as const;

/** The disks and addresses whose owner has this name, in all zones and regions. Throws FurrowError E_DRIVER. */
export async function partsOf({ project, name }: GcePlace, signal: AbortSignal): Promise<readonly GcePart[]> {
  const found: GcePart[] = [];
  for (const sort of ["disk", "address"] as const) {
    const list = collections[sort];
    const what = `list the ${list} of ${project}`;
    for await (const pair of listAll(list, "aggregatedList", { project }, what, signal)) {
      const [place, content] = pair as readonly [string, unknown];
      const things = isRecord(content) ? content[list] : undefined;
      for (const raw of Array.isArray(things) ? (things as unknown[]) : []) {
        if (!isRecord(raw) || textOf(raw["description"]) !== gceOwner(name)) continue;
        found.push({ sort, name: textOf(raw["name"]), place: shortName(place) });
      }
    }
  }
  return found;
}

import type { Permission } from "../../core/host/driver.ts";
import { type Collection, collections, type Sort } from "./collections.ts";
import { permissionsFor } from "./rehearsal/permissions.ts";
import type { PlannedCall } from "./rehearsal/planned-call.ts";

/** The permissions that a question needs in the project of the resource. */
export function permissionsToRead(get: Sort | "machineTypes" | "ranges", family: boolean): readonly string[] {
  if (get === "machineTypes") return ["compute.machineTypes.list"];
  if (get === "ranges") return ["compute.subnetworks.list"];
  const own = `compute.${collections[get].path}.${family ? "getFromFamily" : "get"}`;
  return get === "instance" ? [own, "compute.instances.getGuestAttributes"] : [own];
}

/**
 * The permissions that a change needs: those of the call itself, as a rehearsal asks for them, and those to wait for its
 * operation and for the resource to be as wanted.
 */
export function permissionsToChange(on: Sort, project: string, call: PlannedCall | undefined): readonly Permission[] {
  const { scope }: Collection = collections[on];
  const operations = call === undefined ? [] : [`compute.${scope}Operations.list`, `compute.${scope}Operations.get`];
  const names = [
    ...(call === undefined ? [] : permissionsFor(call)),
    ...operations,
    ...permissionsToRead(on, false),
    ...(on === "subnetwork" ? ["compute.subnetworks.list"] : []),
  ];
  return names.map((name) => ({ name, project }));
}

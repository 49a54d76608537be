import { absent } from "../../core/facts/symbols.ts";
import type { GcePlace } from "../../facts/cloud/gce/index.ts";
import { ask } from "./ask.ts";
import { type Collection, collections, sayThing, scopeOf, type Sort } from "./collections.ts";
import { apiError, isAbsent } from "./errors.ts";
import {
  addressOf,
  diskOf,
  diskTypeOf,
  firewallOf,
  hostKeysOf,
  imageOf,
  instanceOf,
  machineTypeOf,
  networkOf,
  type RawInstance,
  subnetworkOf,
} from "./views.ts";

/**
 * Reads a resource from the API, and converts it to furrow's type; `absent` if the resource does not exist. Throws
 * FurrowError E_DRIVER.
 */
export async function readThing(sort: Sort, place: GcePlace, family: boolean, signal: AbortSignal): Promise<unknown> {
  const raw = await getThing(sort, place, family, signal);
  if (raw === absent) return absent;
  if (sort !== "instance") return views[sort](raw);
  const instance = raw as RawInstance;
  return instanceOf(instance, instance.status === "RUNNING" ? await hostKeysNow(place, signal) : []);
}

const views = {
  address: addressOf,
  disk: diskOf,
  diskType: diskTypeOf,
  firewall: firewallOf,
  image: imageOf,
  machineType: machineTypeOf,
  network: networkOf,
  subnetwork: subnetworkOf,
} as const satisfies Record<Exclude<Sort, "instance">, (raw: object) => object>;

/** Reads a resource from the API as the API shows it; `absent` if it does not exist. Throws FurrowError E_DRIVER. */
export async function getThing(
  sort: Sort,
  place: GcePlace,
  family: boolean,
  signal: AbortSignal,
): Promise<object | typeof absent> {
  const collection: Collection = collections[sort];
  const { name } = place;
  const missing = `${collection.path}/${family ? "family/" : ""}${name}`;
  const request = { ...scopeOf(collection, place), ...(family ? { family: name } : { [collection.item]: name }) };
  const asked = {
    client: collection.client,
    method: family ? "getFromFamily" : "get",
    request,
    what: `read ${sayThing(sort, place)}`,
  };
  try {
    return (await ask(asked, signal, (error) => isAbsent(apiError(error), missing))) as object;
  } catch (error) {
    if (isAbsent(apiError(error), missing)) return absent;
    throw error;
  }
}

/**
 * The host keys that a guest has reported so far; empty if it has reported none, or cannot report any because guest
 * attributes are off.
 */
export async function hostKeysNow(place: GcePlace, signal: AbortSignal): Promise<string[]> {
  const { project, zone, name } = place;
  const silent = (error: unknown): boolean => [400, 404].includes(apiError(error).status);
  try {
    const request = { project, zone, instance: name, queryPath: "hostkeys/" };
    const what = `read the host keys of ${sayThing("instance", place)}`;
    const answer = await ask({ client: "instances", method: "getGuestAttributes", request, what }, signal, silent);
    return hostKeysOf(answer as object);
  } catch (error) {
    if (silent(error)) return [];
    throw error;
  }
}

/** The machine types in a zone with the given number of CPUs. */
export async function machineTypesOf(place: GcePlace, signal: AbortSignal): Promise<readonly object[]> {
  const { project, zone, name } = place;
  const request = { project, zone, filter: `guestCpus = ${name}`, maxResults: 500 };
  const what = `list the machine types of ${zone ?? ""}`;
  const found = await ask({ client: "machine_types", method: "list", request, what }, signal);
  return (found as object[]).map(machineTypeOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

import type { ControllerFact, Json } from "../../../core/facts/fact.ts";
import type { CallStep } from "../../../core/host/step.ts";
import type { GcePlace, GceValues } from "./values.ts";

/** Asks Compute Engine about one resource; with `family`, the name is an image family. */
function gceFact<K extends keyof GceValues>(get: K, place: GcePlace, family = false): ControllerFact<GceValues[K]> {
  return { driver: "gce", request: { get, ...placeOf(place), ...(family && { family }) } };
}

/** The key order is fixed, because the request is the fact's identity. */
function placeOf({ project, zone, region, name }: GcePlace) {
  return { project, ...(zone !== undefined && { zone }), ...(region !== undefined && { region }), name };
}

/** A change of a Compute Engine resource. */
export interface GceChange {
  readonly sort: "network" | "firewall" | "disk" | "instance" | "address";
  readonly place: GcePlace;
  /** Method of the API: `insert`, `setLabels`; undefined if the step only waits. */
  readonly method?: string;
  /** Arguments of the method, named as in the API's client. */
  readonly fields?: Readonly<Record<string, Json>>;
  /** The state to wait for before the step ends: a part of the resource's value, or "absent". */
  readonly until: Json;
  /** Describes the change for people: `create instance harvester`. */
  readonly label: string;
}

/** Builds the facts and steps of tasks about Compute Engine. */
export const gce = {
  network: (place: GcePlace) => gceFact("network", place),
  firewall: (place: GcePlace) => gceFact("firewall", place),
  disk: (place: GcePlace) => gceFact("disk", place),
  instance: (place: GcePlace) => gceFact("instance", place),
  address: (place: GcePlace) => gceFact("address", place),
  machineType: (place: GcePlace) => gceFact("machineType", place),
  image: (place: GcePlace, family: boolean) => gceFact("image", place, family),
  /** The machine types of a zone with this many processors. */
  machineTypes: (place: Omit<GcePlace, "name">, cpus: number) =>
    gceFact("machineTypes", { ...place, name: String(cpus) }),
  /** One change through the API. It waits for the operation, then for the state in `until`. */
  call: ({ sort, place, method, fields, until, label }: GceChange): CallStep => ({
    step: "call",
    driver: "gce",
    request: { on: sort, ...placeOf(place), ...(method !== undefined && { method }), fields: fields ?? {}, until },
    label,
  }),
  /** All facts of Compute Engine: a change of one resource shows in others. */
  all: "gce:**",
} as const;

/** The description of resources that furrow creates, which distinguishes them from those that others have created. */
export function gceOwner(owner: string): string {
  return `Made by furrow for ${owner}`;
}

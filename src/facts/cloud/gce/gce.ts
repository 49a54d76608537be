import type { ControllerFact, Json } from "../../../core/fact.ts";
import type { CallStep } from "../../../core/step.ts";
import type { GcePlace, GceValues } from "./values.ts";

/** Asks Compute Engine about one thing; `family` instead of a name for an image. */
function gceFact<K extends keyof GceValues>(get: K, place: GcePlace, family = false): ControllerFact<GceValues[K]> {
  return { driver: "gce", request: { get, ...placeOf(place), ...(family && { family }) } };
}

/** Always in one order: the request is the fact's identity. */
function placeOf({ project, zone, region, name }: GcePlace) {
  return { project, ...(zone !== undefined && { zone }), ...(region !== undefined && { region }), name };
}

/** What a change to Compute Engine is made of. */
export interface GceChange {
  readonly sort: "network" | "firewall" | "disk" | "instance" | "address";
  readonly place: GcePlace;
  /** Method of the API: `insert`, `setLabels`; none where something is only waited for. */
  readonly method?: string;
  /** What goes with the method, by the names of the API's client. */
  readonly fields?: Readonly<Record<string, Json>>;
  /** What the thing must be like before the step has ended: a part of its value, or "absent". */
  readonly until: Json;
  /** What it does, for people: `create instance harvester`. */
  readonly label: string;
}

/** The steps and questions that tasks about Compute Engine are made of. */
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
  /** One change by the API: its operation is waited for, then the state in `until`. */
  call: ({ sort, place, method, fields, until, label }: GceChange): CallStep => ({
    step: "call",
    driver: "gce",
    request: { on: sort, ...placeOf(place), ...(method !== undefined && { method }), fields: fields ?? {}, until },
    label,
  }),
  /** Everything of Compute Engine: a change of one thing shows in others. */
  all: "gce:**",
} as const;

/** What stands in the description of a thing that furrow has made, so that it is told from what others have made. */
export function gceOwner(owner: string): string {
  return `Made by furrow for ${owner}`;
}

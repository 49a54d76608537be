import type { ControllerFact, Json } from "../../../core/facts/fact.ts";
import type { CallStep } from "../../../core/host/step.ts";
import { peek } from "../../../core/facts/compare.ts";
import { type Absent, absent } from "../../../core/facts/symbols.ts";
import type { GcePlace, GceValues } from "./values.ts";

/** Asks Compute Engine about one resource; with `family`, the name is an image family. */
function gceFact<K extends keyof GceValues>(get: K, place: GcePlace, family = false): ControllerFact<GceValues[K]> {
  return { driver: "gce", request: { get, ...placeOf(place), ...(family && { family }) } };
}

/** Returns the fields in a fixed order, because the request is the fact's identity. */
function placeOf({ project, zone, region, name }: GcePlace) {
  return { project, ...(zone !== undefined && { zone }), ...(region !== undefined && { region }), name };
}

/** The resource that a task looked at. A step does not change a different resource that has the same name by then. */
export interface GceSeen {
  readonly description: string;
  /** Missing if an earlier task of the same run creates the resource. */
  readonly id?: string;
}

/** Returns the data that identifies a resource of this owner that a task has looked at. */
export function gceSeen(owner: string, now: Identity | Absent): GceSeen {
  const id = now === absent ? undefined : peek(now, "id");
  return { description: gceOwner(owner), ...(typeof id === "string" && { id }) };
}

interface Identity {
  readonly id?: string;
}

/** A change to a Compute Engine resource. */
export interface GceChange {
  readonly sort: "network" | "subnetwork" | "firewall" | "disk" | "instance" | "address";
  readonly place: GcePlace;
  /** The API method, such as `insert` or `setLabels`; undefined if the step only waits. */
  readonly method?: string;
  /** The method's arguments, named as in the API's client. */
  readonly fields?: Readonly<Record<string, Json>>;
  /** For an existing resource: the one that the task looked at. */
  readonly seen?: GceSeen;
  /** The state to wait for before the step ends: a part of the resource's value, or "absent". */
  readonly until: Json;
  /** A human-readable description of the change: `create instance harvester`. */
  readonly label: string;
}

/** Creates the facts and steps of Compute Engine tasks. */
export const gce = {
  network: (place: GcePlace) => gceFact("network", place),
  subnetwork: (place: GcePlace) => gceFact("subnetwork", place),
  /** The ranges of all subnetworks of a network. */
  ranges: (place: GcePlace) => gceFact("ranges", place),
  firewall: (place: GcePlace) => gceFact("firewall", place),
  disk: (place: GcePlace) => gceFact("disk", place),
  diskType: (place: GcePlace) => gceFact("diskType", place),
  instance: (place: GcePlace) => gceFact("instance", place),
  address: (place: GcePlace) => gceFact("address", place),
  machineType: (place: GcePlace) => gceFact("machineType", place),
  image: (place: GcePlace, family: boolean) => gceFact("image", place, family),
  /** The machine types in a zone that have this many processors. */
  machineTypes: (place: Omit<GcePlace, "name">, cpus: number) =>
    gceFact("machineTypes", { ...place, name: String(cpus) }),
  /** A single change through the API. The step waits for the operation, then for the state in `until`. */
  call: ({ sort, place, method, fields, seen, until, label }: GceChange): CallStep => ({
    step: "call",
    driver: "gce",
    request: {
      on: sort,
      ...placeOf(place),
      ...(method !== undefined && { method }),
      fields: fields ?? {},
      ...(seen !== undefined && { seen: { ...seen } }),
      until,
    },
    label,
  }),
  /** All Compute Engine facts, because a change to one resource can also change the facts about others. */
  all: "gce:**",
} as const;

/**
 * The description that furrow gives to the resources that it creates, to distinguish them from other people's
 * resources.
 */
export function gceOwner(owner: string): string {
  return `Made by furrow for ${owner}`;
}

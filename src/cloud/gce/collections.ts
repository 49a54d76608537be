import type { ClientName } from "./clients.ts";
import type { GcePlace } from "../../facts/cloud/gce/index.ts";

/** Where the things of a sort are, and what the API's client calls them in a request. */
export interface Collection {
  readonly client: ClientName;
  /** Its name in the paths of the API. */
  readonly path: string;
  /** The request's field for the thing's name. */
  readonly item: string;
  readonly scope: "global" | "region" | "zone";
}

/** All sorts of things that are asked for by name. */
export const collections = {
  address: { client: "addresses", path: "addresses", item: "address", scope: "region" },
  disk: { client: "disks", path: "disks", item: "disk", scope: "zone" },
  firewall: { client: "firewalls", path: "firewalls", item: "firewall", scope: "global" },
  image: { client: "images", path: "images", item: "image", scope: "global" },
  instance: { client: "instances", path: "instances", item: "instance", scope: "zone" },
  machineType: { client: "machine_types", path: "machineTypes", item: "machineType", scope: "zone" },
  network: { client: "networks", path: "networks", item: "network", scope: "global" },
} as const satisfies Record<string, Collection>;

/** A sort of things. */
export type Sort = keyof typeof collections;

/** The part of a request that says where: project, and region or zone. */
export function scopeOf({ scope }: Collection, { project, zone, region }: GcePlace): object {
  if (scope === "zone") return { project, zone };
  return scope === "region" ? { project, region } : { project };
}

/** A thing's path in the API, from `projects/` on. */
export function pathOf({ scope, path }: Collection, { project, zone, region, name }: GcePlace): string {
  const place = scope === "zone" ? `zones/${zone ?? ""}` : scope === "region" ? `regions/${region ?? ""}` : "global";
  return `projects/${project}/${place}/${path}/${name}`;
}

/** A thing for people: `instance a in europe-west3-a`. */
export function sayThing(sort: string, { zone, region, project, name }: GcePlace): string {
  return `${sort} ${name} in ${zone ?? region ?? project}`;
}

import type { ClientName } from "./clients.ts";
import type { GcePlace } from "../../facts/cloud/gce/index.ts";

/** Where the resources of one type are located, and how the API client's requests name them. */
export interface Collection {
  readonly client: ClientName;
  /** The collection's name in API paths. */
  readonly path: string;
  /** The request field that contains the resource's name. */
  readonly item: string;
  readonly scope: "global" | "region" | "zone";
}

/** All resource types that can be requested by name. */
export const collections = {
  address: { client: "addresses", path: "addresses", item: "address", scope: "region" },
  disk: { client: "disks", path: "disks", item: "disk", scope: "zone" },
  diskType: { client: "disk_types", path: "diskTypes", item: "diskType", scope: "zone" },
  firewall: { client: "firewalls", path: "firewalls", item: "firewall", scope: "global" },
  image: { client: "images", path: "images", item: "image", scope: "global" },
  instance: { client: "instances", path: "instances", item: "instance", scope: "zone" },
  machineType: { client: "machine_types", path: "machineTypes", item: "machineType", scope: "zone" },
  network: { client: "networks", path: "networks", item: "network", scope: "global" },
  subnetwork: { client: "subnetworks", path: "subnetworks", item: "subnetwork", scope: "region" },
} as const satisfies Record<string, Collection>;

/** A resource type. */
export type Sort = keyof typeof collections;

/** The part of a request that specifies the place: project, and region or zone. */
export function scopeOf({ scope }: Collection, { project, zone, region }: GcePlace): object {
  if (scope === "zone") return { project, zone };
  return scope === "region" ? { project, region } : { project };
}

/** A resource's path in the API, starting with `projects/`. */
export function pathOf({ scope, path }: Collection, { project, zone, region, name }: GcePlace): string {
  const place = scope === "zone" ? `zones/${zone ?? ""}` : scope === "region" ? `regions/${region ?? ""}` : "global";
  return `projects/${project}/${place}/${path}/${name}`;
}

/** Returns a human-readable description of a resource: `instance a in europe-west3-a`. */
export function sayThing(sort: string, { zone, region, project, name }: GcePlace): string {
  return `${sort} ${name} in ${zone ?? region ?? project}`;
}

import type { Api } from "./api.ts";
import { listAll } from "./list.ts";
import { addressesOf, type Raw, textOf, textsOf } from "./views.ts";

/** A droplet in an inventory. */
export interface DigitalOceanMachine {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly size: string;
  /** new, active, off or archive. */
  readonly status: string;
  /** The public IPv4 address; empty if the droplet has none. */
  readonly address: string;
  /** The address in its VPC network; empty if the droplet has none. */
  readonly privateAddress: string;
  readonly vpc: string;
  /** Sorted. */
  readonly tags: readonly string[];
  /** The names of its volumes, sorted; the guest sees each at `/dev/disk/by-id/scsi-0DO_Volume_NAME`. */
  readonly volumes: readonly string[];
  /** Empty: DigitalOcean does not report the SSH host keys of droplets. */
  readonly hostKeys: readonly string[];
}

/** Lists all droplets of the account, or those with a tag. Throws FurrowError E_DRIVER. */
export async function listMachines(api: Api, tag: string | undefined): Promise<readonly DigitalOceanMachine[]> {
  const what = tag === undefined ? "list the droplets" : `list the droplets with the tag ${tag}`;
  const droplets = await listAll(api, "droplets", { path: "droplets", query: { tag_name: tag }, what });
  const hasVolumes = droplets.some((raw) => textsOf(raw["volume_ids"]).length > 0);
  const volumes = hasVolumes ? await volumeNames(api) : new Map<string, string>();
  return droplets.map((raw) => ({
    id: textOf(raw["id"]),
    name: textOf(raw["name"]),
    region: textOf((raw["region"] as Raw | undefined)?.["slug"]),
    size: textOf(raw["size_slug"]),
    status: textOf(raw["status"]),
    ...addressesOf(raw),
    vpc: textOf(raw["vpc_uuid"]),
    tags: textsOf(raw["tags"]).toSorted(),
    volumes: textsOf(raw["volume_ids"])
      .map((id) => volumes.get(id) ?? id)
      .toSorted(),
    hostKeys: [],
  }));
}

async function volumeNames(api: Api): Promise<ReadonlyMap<string, string>> {
  const found = await listAll(api, "volumes", { path: "volumes", what: "list the volumes" });
  return new Map(found.map((raw) => [textOf(raw["id"]), textOf(raw["name"])]));
}

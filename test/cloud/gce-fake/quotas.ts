import type { CloudSettings } from "./settings.ts";
import { bare, type CloudState } from "./state.ts";

/** A quota as regions and projects show it: https://cloud.google.com/compute/docs/reference/rest/v1/regions */
interface Quota {
  readonly metric: string;
  readonly limit: number;
  readonly usage: number;
}

/** The limit of every quota that a test does not set. */
const plenty = 100_000;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The quotas of a region, with the usage by the fake's resources in that region. */
export function regionQuotas(state: CloudState, settings: CloudSettings, region: string): Quota[] {
  const within = (collection: string) =>
    [...state.things].filter(([key]) => key.includes(`/${region}`) && key.includes(`/${collection}/`));
  const instances = within("instances").map(([, thing]) => thing);
  const gigabytes = (...types: readonly string[]): number =>
    sum(
      within("disks")
        .filter(([, { type }]) => types.some((one) => bare(type).endsWith(`/${one}`)))
        .map(([, { sizeGb }]) => Number(sizeGb)),
    );
  const external = instances.filter(({ networkInterfaces }) =>
    (networkInterfaces as { accessConfigs?: object[] }[]).some(({ accessConfigs = [] }) => accessConfigs.length > 0),
  );
  const used: Readonly<Record<string, number>> = {
    INSTANCES: instances.length,
    CPUS: 0,
    N2_CPUS: instances.length * 16,
    PREEMPTIBLE_CPUS: 0,
    STATIC_ADDRESSES: within("addresses").length,
    IN_USE_ADDRESSES: external.length,
    DISKS_TOTAL_GB: gigabytes("pd-standard"),
    SSD_TOTAL_GB: gigabytes("pd-balanced", "pd-ssd"),
    HDB_TOTAL_GB: gigabytes("hyperdisk-balanced"),
  };
  return quotas(used, settings);
}

/** The quotas of the project, with the usage by the fake's resources. */
export function projectQuotas(state: CloudState, settings: CloudSettings): Quota[] {
  const count = (collection: string): number =>
    [...state.things.keys()].filter((key) => key.includes(`/${collection}/`)).length;
  const used = {
    NETWORKS: count("networks"),
    SUBNETWORKS: count("subnetworks"),
    FIREWALLS: count("firewalls"),
    CPUS_ALL_REGIONS: count("instances") * 16,
  };
  return quotas(used, settings);
}

function quotas(used: Readonly<Record<string, number>>, { limits }: CloudSettings): Quota[] {
  return Object.entries(used).map(([metric, usage]) => ({ metric, limit: limits[metric] ?? plenty, usage }));
}

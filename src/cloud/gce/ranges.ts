import { type Absent, absent } from "../../core/facts/symbols.ts";
import type { GcePlace, GceRanges, GceSubnetwork } from "../../facts/cloud/gce/index.ts";
import { listAll } from "./list.ts";
import { shortName, textOf } from "./views.ts";

/** A subnetwork in the API's list, with the fields that furrow uses. */
interface Listed {
  readonly name?: unknown;
  readonly region?: unknown;
  readonly network?: unknown;
  readonly ipCidrRange?: unknown;
  readonly secondaryIpRanges?: readonly { readonly rangeName?: unknown; readonly ipCidrRange?: unknown }[] | null;
}

/** The ranges of all subnetworks of the network `name`. Subnetworks must not overlap, even in different regions. */
export async function rangesOf({ project, name }: GcePlace, signal: AbortSignal): Promise<GceRanges> {
  const ranges: Record<string, string> = {};
  for await (const one of subnetworksOf(project, signal)) {
    if (shortName(one.network) !== name) continue;
    const key = `${shortName(one.region)}/${textOf(one.name)}`;
    ranges[key] = textOf(one.ipCidrRange);
    for (const { rangeName, ipCidrRange } of one.secondaryIpRanges ?? []) {
      ranges[`${key}/${textOf(rangeName)}`] = textOf(ipCidrRange);
    }
  }
  return Object.fromEntries(Object.entries(ranges).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * True if the list of subnetworks agrees with a subnetwork that was read by its name. A list may lag behind a change,
 * and the next task would then decide based on outdated ranges.
 */
export async function isListed(
  { project, region = "", name }: GcePlace,
  now: GceSubnetwork | Absent,
  signal: AbortSignal,
): Promise<boolean> {
  let listed: string | typeof absent = absent;
  for await (const one of subnetworksOf(project, signal)) {
    if (one.name === name && shortName(one.region) === region) listed = textOf(one.ipCidrRange);
  }
  return listed === (now === absent ? absent : now.cidr);
}

async function* subnetworksOf(project: string, signal: AbortSignal): AsyncGenerator<Listed, void> {
  const what = `list the subnetworks of ${project}`;
  for await (const pair of listAll("subnetworks", "aggregatedList", { project }, what, signal)) {
    const [, { subnetworks }] = pair as [string, { subnetworks?: readonly Listed[] | null }];
    yield* subnetworks ?? [];
  }
}

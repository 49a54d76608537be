import { absent, type Absent, peek, refuse, type Refusal } from "../../src/authoring.ts";
import type { GceNetwork, GceRanges, GceSubnetwork } from "../../src/facts/catalogue.ts";
import { type Params, regionOf } from "./params.ts";

/** The facts about the network in which an instance is created. */
export interface PlaceFacts {
  readonly network: GceNetwork | Absent;
  /** The subnetwork, if one is given. */
  readonly subnetworks: readonly (GceSubnetwork | Absent)[];
  /** The ranges of a custom network, if no subnetwork is given. */
  readonly ranges: readonly GceRanges[];
}

/** Explains why an instance cannot be created in the requested network; undefined if it can be. */
export function obstacleInPlace(p: Params, { network, subnetworks, ranges }: PlaceFacts): Refusal | undefined {
  const region = regionOf(p.zone);
  const create = "create it first with gceSubnetwork";
  if (network === absent) {
    return refuse({
      code: "no-network",
      message: `there is no network ${p.network ?? ""} in ${p.project}`,
      hint: "Correct the name, or create the network first with gceNetwork",
    });
  }
  const [subnetwork] = subnetworks;
  if (subnetwork === absent) {
    return refuse({
      code: "no-subnetwork",
      message: `there is no subnetwork ${p.subnetwork ?? ""} in ${region}`,
      hint: `Correct the name, or ${create}`,
    });
  }
  const owner = subnetwork === undefined ? undefined : peek(subnetwork, "network");
  if (typeof owner === "string" && owner !== p.network) {
    return refuse({
      code: "other-network",
      message: `the subnetwork ${p.subnetwork ?? ""} is in the network ${owner}, not in ${p.network ?? ""}`,
      hint: "Correct the network or the subnetwork",
    });
  }
  return obstacleOfCustom(p, region, ranges[0]);
}

/** Refuses a custom network if no subnetwork is given, because Google does not choose one. */
function obstacleOfCustom(p: Params, region: string, ranges: GceRanges | undefined): Refusal | undefined {
  if (ranges === undefined) return undefined;
  const names = Object.entries(ranges).flatMap(([key, range]) => {
    const [where, name = "", secondary] = key.split("/");
    return where === region && secondary === undefined && range !== absent ? [name] : [];
  });
  if (names.length === 0) {
    return refuse({
      code: "no-subnetwork",
      message: `the network ${p.network ?? ""} has no subnetwork in ${region}`,
      hint: "Create one first with gceSubnetwork, and set subnetwork to its name",
    });
  }
  return refuse({
    code: "needs-subnetwork",
    message: `the network ${p.network ?? ""} has custom subnetworks, and Google does not choose one of them`,
    expected: names.join(", "),
    hint: "Set subnetwork to one of them",
  });
}

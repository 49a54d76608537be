import { absent, peek, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import {
  gce,
  gceOwner,
  gceSeen,
  type GceNetwork,
  type GceRanges,
  type GceSubnetwork,
} from "../../src/facts/catalogue.ts";
import { isWithin } from "../ec2-vpc/network-params.ts";
import { foreign, needed, notInPlace, resourceName, shared } from "../gce-network/own.ts";
import { automatic, overlaps, range } from "./range.ts";

const params = z
  .strictObject({
    name: shared.name("Name of the subnetwork"),
    project: shared.project(),
    region: shared.region("Region of the subnetwork"),
    network: resourceName()
      .optional()
      .describe("Network that the subnetwork belongs to; required unless state is absent"),
    cidr: range()
      .optional()
      .describe("Range of the subnetwork; required unless state is absent; can grow but never shrink"),
    privateGoogleAccess: z
      .boolean()
      .default(false)
      .describe("Whether machines without an external address can reach Google's own APIs"),
    owner: shared.owner(),
    state: z.enum(["present", "absent"]).default("present").describe("Whether the subnetwork exists"),
  })
  .refine(...needed("network", "a network"))
  .refine(...needed("cidr", "a range"));

type Params = z.output<typeof params>;

/** Manages or deletes a subnetwork of a VPC network in Google Compute Engine. */
export const gceSubnetwork = task({
  name: "gceSubnetwork",
  summary: "Create or update a subnetwork of a VPC network in Google Compute Engine, or delete it",
  params,
  service: "gce",
  examples: [
    {
      name: "harvester",
      project: "harvester-lab-1234",
      region: "europe-west3",
      network: "harvester",
      cidr: "10.20.0.0/20",
    },
  ],
  title: (p) => `gceSubnetwork ${p.name}`,
  disturbs: () => [gce.all],
})
  .facts(({ project, region, name, network }) => ({
    subnetwork: gce.subnetwork({ project, region, name }),
    networks: network === undefined ? [] : [gce.network({ project, name: network })],
  }))
  .facts((p, { subnetwork }) => {
    const name = p.network ?? (subnetwork === absent ? undefined : subnetwork.network);
    return { ...(name !== undefined && { ranges: gce.ranges({ project: p.project, name }) }) };
  })
  .want((p, { subnetwork, networks, ranges }) => {
    const key = keyOf(p);
    const refusal = foreign("subnetwork", p, subnetwork);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") return { subnetwork: absent, ...(ranges !== undefined && { ranges: { [key]: absent } }) };
    const { network = "", cidr = "" } = p;
    const obstacle =
      obstacleInNetwork(p, networks[0]) ??
      (subnetwork === absent ? undefined : obstacleToChange(p, subnetwork)) ??
      obstacleInRanges(p, ranges ?? {});
    if (obstacle !== undefined) return obstacle;
    return {
      subnetwork: {
        network,
        cidr,
        privateGoogleAccess: p.privateGoogleAccess,
        description: gceOwner(p.owner),
      },
      // A later task of the same plan must not use a range that overlaps this one either.
      ...(ranges !== undefined && { ranges: { [key]: cidr } }),
    };
  })
  .steps((p, { change, now: { subnetwork } }) => {
    const { project, region, name, network = "", cidr = "", privateGoogleAccess } = p;
    const act = { sort: "subnetwork", place: { project, region, name } } as const;
    if (change.subnetwork === undefined) {
      const until = p.state === "absent" ? "absent" : { cidr };
      const label = `wait until the list of subnetworks is up to date for ${name}`;
      return [change.ranges !== undefined && gce.call({ ...act, until, label })];
    }
    if (p.state === "absent") {
      return [
        gce.call({
          ...act,
          seen: gceSeen(p.owner, subnetwork),
          method: "delete",
          until: "absent",
          label: `delete subnetwork ${name}`,
        }),
      ];
    }
    if (subnetwork === absent) {
      const subnetworkResource = {
        name,
        network: `projects/${project}/global/networks/${network}`,
        ipCidrRange: cidr,
        privateIpGoogleAccess: privateGoogleAccess,
        description: gceOwner(p.owner),
      };
      const label = `create subnetwork ${name} (${cidr})`;
      return [gce.call({ ...act, method: "insert", fields: { subnetworkResource }, until: { cidr }, label })];
    }
    return [
      subnetwork.cidr !== cidr &&
        gce.call({
          ...act,
          method: "expandIpCidrRange",
          fields: { subnetworksExpandIpCidrRangeRequestResource: { ipCidrRange: cidr } },
          until: { cidr },
          label: `grow subnetwork ${name} to ${cidr}`,
        }),
      subnetwork.privateGoogleAccess !== privateGoogleAccess &&
        gce.call({
          ...act,
          method: "setPrivateIpGoogleAccess",
          fields: {
            subnetworksSetPrivateIpGoogleAccessRequestResource: { privateIpGoogleAccess: privateGoogleAccess },
          },
          until: { privateGoogleAccess },
          label: `turn private Google access ${privateGoogleAccess ? "on" : "off"} in subnetwork ${name}`,
        }),
    ];
  });

function keyOf({ region, name }: Params): string {
  return `${region}/${name}`;
}

function obstacleInNetwork(p: Params, network: GceNetwork | typeof absent | undefined): Refusal | undefined {
  if (network === undefined) return undefined;
  if (network === absent) {
    return refuse({
      code: "no-network",
      message: `there is no network ${p.network} in ${p.project}`,
      hint: 'Correct the name, or create the network first with gceNetwork and subnets: "custom"',
    });
  }
  if (peek(network, "autoSubnets") !== true || !overlaps(p.cidr ?? "", automatic)) return undefined;
  return refuse({
    code: "range-in-use",
    message: `the range ${p.cidr} overlaps ${automatic}, which Google reserves for the automatic subnetworks of ${p.network}`,
    hint: 'Choose a range outside it, or give the network subnets: "custom"',
  });
}

function obstacleToChange(p: Params, { network, cidr }: GceSubnetwork): Refusal | undefined {
  const thing = `the subnetwork ${p.name}`;
  const lost = "every machine in it";
  if (network !== p.network) return notInPlace(thing, "network", network, p.network ?? "", lost);
  return cidr === p.cidr || isWithin(cidr, p.cidr ?? "")
    ? undefined
    : notInPlace(thing, "cidr", cidr, p.cidr ?? "", lost);
}

function obstacleInRanges(p: Params, ranges: GceRanges): Refusal | undefined {
  const own = keyOf(p);
  const taken = Object.entries(ranges).find(
    ([key, cidr]) => key !== own && typeof cidr === "string" && overlaps(cidr, p.cidr ?? ""),
  );
  if (taken === undefined) return undefined;
  return refuse({
    code: "range-in-use",
    message: `the range ${p.cidr} overlaps ${String(taken[1])}, which belongs to the subnetwork ${taken[0]} of ${p.network}`,
    hint: "Choose a range that no other subnetwork of the network uses",
  });
}

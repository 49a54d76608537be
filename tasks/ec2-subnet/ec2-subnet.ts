import { absent, knownAfterApply, peek, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { ec2Call, type Ec2SubnetState, ec2SubnetState, ec2VpcState, ec2Zones } from "../../src/facts/catalogue.ts";
import { refuseForeign } from "../ec2-instance/launch.ts";
import { ec2Name, ec2Ref, ec2Tags, region } from "../ec2-instance/params.ts";
import { seenIn } from "../ec2-instance/seen.ts";
import { refuseZone } from "../ec2-instance/zone.ts";
import { canonicalNetwork } from "../ec2-security-group/network.ts";
import { ipv4Network, isWithin } from "../ec2-vpc/network-params.ts";

const params = z
  .strictObject({
    name: ec2Name("a subnet").describe("Value of the subnet's Name tag, by which furrow finds it"),
    region: region(),
    vpc: ec2Ref("vpc", "a VPC")
      .optional()
      .describe("VPC that the subnet belongs to, by id or name; required unless state is absent"),
    cidr: ipv4Network().optional().describe("The subnet's network, within the VPC's; required unless state is absent"),
    zone: z.string().optional().describe("Availability zone; default: EC2's choice"),
    publicAddresses: z
      .boolean()
      .default(false)
      .describe("Whether machines in the subnet get a public address by default"),
    tags: ec2Tags(),
    state: z.enum(["present", "absent"]).default("present").describe("Whether the subnet exists"),
  })
  .refine((p) => p.state === "absent" || (p.vpc !== undefined && p.cidr !== undefined), {
    message: "a VPC and a network, unless state is absent",
    path: ["cidr"],
  });

/** Manages a subnet of a VPC. */
export const ec2Subnet = task({
  name: "ec2Subnet",
  summary: "Create or update a subnet in an Amazon EC2 VPC, or delete it",
  params,
  service: "ec2",
  examples: [
    { name: "harvester", vpc: "harvester", cidr: "10.20.0.0/20", publicAddresses: true },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `ec2Subnet ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({
    subnet: ec2SubnetState(p),
    ...(p.state === "present" && p.vpc !== undefined && { vpc: ec2VpcState({ region: p.region, name: p.vpc }) }),
  }))
  .facts((p, { subnet }) => ({
    ...(p.state === "present" && subnet === absent && p.zone !== undefined && { zones: ec2Zones(p) }),
  }))
  .want((p, { subnet, vpc, zones }) => {
    if (subnet !== absent && !subnet.ours) return refuseForeign(p.name, subnet.id);
    if (p.state === "absent") return { subnet: absent };
    if (vpc === absent) {
      return refuse({
        code: "no-vpc",
        message: `there is no VPC ${p.vpc}`,
        hint: "Add an ec2Vpc task before this one, or correct the VPC or the region",
      });
    }
    const cidr = canonicalNetwork(p.cidr ?? "") ?? "";
    const around = vpc === undefined ? knownAfterApply : peek(vpc, "cidr");
    if (typeof around === "string" && !isWithin(cidr, around)) {
      return refuse({
        code: "outside-vpc",
        message: `the network ${cidr} is not part of ${around}, the network of the VPC ${p.vpc}`,
        hint: "Correct cidr",
      });
    }
    const within = vpc === undefined ? knownAfterApply : peek(vpc, "id");
    const obstacle =
      subnet === absent ? refuseZone(p.zone, zones) : refuseMove(p.name, subnet, { cidr, vpc: within, zone: p.zone });
    if (obstacle) return obstacle;
    return {
      subnet: {
        cidr,
        publicAddresses: p.publicAddresses,
        tags: p.tags,
        ours: true,
        ...(subnet === absent && { id: knownAfterApply, vpc: within, zone: p.zone ?? knownAfterApply }),
      },
    };
  })
  .steps((p, { change, now: { subnet } }) => {
    if (change.subnet === undefined) return [];
    const { name, region: where, tags, publicAddresses, zone, vpc = "" } = p;
    const place = { region: where, name };
    const id = seenIn(subnet);
    if (p.state === "absent") return [ec2Call({ act: "deleteSubnet", ...place, id }, `delete the subnet ${name}`)];
    const cidr = canonicalNetwork(p.cidr ?? "") ?? "";
    const isTagged = subnet === absent || Object.entries(tags).every(([key, value]) => subnet.tags[key] === value);
    const isPublic = subnet !== absent && subnet.publicAddresses;
    const verb = publicAddresses ? "give" : "stop giving";
    return [
      subnet === absent &&
        ec2Call({ act: "createSubnet", ...place, vpc, cidr, zone, tags }, `create the subnet ${name} (${cidr})`),
      subnet !== absent &&
        !isTagged &&
        ec2Call({ act: "setTags", region: where, id: subnet.id, tags }, `tag the subnet ${name}`),
      isPublic !== publicAddresses &&
        ec2Call(
          { act: "setPublicAddresses", ...place, id, publicAddresses },
          `${verb} machines in ${name} public addresses`,
        ),
    ];
  })
  .outputs((_p, { subnet }) => ({ id: subnet === absent ? "" : subnet.id }));

/** Refuses to change what EC2 cannot change: the VPC, the network and the zone of a subnet. */
function refuseMove(
  name: string,
  now: Ec2SubnetState,
  wanted: { readonly cidr: string; readonly vpc: unknown; readonly zone: string | undefined },
): Refusal | undefined {
  const differs = [
    ...(now.cidr === wanted.cidr ? [] : [`its network is ${now.cidr}, not ${wanted.cidr}`]),
    ...(typeof wanted.vpc !== "string" || now.vpc === wanted.vpc ? [] : [`its VPC is ${now.vpc}, not ${wanted.vpc}`]),
    ...(wanted.zone === undefined || now.zone === wanted.zone ? [] : [`its zone is ${now.zone}, not ${wanted.zone}`]),
  ];
  if (differs.length === 0) return undefined;
  return refuse({
    code: "cannot-move",
    message: `the subnet ${name} (${now.id}) cannot be changed as requested: ${differs.join("; ")}`,
    hint: "Set the params to the current values, or choose another name for a second subnet",
  });
}

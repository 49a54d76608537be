import { absent, knownAfterApply, refuse, task, z } from "../../src/authoring.ts";
import { ec2Call, ec2VpcQuota, ec2VpcState } from "../../src/facts/catalogue.ts";
import { refuseForeign } from "../ec2-instance/launch.ts";
import { ec2Name, ec2Tags, region } from "../ec2-instance/params.ts";
import { noteQuota, refuseQuota } from "../ec2-instance/quota.ts";
import { seenIn } from "../ec2-instance/seen.ts";
import { canonicalNetwork } from "../ec2-security-group/network.ts";
import { ipv4Network } from "./network-params.ts";

const params = z
  .strictObject({
    name: ec2Name("a VPC").describe("Value of the VPC's Name tag, by which furrow finds it"),
    region: region(),
    cidr: ipv4Network()
      .optional()
      .describe("The VPC's network; required unless state is absent; EC2 cannot change it later"),
    tags: ec2Tags(),
    state: z
      .enum(["present", "absent"])
      .default("present")
      .describe("Whether the VPC exists; it can be deleted only after its subnets, gateways and security groups"),
  })
  .refine((p) => p.state === "absent" || p.cidr !== undefined, {
    message: "a network, unless state is absent",
    path: ["cidr"],
  });

/** Manages a VPC, a private network in the account. */
export const ec2Vpc = task({
  name: "ec2Vpc",
  summary: "Create or update a VPC in Amazon EC2, or delete it",
  params,
  service: "ec2",
  examples: [
    { name: "harvester", cidr: "10.20.0.0/16" },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `ec2Vpc ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({ vpc: ec2VpcState(p) }))
  .facts((p, { vpc }) => ({ ...(p.state === "present" && vpc === absent && { quota: ec2VpcQuota(p) }) }))
  .want((p, { vpc, quota }) => {
    if (vpc !== absent && !vpc.ours) return refuseForeign(p.name, vpc.id);
    if (p.state === "absent") return { vpc: absent };
    const cidr = canonicalNetwork(p.cidr ?? "") ?? "";
    if (vpc !== absent && vpc.cidr !== cidr) {
      return refuse({
        code: "other-network",
        message: `the VPC ${p.name} (${vpc.id}) has the network ${vpc.cidr}, and EC2 cannot change it`,
        hint: `Set cidr to ${vpc.cidr}, or choose another name for a second VPC`,
      });
    }
    const full = refuseQuota(quota, "VPC");
    if (full) return full;
    return { vpc: { cidr, tags: p.tags, ours: true, ...(vpc === absent && { id: knownAfterApply }) } };
  })
  .steps((p, { change, now: { vpc } }) => {
    if (change.vpc === undefined) return [];
    const { name, region: where, tags } = p;
    if (p.state === "absent") {
      return [ec2Call({ act: "deleteVpc", region: where, name, id: seenIn(vpc) }, `delete the VPC ${name}`)];
    }
    const cidr = canonicalNetwork(p.cidr ?? "") ?? "";
    return [
      vpc === absent
        ? ec2Call({ act: "createVpc", region: where, name, cidr, tags }, `create the VPC ${name} (${cidr})`)
        : ec2Call({ act: "setTags", region: where, id: vpc.id, tags }, `tag the VPC ${name}`),
    ];
  })
  .notes((_p, { quota }) => noteQuota(quota, "VPC"))
  .outputs((_p, { vpc }) => ({ id: vpc === absent ? "" : vpc.id }));

import { absent, refuse, task, z } from "../../src/authoring.ts";
import { type Ec2Act, ec2Call, ec2DefaultVpc, ec2SecurityGroupState, ec2VpcState } from "../../src/facts/catalogue.ts";
import { ec2Name, ec2Ref, ec2Tags, region } from "../ec2-instance/params.ts";
import { refuseNoDefaultVpc } from "../ec2-instance/place.ts";
import { seenIn } from "../ec2-instance/seen.ts";
import { ruleSchema, rulesOf } from "./rules.ts";

const params = z.strictObject({
  name: ec2Name("a security group").describe("Name of the security group"),
  region: region(),
  vpc: ec2Ref("vpc", "a VPC")
    .optional()
    .describe("VPC that the group belongs to, by id or name; default: the region's default VPC"),
  description: z
    .string()
    .min(1)
    .max(255)
    .default("made by furrow")
    .describe("Description of the group; EC2 cannot change it later"),
  rules: z
    .array(ruleSchema)
    .default([])
    .describe("All inbound rules; any other inbound rule is removed. Outbound traffic is not restricted"),
  tags: ec2Tags(),
  state: z.enum(["present", "absent"]).default("present").describe("Whether the group exists"),
});

/** Manages a security group with exactly the given inbound rules. */
export const ec2SecurityGroup = task({
  name: "ec2SecurityGroup",
  summary: "Manage a security group in Amazon EC2 with exactly the given inbound rules",
  params,
  service: "ec2",
  examples: [
    {
      name: "harvester",
      rules: [
        { port: 443, from: ["0.0.0.0/0"] },
        { port: 22, from: ["192.0.2.7/32"] },
      ],
    },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `ec2SecurityGroup ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({ group: ec2SecurityGroupState(p) }))
  .facts((p, { group }) => {
    const isNew = p.state === "present" && group === absent;
    return {
      ...(isNew && p.vpc === undefined && { defaultVpc: ec2DefaultVpc(p) }),
      ...(isNew && p.vpc !== undefined && { within: ec2VpcState({ region: p.region, name: p.vpc }) }),
    };
  })
  .want((p, { group, defaultVpc, within }) => {
    if (group !== absent && !group.ours) {
      return refuse({
        code: "not-ours",
        message: `the security group ${p.name} (${group.id}) was not created by furrow`,
        hint: "Choose another name, or, if you may change that group, give it the tag furrow",
      });
    }
    if (within === absent) {
      return refuse({
        code: "no-vpc",
        message: `there is no VPC ${p.vpc}`,
        hint: "Add an ec2Vpc task before this one, or correct the VPC or the region",
      });
    }
    const obstacle = refuseNoDefaultVpc(defaultVpc);
    if (obstacle) return obstacle;
    return { group: p.state === "absent" ? absent : { rules: rulesOf(p.rules), tags: p.tags, ours: true } };
  })
  .steps((p, { change, now: { group } }) => {
    if (change.group === undefined) return [];
    const { name, vpc, region: where, tags } = p;
    const place = { region: where, name, id: seenIn(group), vpc };
    if (p.state === "absent") {
      return [ec2Call({ act: "deleteSecurityGroup", ...place }, `delete the security group ${name}`)];
    }
    const wanted = rulesOf(p.rules);
    const there = group === absent ? [] : group.rules;
    const add = wanted.filter((rule) => !there.includes(rule));
    const remove = there.filter((rule) => !wanted.includes(rule));
    const isTagged = group === absent || Object.entries(tags).every(([key, value]) => group.tags[key] === value);
    return [
      group === absent && ec2Call(createAct(p), `create the security group ${name}`),
      add.length + remove.length > 0 &&
        ec2Call({ act: "setRules", ...place, add, remove }, `set rules: ${sayRules(add, remove)}`),
      group !== absent &&
        !isTagged &&
        ec2Call({ act: "setTags", region: where, id: group.id, tags }, `tag the security group ${name}`),
    ];
  })
  .outputs((p) => ({ name: p.name }));

function createAct({ name, vpc, region: where, tags, description }: z.output<typeof params>): Ec2Act {
  return { act: "createSecurityGroup", region: where, name, vpc, description, tags };
}

function sayRules(add: readonly string[], remove: readonly string[]): string {
  return [...add.map((rule) => `+ ${rule}`), ...remove.map((rule) => `- ${rule}`)].join(", ");
}

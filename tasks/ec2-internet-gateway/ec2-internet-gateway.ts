import { absent, knownAfterApply, peek, refuse, task, z } from "../../src/authoring.ts";
import { ec2Call, ec2InternetGatewayState, ec2VpcState } from "../../src/facts/catalogue.ts";
import { refuseForeign } from "../ec2-instance/launch.ts";
import { ec2Name, ec2Ref, ec2Tags, region } from "../ec2-instance/params.ts";
import { seenIn } from "../ec2-instance/seen.ts";

const params = z
  .strictObject({
    name: ec2Name("an internet gateway").describe("Value of the gateway's Name tag, by which furrow finds it"),
    region: region(),
    vpc: ec2Ref("vpc", "a VPC")
      .optional()
      .describe("VPC that the gateway connects to the internet, by id or name; required unless state is absent"),
    tags: ec2Tags(),
    state: z
      .enum(["present", "absent"])
      .default("present")
      .describe("Whether the gateway exists; absent also removes its route and detaches it"),
  })
  .refine((p) => p.state === "absent" || p.vpc !== undefined, {
    message: "a VPC, unless state is absent",
    path: ["vpc"],
  });

/** Connects a VPC to the internet through a gateway and the default route of the VPC's main route table. */
export const ec2InternetGateway = task({
  name: "ec2InternetGateway",
  summary:
    "Connect a VPC in Amazon EC2 to the internet, with an internet gateway and a default route in the main route table",
  params,
  service: "ec2",
  examples: [
    { name: "harvester", vpc: "harvester" },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `ec2InternetGateway ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({
    gateway: ec2InternetGatewayState(p),
    ...(p.state === "present" && p.vpc !== undefined && { vpc: ec2VpcState({ region: p.region, name: p.vpc }) }),
  }))
  .want((p, { gateway, vpc }) => {
    if (gateway !== absent && !gateway.ours) return refuseForeign(p.name, gateway.id);
    if (p.state === "absent") return { gateway: absent };
    if (vpc === absent) {
      return refuse({
        code: "no-vpc",
        message: `there is no VPC ${p.vpc}`,
        hint: "Add an ec2Vpc task before this one, or correct the VPC or the region",
      });
    }
    const id = vpc === undefined ? knownAfterApply : peek(vpc, "id");
    if (gateway !== absent && gateway.vpc !== "" && typeof id === "string" && gateway.vpc !== id) {
      return refuse({
        code: "attached-elsewhere",
        message: `the internet gateway ${p.name} (${gateway.id}) is attached to ${gateway.vpc}, not to ${id}`,
        hint: "Choose another name, or detach the gateway by hand; the machines in that VPC then lose their connection",
      });
    }
    return {
      gateway: {
        vpc: id,
        routed: true,
        tags: p.tags,
        ours: true,
        ...(gateway === absent && { id: knownAfterApply }),
      },
    };
  })
  .steps((p, { change, now: { gateway, vpc: network } }) => {
    if (change.gateway === undefined) return [];
    const { name, region: where, tags, vpc = "" } = p;
    const place = { region: where, name };
    if (p.state === "absent") {
      return [
        ec2Call({ act: "deleteInternetGateway", ...place, id: seenIn(gateway) }, `delete the internet gateway ${name}`),
      ];
    }
    const seen = { id: seenIn(gateway), seenVpc: seenIn(network) };
    const isTagged = gateway === absent || Object.entries(tags).every(([key, value]) => gateway.tags[key] === value);
    return [
      gateway === absent &&
        ec2Call({ act: "createInternetGateway", ...place, tags }, `create the internet gateway ${name}`),
      gateway !== absent &&
        !isTagged &&
        ec2Call({ act: "setTags", region: where, id: gateway.id, tags }, `tag the internet gateway ${name}`),
      (gateway === absent || gateway.vpc === "") &&
        ec2Call({ act: "attachInternetGateway", ...place, ...seen, vpc }, `attach ${name} to the VPC ${vpc}`),
      (gateway === absent || !gateway.routed) &&
        ec2Call({ act: "routeToInternet", ...place, ...seen, vpc }, `route the traffic of the VPC ${vpc} to ${name}`),
    ];
  })
  .outputs((_p, { gateway }) => ({ id: gateway === absent ? "" : gateway.id }));

import { absent, type Absent, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import {
  ec2HostManagement,
  type Ec2HostManagement,
  type Ec2Route,
  ec2WayOut,
  type Ec2WayOut,
} from "../../src/facts/catalogue.ts";

/**
 * The services that an SSM agent must reach. Agents before 3.3.40.0 also need ec2messages
 * (https://docs.aws.amazon.com/systems-manager/latest/userguide/setup-create-vpc.html).
 */
const needed = ["ssm", "ssmmessages"] as const;

const everything = "0.0.0.0/0";

const params = z.strictObject({
  region: z.string().optional().describe("Region; default: AWS_REGION or the AWS profile"),
  subnet: z.string().optional().describe("Subnet of a machine without a public address"),
  tunnel: z.boolean().describe("Whether Session Manager must reach the machine"),
  instanceProfile: z.string().optional().describe("Instance profile of the machine"),
});

/**
 * Checks that a machine without a public address has a route out of its subnet, as far as this can be determined from
 * AWS.
 */
export const wayOut = task({
  name: "wayOut",
  summary: "Check that a machine can reach Systems Manager and download packages",
  params,
  service: "ec2",
  examples: [],
  title: ({ subnet }) => `wayOut${subnet === undefined ? "" : ` of ${subnet}`}`,
})
  .facts(({ region, subnet, tunnel, instanceProfile }) => ({
    ...(subnet !== undefined && { way: ec2WayOut({ region, subnet }) }),
    ...(tunnel && instanceProfile === undefined && { management: ec2HostManagement({ region }) }),
  }))
  .want((p, { way, management }) => {
    if (!p.tunnel) return {};
    return (way === undefined ? undefined : refuseWay(p.subnet ?? "", way)) ?? refuseManagement(management) ?? {};
  })
  .steps(() => [])
  .notes((p, { way, management }) => [
    ...(way === undefined || way === absent ? [] : notesOnWay(p.subnet ?? "", p.tunnel, way)),
    ...(management !== undefined && !management.known
      ? [
          `${management.why ?? "AWS does not show the setting"}, so furrow cannot tell whether Systems Manager manages machines without an instance profile: if not, set instanceProfile`,
        ]
      : []),
    ...(p.tunnel && p.instanceProfile !== undefined
      ? [`furrow does not read IAM: the role of ${p.instanceProfile} must have AmazonSSMManagedInstanceCore`]
      : []),
  ]);

/** The default route, if it works. */
function defaultRoute({ routes }: Ec2WayOut): Ec2Route | undefined {
  return routes.find(({ to, works }) => to === everything && works);
}

/** True if the table's default route points to a NAT gateway. */
function hasNat(way: Ec2WayOut): boolean {
  return defaultRoute(way)?.through.startsWith("nat-") === true;
}

/**
 * True for a route whose destination AWS does not show: a peered network, a transit gateway, a machine that forwards
 * traffic.
 */
function leadsElsewhere({ through, works }: Ec2Route): boolean {
  return works && !/^(?:local$|igw-|eigw-|vpce-|nat-)/.test(through);
}

function missingEndpoints({ endpoints }: Ec2WayOut): readonly string[] {
  return needed.filter((service) => !endpoints.includes(service));
}

/** Refuses a subnet from which no agent can reach Systems Manager. */
function refuseWay(subnet: string, way: Ec2WayOut | Absent): Refusal | undefined {
  // The machine's own task refuses a subnet that does not exist.
  if (way === absent || hasNat(way) || missingEndpoints(way).length === 0) return undefined;
  const isHidden = missingEndpoints(way).every((service) => way.hiddenEndpoints.includes(service));
  if (isHidden || way.routes.some(leadsElsewhere)) return undefined;
  const now = defaultRoute(way);
  return refuse({
    code: "no-way-out",
    message: `a machine without a public address in ${subnet} cannot reach Systems Manager`,
    current: `${way.table} has ${now === undefined ? "no default route" : `the default route ${now.through}`}; endpoints: ${way.endpoints.join(", ") || "none"}`,
    expected: `a default route to a NAT gateway, or endpoints for ${needed.join(" and ")}`,
    hint: "Add a NAT gateway or the endpoints to the VPC, choose another subnet, or leave publicAddress out",
  });
}

function refuseManagement(management: Ec2HostManagement | undefined): Refusal | undefined {
  if (management === undefined || !management.known || management.on) return undefined;
  return refuse({
    code: "no-instance-profile",
    message: "without an instance profile, Systems Manager does not manage the machine in this region",
    hint: "Set instanceProfile to a profile whose role has AmazonSSMManagedInstanceCore, or turn on Default Host Management",
  });
}

function notesOnWay(subnet: string, tunnel: boolean, way: Ec2WayOut): string[] {
  if (hasNat(way)) return [];
  const elsewhere = way.routes.filter(leadsElsewhere).map(({ through }) => through);
  const isCovered = missingEndpoints(way).length === 0;
  const seen =
    elsewhere.length === 0
      ? `${way.table} has no NAT gateway`
      : `AWS does not show what is behind ${elsewhere.join(", ")}`;
  return [
    ...(tunnel && !isCovered
      ? [
          `${seen}, and ${needed.join(" and ")} have no endpoint with a private DNS name: check that ${subnet} can reach them`,
        ]
      : []),
    ...(tunnel && isCovered && !way.endpoints.includes("ec2messages")
      ? ["there is no endpoint for ec2messages, which SSM agents before 3.3.40.0 need"]
      : []),
    `${seen}: a machine in ${subnet} may not be able to download packages`,
  ];
}

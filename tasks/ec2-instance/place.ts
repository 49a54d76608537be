import { type Absent, absent, type KnownAfterApply, peek, refuse, type Refusal } from "../../src/authoring.ts";
import type { Ec2DefaultVpc, Ec2SecurityGroupState, Ec2SubnetState } from "../../src/facts/catalogue.ts";
import type { InstanceParams } from "./instance-params.ts";
import { refuseZone } from "./zone.ts";

/** The facts about the place where a machine is launched. */
export interface PlaceFacts {
  readonly subnet?: Ec2SubnetState | Absent;
  readonly groups?: readonly (Ec2SecurityGroupState | Absent)[];
  /** Read only if no subnet is given. */
  readonly defaultVpc?: Ec2DefaultVpc;
  readonly zones?: readonly string[];
  /** The zones that offer the type; empty if unknown. */
  readonly typeZones?: readonly string[];
}

/** Explains why a machine cannot be launched in the requested place; undefined if it can be. */
export function obstacleInPlace(p: InstanceParams, now: PlaceFacts): Refusal | undefined {
  const { subnet, defaultVpc } = now;
  if (subnet === absent) return noSubnet(p);
  return (
    refuseZone(p.zone, now.zones) ??
    (subnet === undefined ? undefined : obstacleInSubnet(p, subnet, now)) ??
    refuseNoDefaultVpc(defaultVpc) ??
    refuseNoDefaultSubnet(defaultVpc, p.zone) ??
    refuseTypeZone(p, now)
  );
}

function noSubnet(p: InstanceParams): Refusal {
  return refuse({
    code: "no-subnet",
    message: `there is no subnet ${p.subnet}`,
    hint: "Add an ec2Subnet task before this one, or correct the subnet or the region",
  });
}

function obstacleInSubnet(p: InstanceParams, subnet: Ec2SubnetState, { groups = [] }: PlaceFacts): Refusal | undefined {
  const zone = peek(subnet, "zone");
  if (p.zone !== undefined && typeof zone === "string" && zone !== p.zone) {
    return refuse({
      code: "other-zone",
      message: `the subnet ${p.subnet} is in the zone ${zone}, not in ${p.zone}`,
      hint: "Leave the zone out, or choose a subnet in that zone",
    });
  }
  const vpc = peek(subnet, "vpc");
  const elsewhere = p.securityGroups.filter((_, at) => differs(groups[at], vpc));
  if (elsewhere.length === 0) return undefined;
  return refuse({
    code: "other-vpc",
    message: `the subnet ${p.subnet} is in ${String(vpc)}, but the security group ${elsewhere.join(", ")} is in another VPC`,
    hint: "Set vpc on this task and on the security group's task, or choose another subnet",
  });
}

function differs(group: Ec2SecurityGroupState | Absent | undefined, vpc: string | KnownAfterApply): boolean {
  if (group === undefined || group === absent || typeof vpc !== "string") return false;
  const own = peek(group, "vpc");
  return typeof own === "string" && own !== vpc;
}

/** Refuses if the default VPC is needed but the region has none. */
export function refuseNoDefaultVpc(vpc: Ec2DefaultVpc | undefined): Refusal | undefined {
  if (vpc === undefined || !vpc.known || vpc.id !== "") return undefined;
  return refuse({
    code: "no-default-vpc",
    message: "the region has no default VPC",
    hint: "Set vpc and subnet: use existing ones, or add the tasks ec2Vpc, ec2Subnet and ec2InternetGateway",
  });
}

function refuseNoDefaultSubnet(vpc: Ec2DefaultVpc | undefined, zone: string | undefined): Refusal | undefined {
  if (vpc === undefined || !vpc.known) return undefined;
  if (zone === undefined ? vpc.zones.length > 0 : vpc.zones.includes(zone)) return undefined;
  return refuse({
    code: "no-default-subnet",
    message: `the default VPC (${vpc.id}) has no default subnet${zone === undefined ? "" : ` in ${zone}`}`,
    current: vpc.zones.join(", ") || "no default subnet",
    hint: "Choose a subnet, or a zone in which the VPC has a default subnet",
  });
}

/** Refuses a place whose zone does not offer the machine type. */
function refuseTypeZone(p: InstanceParams, { subnet, defaultVpc, typeZones = [] }: PlaceFacts): Refusal | undefined {
  if (typeZones.length === 0) return undefined;
  const own = subnet === undefined || subnet === absent ? undefined : peek(subnet, "zone");
  const zone = p.zone ?? (typeof own === "string" ? own : undefined);
  const possible = zone === undefined ? (subnet === undefined ? (defaultVpc?.zones ?? []) : []) : [zone];
  if (possible.length === 0 || possible.some((one) => typeZones.includes(one))) return undefined;
  return refuse({
    code: "type-not-in-zone",
    message: `${possible.length === 1 ? `the zone ${possible[0]} does` : `the zones ${possible.join(", ")} do`} not offer the type ${p.type}`,
    current: `offered in ${typeZones.join(", ")}`,
    hint: "Choose another zone or subnet, or another type",
  });
}

import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2Place, ec2Request } from "./question.ts";

/** A route in a route table. */
export interface Ec2Route {
  /** The destination: `0.0.0.0/0`, or the id of a prefix list. */
  readonly to: string;
  /** The target of the route: `local`, `igw-…`, `nat-…`, `tgw-…`, `vpce-…`. */
  readonly through: string;
  /** False for a blackhole, whose target no longer exists. */
  readonly works: boolean;
}

/** How machines in a subnet reach addresses outside it. */
export interface Ec2WayOut {
  /** The subnet's own route table, or its VPC's main one: `rtb-…`. */
  readonly table: string;
  readonly routes: readonly Ec2Route[];
  /** The services for which the VPC has an endpoint that machines find under the service's usual name: `ssm`. */
  readonly endpoints: readonly string[];
  /** The services with an endpoint that is not available, or has no private DNS name. */
  readonly hiddenEndpoints: readonly string[];
}

/** Whether Systems Manager manages a region's machines that have no instance profile. */
export interface Ec2HostManagement {
  /** False if AWS does not report this, or if the credentials do not permit the call. */
  readonly known: boolean;
  readonly on: boolean;
  /** Why this is unknown. */
  readonly why?: string;
}

/**
 * Asks how machines in the subnet with this id or Name tag reach addresses outside it; absent if there is no such
 * subnet.
 */
export function ec2WayOut({
  region,
  subnet,
}: Ec2Place & { readonly subnet: string }): ControllerFact<Ec2WayOut | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "wayOut", region, name: subnet }) };
}

/**
 * Asks for the account's Default Host Management Configuration in a region
 * (https://docs.aws.amazon.com/systems-manager/latest/userguide/fleet-manager-default-host-management-configuration.html).
 */
export function ec2HostManagement({ region }: Ec2Place): ControllerFact<Ec2HostManagement> {
  return { driver: "ec2", request: ec2Request({ ask: "hostManagement", region }) };
}

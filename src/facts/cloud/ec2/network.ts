import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2Marks, type Ec2Place, ec2Request } from "./question.ts";

/** A VPC: a private network in one region. */
export interface Ec2VpcState extends Ec2Marks {
  /** `vpc-…`. */
  readonly id: string;
  /** Its network: `10.0.0.0/16`. */
  readonly cidr: string;
}

/** A subnet: a part of a VPC, in one zone. */
export interface Ec2SubnetState extends Ec2Marks {
  /** `subnet-…`. */
  readonly id: string;
  /** The id of the subnet's VPC. */
  readonly vpc: string;
  readonly cidr: string;
  readonly zone: string;
  /** Whether machines in the subnet get a public address by default. */
  readonly publicAddresses: boolean;
}

/** An internet gateway and the VPC that it is attached to. */
export interface Ec2InternetGatewayState extends Ec2Marks {
  /** `igw-…`. */
  readonly id: string;
  /** The id of the VPC; empty if the gateway is not attached. */
  readonly vpc: string;
  /** True if the VPC's main route table sends traffic for all other networks to this gateway. */
  readonly routed: boolean;
}

/** The region's default VPC. */
export interface Ec2DefaultVpc {
  /** False if the credentials do not permit this call. */
  readonly known: boolean;
  /** `vpc-…`; empty if the region has no default VPC. */
  readonly id: string;
  /** The zones in which the VPC has a default subnet, sorted. */
  readonly zones: readonly string[];
}

/** Asks EC2 for a VPC by its id or its Name tag. */
export function ec2VpcState({
  region,
  name,
}: Ec2Place & { readonly name: string }): ControllerFact<Ec2VpcState | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "vpc", region, name }) };
}

/** Asks EC2 for a subnet by its id or its Name tag. */
export function ec2SubnetState({
  region,
  name,
}: Ec2Place & { readonly name: string }): ControllerFact<Ec2SubnetState | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "subnet", region, name }) };
}

/** Asks EC2 for an internet gateway by its Name tag. */
export function ec2InternetGatewayState({
  region,
  name,
}: Ec2Place & { readonly name: string }): ControllerFact<Ec2InternetGatewayState | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "internetGateway", region, name }) };
}

/** Asks EC2 for the region's default VPC. */
export function ec2DefaultVpc({ region }: Ec2Place): ControllerFact<Ec2DefaultVpc> {
  return { driver: "ec2", request: ec2Request({ ask: "defaultVpc", region }) };
}

import type { ControllerFact } from "../../../core/facts/fact.ts";
import { type Ec2Place, ec2Request } from "./question.ts";

/** A quota of the account in one region, and how much of it is used. */
export interface Ec2Quota {
  /** False if AWS does not report the quota, or if the credentials do not permit the call. */
  readonly known: boolean;
  /** The name of the quota: `Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances`. */
  readonly name: string;
  readonly used: number;
  /** The amount of the quota that one more resource needs. */
  readonly needed: number;
  readonly most: number;
  /** The reason why the quota is not known: `Service Quotas answers 403`. */
  readonly why?: string;
}

/** Asks how many elastic IP addresses the account may have. */
export function ec2AddressQuota({ region }: Ec2Place): ControllerFact<Ec2Quota> {
  return { driver: "ec2", request: ec2Request({ ask: "addressQuota", region }) };
}

/** Asks how many VPCs the account may have. */
export function ec2VpcQuota({ region }: Ec2Place): ControllerFact<Ec2Quota> {
  return { driver: "ec2", request: ec2Request({ ask: "vpcQuota", region }) };
}

/** Asks how many virtual processors the account may run in machines of the same family as this type. */
export function ec2ProcessorQuota({
  region,
  type,
  spot,
}: Ec2Place & { readonly type: string; readonly spot: boolean }): ControllerFact<Ec2Quota> {
  return { driver: "ec2", request: ec2Request({ ask: "processorQuota", region, type, spot }) };
}

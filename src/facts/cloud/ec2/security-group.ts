import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2Marks, type Ec2Place, ec2Request } from "./question.ts";

/** A security group and the incoming traffic that it allows. */
export interface Ec2SecurityGroupState extends Ec2Marks {
  readonly id: string;
  readonly vpc: string;
  readonly description: string;
  /**
   * The incoming traffic that the group allows, sorted, each rule with one source: `tcp 443 0.0.0.0/0`, `udp 8000-8100
   * ::/0`, `icmp all 10.0.0.0/8`, `all all sg-1`.
   */
  readonly rules: readonly string[];
}

/** Identifies a security group. */
export interface Ec2SecurityGroupName extends Ec2Place {
  readonly name: string;
  readonly vpc?: string | undefined;
}

/** Asks EC2 for a security group by its name. */
export function ec2SecurityGroupState(question: Ec2SecurityGroupName): ControllerFact<Ec2SecurityGroupState | Absent> {
  const { region, name, vpc } = question;
  return { driver: "ec2", request: ec2Request({ ask: "securityGroup", region, name, vpc }) };
}

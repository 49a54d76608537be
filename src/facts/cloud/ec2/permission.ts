import type { ControllerFact } from "../../../core/fact.ts";
import { type Ec2Act, type Ec2Place, ec2Request } from "./question.ts";

/** Whether the credentials in use may do something. */
export interface Ec2Permission {
  /** The action of an IAM policy that is missing: `ec2:RunInstances`; empty where it is allowed, or nobody can say. */
  readonly denied: string;
}

/** Asks EC2 by a dry run whether an act is allowed: the same call, which EC2 then does not make. */
export function ec2Permission(act: Ec2Act): ControllerFact<Ec2Permission> {
  return { driver: "ec2", request: ec2Request({ ask: "permission", region: act.region, of: act }) };
}

/** Asks EC2 for the names of the zones that the account may use; none where it may not ask. */
export function ec2Zones({ region }: Ec2Place): ControllerFact<readonly string[]> {
  return { driver: "ec2", request: ec2Request({ ask: "zones", region }) };
}

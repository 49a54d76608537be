import type { ControllerFact } from "../../../core/facts/fact.ts";
import { type Ec2Act, type Ec2Place, ec2Request } from "./question.ts";

/** Whether the current credentials allow an act. */
export interface Ec2Permission {
  /** The missing IAM policy action: `ec2:RunInstances`; empty if the call is allowed, or if EC2 does not say. */
  readonly denied: string;
}

/** Asks EC2 whether an act is allowed, with a dry run: the same API call, but without effect. */
export function ec2Permission(act: Ec2Act): ControllerFact<Ec2Permission> {
  return { driver: "ec2", request: ec2Request({ ask: "permission", region: act.region, of: act }) };
}

/** Asks EC2 for the names of the zones that the account may use; empty if the credentials do not allow this call. */
export function ec2Zones({ region }: Ec2Place): ControllerFact<readonly string[]> {
  return { driver: "ec2", request: ec2Request({ ask: "zones", region }) };
}

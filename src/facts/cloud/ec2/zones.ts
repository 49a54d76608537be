import type { ControllerFact } from "../../../core/facts/fact.ts";
import { type Ec2Place, ec2Request } from "./question.ts";

/** Asks EC2 for the names of the zones that the account may use; empty if the credentials do not allow this call. */
export function ec2Zones({ region }: Ec2Place): ControllerFact<readonly string[]> {
  return { driver: "ec2", request: ec2Request({ ask: "zones", region }) };
}

import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2Marks, type Ec2Place, ec2Request } from "./question.ts";

/** An elastic IP address and the machine it is associated with. */
export interface Ec2AddressState extends Ec2Marks {
  /** `eipalloc-…`. */
  readonly id: string;
  readonly address: string;
  readonly associated: boolean;
  /** The id of the machine; empty if the address is not associated. */
  readonly instance: string;
}

/** Asks EC2 for the elastic IP address with this name. */
export function ec2AddressState(
  question: Ec2Place & { readonly name: string },
): ControllerFact<Ec2AddressState | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "address", region: question.region, name: question.name }) };
}

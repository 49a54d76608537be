import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2Marks, type Ec2Place, ec2Request } from "./question.ts";

/** A key pair; EC2 stores only the public key. */
export interface Ec2KeyPairState extends Ec2Marks {
  readonly id: string;
  /** `ssh-ed25519 AAAA…`, without a comment. */
  readonly publicKey: string;
}

/** Asks EC2 for a key pair by its name. */
export function ec2KeyPairState(
  question: Ec2Place & { readonly name: string },
): ControllerFact<Ec2KeyPairState | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "keyPair", region: question.region, name: question.name }) };
}

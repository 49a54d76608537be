import type { ControllerFact } from "../../../core/fact.ts";
import type { Absent } from "../../../core/symbols.ts";
import { type Ec2ImageChoice, type Ec2Place, ec2Request } from "./question.ts";

/** An image that machines start from. */
export interface Ec2Image {
  readonly id: string;
  readonly name: string;
  readonly architecture: string;
  /** `/dev/xvda`. */
  readonly rootDevice: string;
}

/** Asks EC2 for an image; of several that fit a pattern, the newest. */
export function ec2Image(question: Ec2Place & { readonly image: Ec2ImageChoice }): ControllerFact<Ec2Image | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "image", region: question.region, image: question.image }) };
}

/** What EC2 says of a type of machine. */
export interface Ec2MachineType {
  /** False where the region has no such type. */
  readonly known: boolean;
  /** True where no hypervisor of AWS is below: its machines run virtual ones, and take no CPU options. */
  readonly bareMetal: boolean;
  /** Whether its machines can nest virtual machines. */
  readonly nests: boolean;
  /** Where nesting is asked for and it cannot: the types that can, sorted. */
  readonly nesting: readonly string[];
}

/** Asks EC2 what a type of machine can do. */
export function ec2MachineType(
  question: Ec2Place & { readonly type: string; readonly nested: boolean },
): ControllerFact<Ec2MachineType> {
  const { region, type, nested } = question;
  return { driver: "ec2", request: ec2Request({ ask: "machineType", region, type, nested }) };
}

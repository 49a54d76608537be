import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2ImageChoice, type Ec2Place, ec2Request } from "./question.ts";

/** An image to launch machines from. */
export interface Ec2Image {
  readonly id: string;
  readonly name: string;
  readonly architecture: string;
  /** `/dev/xvda`. */
  readonly rootDevice: string;
}

/** Asks EC2 for an image; if several match a pattern, for the newest. */
export function ec2Image(question: Ec2Place & { readonly image: Ec2ImageChoice }): ControllerFact<Ec2Image | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "image", region: question.region, image: question.image }) };
}

/** What EC2 says about a machine type. */
export interface Ec2MachineType {
  /** False if the region does not have this type. */
  readonly known: boolean;
  /**
   * True for bare metal, without a hypervisor of AWS: such machines can run virtual machines, and take no CPU options.
   */
  readonly bareMetal: boolean;
  /** Whether its machines can nest virtual machines. */
  readonly nests: boolean;
  /** If nesting is wanted and this type cannot do it: the types that can, sorted. */
  readonly nesting: readonly string[];
}

/** Asks EC2 what a machine type can do. */
export function ec2MachineType(
  question: Ec2Place & { readonly type: string; readonly nested: boolean },
): ControllerFact<Ec2MachineType> {
  const { region, type, nested } = question;
  return { driver: "ec2", request: ec2Request({ ask: "machineType", region, type, nested }) };
}

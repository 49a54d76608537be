import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2ImageChoice, type Ec2Place, ec2Request } from "./question.ts";

/** An image from which machines can be launched. */
export interface Ec2Image {
  readonly id: string;
  readonly name: string;
  readonly architecture: string;
  /** `/dev/xvda`. */
  readonly rootDevice: string;
  /** The size of the image's root disk in GiB, which is the smallest size that a root disk may have; 0 if unknown. */
  readonly rootGb: number;
}

/** Asks EC2 for an image; if several images match the pattern, EC2 returns the newest. */
export function ec2Image(question: Ec2Place & { readonly image: Ec2ImageChoice }): ControllerFact<Ec2Image | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "image", region: question.region, image: question.image }) };
}

/** The properties of a machine type according to EC2. */
export interface Ec2MachineType {
  /** False if the region does not have this type. */
  readonly known: boolean;
  /**
   * True for bare metal, without an AWS hypervisor: a bare-metal machine can run virtual machines, but does not accept
   * CPU options.
   */
  readonly bareMetal: boolean;
  /** Whether machines of this type can nest virtual machines. */
  readonly nests: boolean;
  /** The types that can nest virtual machines, sorted, if nesting is wanted and this type cannot. */
  readonly nesting: readonly string[];
  /** The architectures of the type's processors: `x86_64`. */
  readonly architectures: readonly string[];
  /** Whether this type is available for spot machines. */
  readonly spot: boolean;
}

/** Asks EC2 what a machine type can do. */
export function ec2MachineType(
  question: Ec2Place & { readonly type: string; readonly nested: boolean },
): ControllerFact<Ec2MachineType> {
  const { region, type, nested } = question;
  return { driver: "ec2", request: ec2Request({ ask: "machineType", region, type, nested }) };
}

/** Asks EC2 for the zones that offer a machine type, sorted; empty if the credentials do not allow this call. */
export function ec2TypeZones({
  region,
  type,
}: Ec2Place & { readonly type: string }): ControllerFact<readonly string[]> {
  return { driver: "ec2", request: ec2Request({ ask: "typeZones", region, type }) };
}

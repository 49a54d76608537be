import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Absent } from "../../../core/facts/symbols.ts";
import { type Ec2DiskSize, type Ec2Marks, type Ec2Place, ec2Request } from "./question.ts";

/** A volume and its attachment. */
export interface Ec2VolumeState extends Ec2Marks, Required<Ec2DiskSize> {
  readonly id: string;
  readonly iops: number;
  readonly throughput: number;
  readonly encrypted: boolean;
  readonly zone: string;
  readonly attached: boolean;
  /** The id of the machine that the volume is attached to; empty if it is not attached. */
  readonly instance: string;
  /** `/dev/sdf`; empty if the volume is not attached. */
  readonly device: string;
}

/** Asks EC2 for the volume with this name. */
export function ec2VolumeState(
  question: Ec2Place & { readonly name: string },
): ControllerFact<Ec2VolumeState | Absent> {
  return { driver: "ec2", request: ec2Request({ ask: "volume", region: question.region, name: question.name }) };
}

import { type Absent, absent, refuse, type Refusal } from "../../src/authoring.ts";
import type {
  Ec2Image,
  Ec2KeyPairState,
  Ec2MachineType,
  Ec2SecurityGroupState,
  Ec2SubnetState,
} from "../../src/facts/catalogue.ts";
import type { InstanceParams } from "./instance-params.ts";

/** The facts that a launch depends on. */
export interface LaunchFacts {
  readonly image?: Ec2Image | Absent;
  readonly machineType?: Ec2MachineType;
  readonly groups?: readonly (Ec2SecurityGroupState | Absent)[];
  readonly keyPair?: Ec2KeyPairState | Absent;
  readonly subnet?: Ec2SubnetState | Absent;
}

/** Explains why a machine cannot be launched; undefined if it can be. */
export function obstacleToLaunch(p: InstanceParams, now: LaunchFacts): Refusal | undefined {
  const { image, machineType, keyPair } = now;
  if (machineType !== undefined && (!machineType.known || (p.nestedVirtualization && !machineType.nests))) {
    return refuseType(p, machineType);
  }
  if (image === absent) {
    const asked = p.image !== undefined && "id" in p.image ? p.image.id : `${p.image?.name} of ${p.image?.owner}`;
    return refuse({
      code: "unknown-image",
      message: `the region has no image ${asked}`,
      hint: "Correct the image: each region has its own ids, and a pattern must match the whole name",
    });
  }
  const mismatch = obstacleToBoot(p, image, machineType);
  if (mismatch !== undefined) return mismatch;
  const missing = p.securityGroups.filter((_, at) => now.groups?.[at] === absent);
  if (missing.length > 0) {
    return refuse({
      code: "no-security-group",
      message: `there is no security group ${missing.join(", ")}`,
      hint: "Add an ec2SecurityGroup task before this one, or correct the name",
    });
  }
  return keyPair === absent
    ? refuse({
        code: "no-key-pair",
        message: `there is no key pair ${p.keyPair}`,
        hint: "Add an ec2KeyPair task before this one, or correct the name",
      })
    : undefined;
}

/** Refuses an image that machines of the type cannot boot, and a root disk that is too small for the image. */
function obstacleToBoot(
  p: InstanceParams,
  image: Ec2Image | undefined,
  type: Ec2MachineType | undefined,
): Refusal | undefined {
  if (type !== undefined && p.spot && !type.spot) {
    return refuse({
      code: "no-spot",
      message: `machines of type ${p.type} cannot be spot machines`,
      hint: "Remove spot, or choose another type",
    });
  }
  if (image === undefined) return undefined;
  const { id, architecture, rootGb } = image;
  const fits = type?.architectures ?? [];
  if (architecture !== "" && fits.length > 0 && !fits.includes(architecture)) {
    return refuse({
      code: "other-architecture",
      message: `the image ${id} is for ${architecture}, but machines of type ${p.type} are ${fits.join(" or ")}`,
      hint: "Choose an image for that architecture, or another type",
    });
  }
  return p.rootDisk !== undefined && p.rootDisk.sizeGb < rootGb
    ? refuse({
        code: "root-disk-too-small",
        message: `the root disk has ${p.rootDisk.sizeGb} GiB, but the image ${id} needs ${rootGb} GiB`,
        hint: `Set rootDisk.sizeGb to at least ${rootGb}`,
      })
    : undefined;
}

function refuseType(p: InstanceParams, { known, bareMetal, nesting }: Ec2MachineType): Refusal {
  if (bareMetal) {
    return refuse({
      code: "bare-metal",
      message: `${p.type} is bare metal: it can always run virtual machines, and EC2 refuses CPU options for it`,
      hint: "Remove nestedVirtualization",
    });
  }
  const able = nesting.length > 20 ? [...nesting.slice(0, 20), `and ${nesting.length - 20} more`] : nesting;
  const others = p.nestedVirtualization ? `: ${able.join(", ") || "none in this region"}` : "";
  return refuse({
    code: known ? "cannot-nest" : "unknown-type",
    message: known ? `machines of type ${p.type} cannot run virtual machines` : `the region has no type ${p.type}`,
    hint: `Choose a type that ${p.nestedVirtualization ? "can run virtual machines" : "the region has"}${others}`,
  });
}

/** Refuses an object that furrow did not create. */
export function refuseForeign(name: string, id: string): Refusal {
  return refuse({
    code: "not-ours",
    message: `the name ${name} belongs to ${id}, which furrow did not create`,
    hint: "Choose another name, or, if you may change that object, give it the tag furrow",
  });
}

/** Refuses to terminate a machine that is protected against termination. */
export function refuseProtected(name: string): Refusal {
  return refuse({
    code: "protected",
    message: `${name} is protected against termination`,
    hint: "Set terminationProtection: false on this task if the machine may be terminated",
  });
}

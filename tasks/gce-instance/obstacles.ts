import { absent, type Absent, refuse, type Refusal } from "../../src/authoring.ts";
import {
  canNest,
  type GceDisk,
  type GceImage,
  type GceInstance,
  type GceMachineType,
  type GceNetwork,
} from "../../src/facts/catalogue.ts";
import { notInPlace } from "../gce-network/own.ts";
import type { Params } from "./params.ts";

/** The existing resources that an instance is created from. */
export interface Parts {
  readonly machineType: GceMachineType | Absent;
  readonly network: GceNetwork | Absent;
  readonly image: GceImage | Absent;
  readonly disks: readonly (GceDisk | Absent)[];
  readonly addresses: readonly (object | Absent)[];
  /** The types with the same number of processors, which are read if the wanted type does not support nesting. */
  readonly others: readonly (readonly GceMachineType[])[];
}

/** Says why an instance cannot be created; undefined if it can be. */
export function obstacleToNew(p: Params, parts: Parts): Refusal | undefined {
  const missing = (code: string, what: string, hint: string): Refusal =>
    refuse({ code, message: `there is no ${what}`, hint });
  const type = obstacleOfType(p, parts);
  if (type !== undefined) return type;
  if (parts.network === absent) {
    const hint = "Correct the name, or create the network first with gceNetwork";
    return missing("no-network", `network ${p.network ?? ""} in ${p.project}`, hint);
  }
  if (parts.image === absent && p.image !== undefined) {
    const image = "family" in p.image ? `image of the family ${p.image.family}` : `image ${p.image.name}`;
    const hint = `See the available images: gcloud compute images list --project ${p.image.project}`;
    return missing("no-image", `${image} in ${p.image.project}`, hint);
  }
  const disk = p.disks.find((_name, at) => parts.disks[at] === absent);
  if (disk !== undefined) {
    return missing("no-disk", `disk ${disk} in ${p.zone}`, "Correct the name, or create the disk first with gceDisk");
  }
  if (parts.addresses.includes(absent)) {
    const name = typeof p.address === "object" ? p.address.name : "";
    return missing("no-address", `reserved address ${name}`, "Correct the name, or reserve it first with gceAddress");
  }
  return undefined;
}

function obstacleOfType(p: Params, { machineType, others }: Parts): Refusal | undefined {
  if (machineType === absent) {
    return refuse({
      code: "no-machine-type",
      message: `there is no machine type ${p.machineType ?? ""} in ${p.zone}`,
      hint: `See the available machine types: gcloud compute machine-types list --zones ${p.zone}`,
    });
  }
  if (!p.nested || canNest(machineType)) return undefined;
  const able = others.flat().filter(canNest);
  const names = able.map(({ name, memoryMb }) => `${name} (${Math.round(memoryMb / 1024)} GB)`).join(", ");
  return refuse({
    code: "cannot-nest",
    message: `machines of type ${p.machineType ?? ""} cannot run virtual machines`,
    expected: able.length === 0 ? "a type that can; none in this zone has as many processors" : `one of ${names}`,
    hint: "Choose a type that can run virtual machines",
  });
}

/** Says why an existing instance cannot be brought into the wanted state; undefined if it can be. */
export function obstacleToChange(p: Params, now: GceInstance, address: string | undefined): Refusal | undefined {
  const thing = `the instance ${p.name}`;
  const lost = "its boot disk and its memory";
  const say = (value: boolean): string => (value ? "on" : "off");
  if (now.spot !== p.spot) return notInPlace(thing, "spot", say(now.spot), say(p.spot), lost);
  if (now.nested !== p.nested) return notInPlace(thing, "nested", say(now.nested), say(p.nested), lost);
  if (now.network !== p.network) return notInPlace(thing, "network", now.network, p.network ?? "", lost);
  if (address !== undefined && now.address !== address && now.status !== "TERMINATED") {
    return notInPlace(thing, "address", now.address || "none", address, lost);
  }
  if (now.machineType !== p.machineType && p.state === "present" && now.status !== "TERMINATED") {
    return refuse({
      code: "needs-stop",
      message: `${thing} is a running ${now.machineType} and must be stopped to change to ${p.machineType ?? ""}: stopping it discards the contents of its memory`,
      hint: 'Stop it first with state: "stopped", then rerun',
    });
  }
  return undefined;
}

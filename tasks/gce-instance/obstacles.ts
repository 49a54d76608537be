import { absent, type Absent, refuse, type Refusal } from "../../src/authoring.ts";
import {
  canNest,
  type GceDisk,
  type GceDiskType,
  type GceImage,
  type GceInstance,
  type GceMachineType,
} from "../../src/facts/catalogue.ts";
import { obstacleOfShape } from "../gce-disk/shape.ts";
import { notInPlace } from "../gce-network/own.ts";
import type { Params } from "./params.ts";
import { obstacleInPlace, type PlaceFacts } from "./place.ts";

/** The existing resources that an instance is created from. */
export interface Parts extends PlaceFacts {
  readonly machineType: GceMachineType | Absent;
  readonly diskType: GceDiskType | Absent;
  readonly image: GceImage | Absent;
  readonly disks: readonly (GceDisk | Absent)[];
  readonly addresses: readonly (object | Absent)[];
  /**
   * The types with the same number of processors, which are read if the wanted type does not support nested
   * virtualization.
   */
  readonly others: readonly (readonly GceMachineType[])[];
}

/** Explains why an instance cannot be created; undefined if it can be. */
export function obstacleToNew(p: Params, parts: Parts): Refusal | undefined {
  const missing = (code: string, what: string, hint: string): Refusal =>
    refuse({ code, message: `there is no ${what}`, hint });
  const type = obstacleOfType(p, parts);
  if (type !== undefined) return type;
  const place = obstacleInPlace(p, parts);
  if (place !== undefined) return place;
  if (parts.image === absent && p.image !== undefined) {
    const image = "family" in p.image ? `image of the family ${p.image.family}` : `image ${p.image.name}`;
    const hint = `See the available images: gcloud compute images list --project ${p.image.project}`;
    return missing("no-image", `${image} in ${p.image.project}`, hint);
  }
  const boot = obstacleOfBootDisk(p, parts);
  if (boot !== undefined) return boot;
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

function obstacleOfBootDisk(p: Params, { diskType, image }: Parts): Refusal | undefined {
  const { type, sizeGb } = p.bootDisk;
  if (image !== absent && image.sizeGb > sizeGb) {
    return refuse({
      code: "disk-size",
      message: `the boot disk has ${sizeGb} GB, but the image needs ${image.sizeGb} GB`,
      hint: "Enlarge the boot disk",
    });
  }
  return obstacleOfShape(diskType, { type, zone: p.zone, sizeGb });
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
    expected:
      able.length === 0 ? "a type that can; this zone has none with the same number of processors" : `one of ${names}`,
    hint: "Choose a type that can run virtual machines",
  });
}

/** Explains why an existing instance cannot be brought into the desired state; undefined if it can be. */
export function obstacleToChange(p: Params, now: GceInstance, address: string | undefined): Refusal | undefined {
  const thing = `the instance ${p.name}`;
  const lost = "its boot disk and its memory";
  const say = (value: boolean): string => (value ? "on" : "off");
  if (now.spot !== p.spot) return notInPlace(thing, "spot", say(now.spot), say(p.spot), lost);
  if (now.nested !== p.nested) return notInPlace(thing, "nested", say(now.nested), say(p.nested), lost);
  if (now.network !== p.network) return notInPlace(thing, "network", now.network, p.network ?? "", lost);
  if (p.subnetwork !== undefined && now.subnetwork !== p.subnetwork) {
    return notInPlace(thing, "subnetwork", now.subnetwork || "none", p.subnetwork, lost);
  }
  if (p.hostname !== undefined && now.hostname !== p.hostname) {
    return notInPlace(thing, "hostname", now.hostname || "Google's own", p.hostname, lost);
  }
  if (address !== undefined && now.address !== address && now.status !== "TERMINATED") {
    return notInPlace(thing, "address", now.address || "none", address, lost);
  }
  if (p.state !== "present" || now.status === "TERMINATED") return undefined;
  if (now.machineType !== p.machineType) {
    return needsStop(
      `${thing} has the type ${now.machineType} and is running: it must be stopped before it can change to ${p.machineType ?? ""}`,
    );
  }
  if (otherAccount(p, now)) {
    return needsStop(`${thing} is running and must be stopped before its service account or scopes can change`);
  }
  return undefined;
}

function needsStop(why: string): Refusal {
  return refuse({
    code: "needs-stop",
    message: `${why}: stopping it discards the contents of its memory`,
    hint: 'Stop it first with state: "stopped", then rerun',
  });
}

/** True if a service account is wanted and the instance has a different one, or different scopes. */
function otherAccount({ serviceAccount: wanted }: Params, now: GceInstance): boolean {
  if (wanted === undefined) return false;
  return now.serviceAccount !== wanted.email || now.scopes.join(" ") !== wanted.scopes.toSorted().join(" ");
}

/** Refuses to delete an instance that is protected, unless the task turns the protection off. */
export function obstacleToDelete(p: Params, now: GceInstance | Absent): Refusal | undefined {
  if (now === absent || !now.deletionProtection || p.deletionProtection === false) return undefined;
  return refuse({
    code: "protected",
    message: `the instance ${p.name} is protected against deletion`,
    hint: "Set deletionProtection: false on this task if the instance may be deleted",
  });
}

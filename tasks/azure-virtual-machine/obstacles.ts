import { absent, type Absent, refuse, type Refusal } from "../../src/authoring.ts";
import {
  type AzureDisk,
  type AzureGroup,
  type AzureImage,
  type AzureMachine,
  type AzureNetwork,
  azureOwnerTag,
  azurePartsOf,
  type AzureSize,
} from "../../src/facts/catalogue.ts";
import { foreign, notInPlace } from "../azure-resource-group/own.ts";
import type { Params } from "./params.ts";
import type { Parts } from "./parts.ts";
import { loadOf, obstacleOfLoad, obstacleOfSize, obstacleToResize } from "./sizes.ts";

/** Explains why a machine cannot be created; undefined if it can be. */
export function obstacleToNew(p: Params, group: AzureGroup, parts: Parts): Refusal | undefined {
  const { location } = group;
  return (
    obstacleOfNetwork(p, parts.networks[0]) ??
    obstacleOfSize(p, location, parts.sizes[0]) ??
    obstacleOfLoad(p, parts.sizes[0], loadOf(p, absent, parts)) ??
    obstacleOfImage(p, location, parts.images[0], parts.sizes[0]) ??
    obstacleOfFeature(p, parts.features[0])
  );
}

function obstacleOfNetwork(p: Params, network: AzureNetwork | Absent | undefined): Refusal | undefined {
  const { network: name = "", group } = p;
  if (network === undefined) return undefined;
  if (network === absent || network.subnets[name] === undefined) {
    return refuse({
      code: "no-network",
      message:
        network === absent
          ? `there is no virtual network ${name} in ${group}`
          : `the virtual network ${name} has no subnet ${name}`,
      hint: "Correct the name, or create the network first with azureNetwork",
    });
  }
  return foreign("virtual network", { name, owner: p.owner }, network);
}

function obstacleOfImage(
  { image: name = "", securityType }: Params,
  location: string,
  image: AzureImage | Absent | undefined,
  size: AzureSize | Absent | undefined,
): Refusal | undefined {
  if (image === undefined || size === undefined || size === absent) return undefined;
  const hint = "Choose another image: az vm image list --publisher PUBLISHER --all --output table";
  const no = (message: string): Refusal => refuse({ code: "no-image", message, hint });
  if (image === absent) return no(`the location ${location} has no image ${name}`);
  if (image.plan) return no(`the image ${name} has purchase terms that must be accepted first`);
  if (image.architecture.toLowerCase() !== size.architecture.toLowerCase()) {
    return no(
      `the image ${name} is for ${image.architecture} processors, but the size has ${size.architecture} processors`,
    );
  }
  if (!size.generations.includes(image.generation)) {
    return no(
      `the image ${name} is of generation ${image.generation}, but the size supports ${size.generations.join(", ")}`,
    );
  }
  if (securityType !== "trustedLaunch" || image.generation === "V2") return undefined;
  return no(`the image ${name} is of generation ${image.generation}, but Trusted Launch needs V2`);
}

/** Refuses a machine without Trusted Launch if the subscription does not allow such machines; undefined if it does. */
function obstacleOfFeature(p: Params, feature: Parts["features"][number] | undefined): Refusal | undefined {
  if (feature === undefined || (feature !== absent && feature.state === "Registered")) return undefined;
  const state = feature === absent ? "unknown" : feature.state;
  return refuse({
    code: "no-standard-security",
    message: `the subscription does not allow machines with the security type Standard: its feature UseStandardSecurityType is ${state}`,
    expected: "Registered",
    hint: `Register the feature and wait a few minutes: az feature register --namespace Microsoft.Compute --name UseStandardSecurityType; then az provider register --namespace Microsoft.Compute${p.nestedVirtualization ? "" : '; or set securityType: "trustedLaunch"'}`,
  });
}

/** Explains why one of the disks cannot be attached; undefined if all can be. */
export function obstacleOfDisks(p: Params, disks: Parts["disks"]): Refusal | undefined {
  for (const [at, name] of p.dataDisks.entries()) {
    const disk = disks[at] ?? absent;
    if (disk === absent) {
      return refuse({
        code: "no-disk",
        message: `there is no disk ${name} in ${p.group}`,
        hint: "Correct the name, or create the disk first with azureDisk",
      });
    }
    const refusal = foreign("disk", { name, owner: p.owner }, disk);
    if (refusal !== undefined) return refusal;
    if (disk.machine !== "" && disk.machine.toLowerCase() !== p.name.toLowerCase()) {
      return refuse({
        code: "disk-in-use",
        message: `the disk ${name} is attached to the machine ${disk.machine}`,
        hint: "Detach it first, or choose another disk",
      });
    }
    if (!disk.type.endsWith("_ZRS") && disk.zone !== (p.zone ?? "")) {
      return notInPlace(`the disk ${name}`, "zone", disk.zone, p.zone ?? "", "its data");
    }
  }
  return undefined;
}

/** Explains why an existing machine cannot be brought into the desired state; undefined if it can be. */
export function obstacleToChange(p: Params, group: AzureGroup, now: AzureMachine, parts: Parts): Refusal | undefined {
  const thing = `the machine ${p.name}`;
  const lost = "its first disk";
  const { zone = "", network = "" } = p;
  if (now.location !== group.location) return notInPlace(thing, "location", now.location, group.location, lost);
  if (now.zone !== zone) return notInPlace(thing, "zone", now.zone, zone, lost);
  if (now.security !== p.securityType) return notInPlace(thing, "securityType", now.security, p.securityType, lost);
  if (now.login !== p.login) return notInPlace(thing, "login", now.login, p.login, lost);
  if (now.network !== "" && now.network !== `${network}/${network}`) {
    return notInPlace(thing, "network", now.network, `${network}/${network}`, lost);
  }
  const { card } = azurePartsOf(p.name);
  const [first = "none"] = now.cards;
  if (first.toLowerCase() !== card.toLowerCase()) {
    return refuse({
      code: "other-interface",
      message: `the first interface of ${thing} is ${first}, but furrow manages only ${card}`,
      hint: `Attach ${card} as the machine's first interface, or choose another name and let furrow create the machine`,
    });
  }
  if (now.status === "failed") return obstacleToRepeat(p, now);
  if (now.status === "creating") return undefined;
  if (now.size.toLowerCase() !== (p.size ?? "").toLowerCase()) {
    if (now.status === "deallocated") return obstacleToResize(p, group.location, now, parts);
    return refuse({
      code: "needs-stop",
      message: `${thing} is ${now.status} and has the size ${now.size}: it must be deallocated before it can change to ${p.size ?? ""}`,
      hint: 'Shut it down with state: "stopped", then rerun: the run resizes and starts it',
    });
  }
  return obstacleOfLoad(p, parts.sizes[0], loadOf(p, now, parts));
}

/**
 * Explains why a failed creation cannot be repeated: Azure never changes the image or the keys of an existing machine.
 */
function obstacleToRepeat(p: Params, now: AzureMachine): Refusal | undefined {
  const differs = (part: string, has: string, wanted: string): Refusal =>
    refuse({
      code: "only-new",
      message: `the machine ${p.name} could not be created with ${part} ${has}, and ${wanted} is requested now: Azure accepts a different value only for a new machine`,
      hint: 'Remove the machine with state: "absent", then rerun: it was never created, so it has no data',
    });
  const { image = "" } = p;
  if (now.image.toLowerCase() !== image.toLowerCase()) return differs("image", now.image, image);
  const wanted = p.publicKeys.map((key) => key.trim()).toSorted();
  return wanted.join("\n") === now.publicKeys.join("\n")
    ? undefined
    : differs("publicKeys", now.publicKeys.join(", "), wanted.join(", "));
}

/** Whether a first disk is left over from an unfinished deletion of a machine. */
export function isLeft(disk: AzureDisk, owner: string): boolean {
  return disk.machine === "" && disk.tags[azureOwnerTag] === owner;
}

/** Refuses if a disk with the first disk's name already exists: Azure neither replaces nor uses it. */
export function obstacleOfFirstDisk(p: Params, disk: AzureDisk | Absent): Refusal | undefined {
  if (disk === absent) return undefined;
  const { osDisk } = azurePartsOf(p.name);
  return refuse({
    code: "no-first-disk",
    message: `the disk ${osDisk} already exists, and the machine ${p.name} needs that name for its first disk`,
    hint: isLeft(disk, p.owner)
      ? 'Delete it with state: "absent", then rerun: it is left over from an unfinished deletion'
      : "Rename the machine, or delete that disk if nobody needs it: az disk delete",
  });
}

import { absent, type Absent, refuse, type Refusal } from "../../src/authoring.ts";
import { azureCanNest, type AzureMachine, type AzureSize } from "../../src/facts/catalogue.ts";
import type { Params } from "./params.ts";
import type { Parts } from "./parts.ts";

function noSize(message: string, expected?: string): Refusal {
  const hint = "Choose another size, zone or location: az vm list-skus --location LOCATION --output table";
  return refuse({ code: "no-size", message, hint, ...(expected !== undefined && { expected }) });
}

/** Explains why a machine cannot have the requested size; undefined if it can. */
export function obstacleOfSize(p: Params, location: string, size: AzureSize | Absent | undefined): Refusal | undefined {
  const { size: name = "", zone } = p;
  if (size === undefined) return undefined;
  if (size === absent) return noSize(`the location ${location} has no size ${name}`);
  if (size.restricted !== "") {
    return noSize(`the subscription cannot use the size ${name} in ${location}: ${size.restricted}`);
  }
  if (zone !== undefined && (!size.zones.includes(zone) || size.restrictedZones.includes(zone))) {
    const left = size.zones.filter((one) => !size.restrictedZones.includes(one));
    const expected = left.length === 0 ? "no zone" : `one of the zones ${left.join(", ")}, or none`;
    return noSize(`the subscription cannot use the size ${name} in zone ${zone} of ${location}`, expected);
  }
  if (!size.scsi) return noSize(`the size ${name} has no SCSI controller, so furrow could not find the disks`);
  if (p.securityType === "trustedLaunch" && !size.trustedLaunch) {
    return noSize(`the size ${name} does not support Trusted Launch`);
  }
  if (!p.nestedVirtualization || azureCanNest(name)) return undefined;
  return refuse({
    code: "no-nested-virtualization",
    message: `Microsoft does not document that machines of the size ${name} can run virtual machines themselves`,
    expected:
      "a size with an Intel processor from the series Dv3 to Dv5, Ev3 to Ev5, Fsv2 or FX, like Standard_D16s_v5",
    hint: "Choose such a size, or set nestedVirtualization: false and check for /dev/kvm yourself",
  });
}

/** The disks that a machine's size must support. */
interface Load {
  readonly dataDisks: number;
  /** The names of the disks that are, or could be, premium disks. */
  readonly premium: readonly string[];
}

/** The disks that a machine has, and those that it will get. */
export function loadOf(p: Params, now: AzureMachine | Absent, parts: Parts): Load {
  const has = now === absent ? [] : Object.keys(now.disks);
  const others = has.filter((name) => !p.dataDisks.includes(name));
  const wanted = p.dataDisks.filter((_name, at) => isPremium(parts.disks[at]));
  const attached = now === absent ? [] : [now.osDisk, ...others].filter((_name, at) => isPremium(parts.attached[at]));
  const first = now === absent && p.osDiskType.startsWith("Premium") ? ["the first disk"] : [];
  return { dataDisks: p.dataDisks.length + others.length, premium: [...first, ...attached, ...wanted] };
}

/**
 * Whether a disk needs a size that supports premium disks. False for a disk that was not read; true for one that was
 * not found, because it may be a premium disk.
 */
function isPremium(disk: Parts["disks"][number] | undefined): boolean {
  return disk !== undefined && (disk === absent || /^(Premium|Ultra)/.test(disk.type));
}

/**
 * Explains why a size does not support these disks; undefined if it does, or if the machine keeps a size that is no
 * longer offered.
 */
export function obstacleOfLoad(p: Params, size: AzureSize | Absent | undefined, load: Load): Refusal | undefined {
  const { size: name = "" } = p;
  if (size === undefined || size === absent) return undefined;
  if (load.dataDisks > size.mostDataDisks) {
    return noSize(`the size ${name} supports ${size.mostDataDisks} data disks, not ${load.dataDisks}`);
  }
  if (load.premium.length === 0 || size.premiumDisks) return undefined;
  const expected =
    'another size, or disks of the type StandardSSD_LRS; osDiskType: "StandardSSD_LRS" for the first disk';
  return noSize(
    `the size ${name} does not support premium disks, but these are or might be premium: ${load.premium.join(", ")}`,
    expected,
  );
}

/** Explains why a deallocated machine cannot be changed to the requested size; undefined if it can. */
export function obstacleToResize(p: Params, location: string, now: AzureMachine, parts: Parts): Refusal | undefined {
  const [size, old] = parts.sizes;
  return (
    obstacleOfSize(p, location, size) ??
    obstacleOfLoad(p, size, loadOf(p, now, parts)) ??
    obstacleOfProcessor(p, now, size, old)
  );
}

/** Refuses a size with a different kind of processor: the system on the first disk could not run on it. */
function obstacleOfProcessor(
  { size: name = "" }: Params,
  now: AzureMachine,
  size: AzureSize | Absent | undefined,
  old: AzureSize | Absent | undefined,
): Refusal | undefined {
  if (size === undefined || size === absent) return undefined;
  // If the old size is no longer offered, its name shows the processor: the p in D16ps_v5 means Arm.
  const isArm = /^Standard_[A-Z]+\d+(-\d+)?[a-z]*p/.test(now.size);
  const was = old === undefined || old === absent ? (isArm ? "Arm64" : "x64") : old.architecture;
  if (was.toLowerCase() === size.architecture.toLowerCase()) return undefined;
  return noSize(
    `the machine's operating system is for ${was} processors (size ${now.size}), but the size ${name} has ${size.architecture} processors`,
    `a size with ${was} processors`,
  );
}

import { absent, type Absent, refuse, type Refusal, z } from "../../src/authoring.ts";
import type { GceDiskType } from "../../src/facts/catalogue.ts";

/** The type of a disk. */
export const type = () => z.string().regex(/^[a-z][a-z0-9-]*$/, 'a type of disk, like "pd-balanced"');

/** The full name of a key in Cloud KMS. */
export const kmsKey = () =>
  z
    .string()
    .regex(
      /^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/,
      'a key, like "projects/P/locations/europe-west3/keyRings/R/cryptoKeys/K"',
    );

/**
 * False if a key is in a different region than the zone. A key in `global` or in a multi-region is accepted for every
 * zone (https://cloud.google.com/compute/docs/disks/customer-managed-encryption).
 */
export function keyFits(key: string | undefined, zone: string): boolean {
  const location = /\/locations\/([^/]+)/.exec(key ?? "")?.[1] ?? "";
  return !/^[a-z]+-[a-z]+\d+$/.test(location) || zone.startsWith(`${location}-`);
}

const gigabytes: Readonly<Record<string, number>> = { GB: 1, TB: 1024 };

/** Returns the sizes in GiB that a type accepts; undefined if the API does not report them. */
export function sizesOf({ validSizes }: GceDiskType): readonly [least: number, most: number] | undefined {
  const [, least, small = "", most, large = ""] = /^(\d+)(GB|TB)-(\d+)(GB|TB)$/.exec(validSizes) ?? [];
  if (least === undefined || most === undefined) return undefined;
  return [Number(least) * (gigabytes[small] ?? 1), Number(most) * (gigabytes[large] ?? 1)];
}

/** Explains why a zone cannot have a disk of this type and size; undefined if it can, or if no type is given. */
export function obstacleOfShape(
  found: GceDiskType | Absent | undefined,
  { type, zone, sizeGb }: { readonly type: string; readonly zone: string; readonly sizeGb: number },
): Refusal | undefined {
  if (found === undefined) return undefined;
  if (found === absent) {
    return refuse({
      code: "no-disk-type",
      message: `the zone ${zone} does not offer the disk type ${type}`,
      hint: `See the available disk types: gcloud compute disk-types list --zones ${zone}`,
    });
  }
  const [least, most] = sizesOf(found) ?? [0, Number.POSITIVE_INFINITY];
  if (sizeGb >= least && sizeGb <= most) return undefined;
  return refuse({
    code: "disk-size",
    message: `disks of type ${type} cannot have a size of ${sizeGb} GB`,
    expected: `${least} to ${most} GB`,
    hint: "Correct the size, or choose another type",
  });
}

import { z } from "../../src/authoring.ts";

/** The name of Harvester's setting that says where backups are stored. */
export const targetSetting = "backup-target";

/** The secret fields of the setting: its value contains the keys of an S3 server until Harvester has verified them. */
export const targetKeys: readonly string[] = ["value.accessKeyId", "value.secretAccessKey"];

/** Where backups are stored. AWS S3 needs a bucket and no endpoint. */
export const backupPlaceSchema = z.looseObject({
  endpoint: z.string().default(""),
  bucketName: z.string().default(""),
  bucketRegion: z.string().default(""),
});

/** Where backups are stored. */
export type BackupPlace = Readonly<Record<"endpoint" | "bucketName" | "bucketRegion", string>>;

const valueSchema = z.looseObject({ ...backupPlaceSchema.shape, type: z.string() });

/** The backup target in the value of Harvester's setting (pkg/settings/settings.go). */
export type TargetValue = BackupPlace & { readonly type: string };

/** The target in a setting's value; undefined if it has none, or one in an unknown form. */
export function targetOf(value: unknown): TargetValue | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  try {
    return valueSchema.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

/**
 * True if a target says where backups are stored. Only a target of type NFS, or of no type, needs an endpoint for that.
 */
export function isTarget({ type, endpoint }: TargetValue): boolean {
  return endpoint !== "" || (type !== "" && type !== "nfs");
}

/** True if two targets refer to the same place (IsBackupTargetSame in pkg/util of harvester/harvester). */
export function isSamePlace(one: BackupPlace, other: BackupPlace): boolean {
  return (
    one.endpoint === other.endpoint && one.bucketName === other.bucketName && one.bucketRegion === other.bucketRegion
  );
}

/** `nfs://nas:/backups`, or `the bucket b in eu-central-1`. */
export function placeText({ endpoint, bucketName, bucketRegion }: BackupPlace): string {
  if (bucketName === "") return endpoint === "" ? "an unknown place" : endpoint;
  const region = bucketRegion === "" ? "" : ` in ${bucketRegion}`;
  return `the bucket ${bucketName}${region}${endpoint === "" ? "" : ` at ${endpoint}`}`;
}

import { z } from "../../../src/authoring.ts";

const name = z.string().min(1);
const byDisk = z
  .record(z.string(), z.looseObject({ state: z.string().default("") }).nullable())
  .nullish()
  .transform((all) => all ?? {});
const disks = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((all) => Object.keys(all ?? {}));

/** Harvester's annotation that names the VirtualMachineImage of a backing image (createBackingImage). */
const imageAnnotation = "harvesterhci.io/imageId";

/**
 * An image's file, with one copy on each disk that needs it (k8s/pkg/apis/longhorn/v1beta2/backingimage.go in
 * longhorn/longhorn-manager). Releases before 1.8 use the map `disks`.
 */
export const backingImageSchema = z
  .looseObject({
    metadata: z.looseObject({
      name,
      annotations: z.record(z.string(), z.string()).default({}),
      deletionTimestamp: z.string().optional(),
    }),
    spec: z.looseObject({ sourceType: z.string().default(""), disks, diskFileSpecMap: disks }),
    status: z.looseObject({ size: z.number().default(0), diskFileStatusMap: byDisk }).prefault({}),
  })
  .transform(({ metadata, spec, status }) => ({
    /** The image that users see, as `namespace/name`; for an image that Harvester did not make, Longhorn's name. */
    name: metadata.annotations[imageAnnotation] ?? metadata.name,
    isLeaving: metadata.deletionTimestamp !== undefined,
    /** Where the file came from: `download`, `upload`, `export-from-volume`, `restore`, `clone`. */
    source: spec.sourceType,
    sizeBytes: status.size,
    /** The copies, by the UUID of their disk; the state is empty until Longhorn has reported it. */
    copies: [...new Set([...spec.disks, ...spec.diskFileSpecMap, ...Object.keys(status.diskFileStatusMap)])].map(
      (disk) => ({ disk, state: status.diskFileStatusMap[disk]?.state ?? "" }),
    ),
  }));

/** The parts of a backing image that the guards use. */
export type BackingImageObject = z.output<typeof backingImageSchema>;

import { z } from "../../../src/authoring.ts";
import { imageAnnotation } from "./templates.ts";

const name = z.string().min(1);

/** A claim for a volume. It may still exist when the machine that it was made for does not. */
export const claimSchema = z
  .looseObject({
    metadata: z.looseObject({
      name,
      namespace: name,
      annotations: z.record(z.string(), z.string()).default({}),
      creationTimestamp: z.string().default("an unknown time"),
      deletionTimestamp: z.string().optional(),
    }),
    spec: z.looseObject({
      storageClassName: z.string().optional(),
      resources: z.looseObject({ requests: z.looseObject({ storage: z.string() }) }),
    }),
  })
  .transform(({ metadata, spec }) => ({
    name: `${metadata.namespace}/${metadata.name}`,
    /** The image that Harvester made the volume from: `NAMESPACE/NAME`; undefined if the claim names none. */
    image: metadata.annotations[imageAnnotation],
    size: spec.resources.requests.storage,
    storageClass: spec.storageClassName,
    created: metadata.creationTimestamp,
    isDeleted: metadata.deletionTimestamp !== undefined,
  }));

/** The parts of a claim that the guards use. */
export type ClaimObject = z.output<typeof claimSchema>;

import { z } from "../../../src/authoring.ts";

const name = z.string().min(1);

/** Harvester's annotation with the image that a volume is made from: `NAMESPACE/NAME` (pkg/util/constants.go). */
export const imageAnnotation = "harvesterhci.io/imageId";

const templatesAnnotation = "harvesterhci.io/volumeClaimTemplates";

const request = z.looseObject({
  resources: z.looseObject({ requests: z.looseObject({ storage: z.string() }) }),
  storageClassName: z.string().optional(),
});

const harvesterTemplates = z.array(
  z.looseObject({
    metadata: z.looseObject({ name, annotations: z.record(z.string(), z.string()).default({}) }),
    spec: request,
  }),
);

/** A volume that is made for a machine: its claim, the image that it is made from, its size (`50Gi`) and its class. */
export interface MachineDisk {
  readonly claim: string;
  readonly image: string | undefined;
  readonly size: string;
  readonly storageClass: string | undefined;
}

/** The volumes in Harvester's annotation; none if the machine lacks the annotation, or has it in another form. */
export function harvesterDisks(annotations: Readonly<Record<string, string>>): MachineDisk[] {
  try {
    return harvesterTemplates.parse(JSON.parse(annotations[templatesAnnotation] ?? "[]")).map(({ metadata, spec }) => ({
      claim: metadata.name,
      image: metadata.annotations[imageAnnotation],
      size: spec.resources.requests.storage,
      storageClass: spec.storageClassName,
    }));
  } catch {
    return [];
  }
}

const source = z.looseObject({
  blank: z.unknown().optional(),
  pvc: z.looseObject({ namespace: name, name }).optional(),
});

/** KubeVirt's descriptions of the volumes that it makes for a machine (spec.dataVolumeTemplates). */
export const dataVolumeTemplates = z
  .array(
    z.looseObject({
      metadata: z.looseObject({ name }),
      spec: z.looseObject({
        source: source.optional(),
        sourceRef: z.unknown().optional(),
        storage: request.optional(),
        pvc: request.optional(),
      }),
    }),
  )
  .default([]);

/** The volumes that KubeVirt makes for a machine. The claim of a data volume has the volume's name. */
export function kubeVirtDisks(templates: z.output<typeof dataVolumeTemplates>): MachineDisk[] {
  return templates.flatMap(({ metadata, spec }) => {
    const wanted = spec.storage ?? spec.pvc;
    if (wanted === undefined) return [];
    const { source: from, sourceRef } = spec;
    const image =
      from?.pvc === undefined ? JSON.stringify(from ?? sourceRef ?? {}) : `${from.pvc.namespace}/${from.pvc.name}`;
    return [
      {
        claim: metadata.name,
        image: from !== undefined && "blank" in from ? undefined : image,
        size: wanted.resources.requests.storage,
        storageClass: wanted.storageClassName,
      },
    ];
  });
}

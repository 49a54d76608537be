import { z } from "../../src/authoring.ts";

const name = z.string().min(1);

/** An object for which only the name matters. */
export const namedSchema = z
  .looseObject({ metadata: z.looseObject({ name }) })
  .transform(({ metadata }) => ({ name: metadata.name }));

const isTrue = (annotations: Readonly<Record<string, string>>, name: string): boolean => annotations[name] === "true";

/** A storage class, and whether it is the default (kubernetes.io/docs, Change the default StorageClass). */
export const storageClassSchema = z
  .looseObject({ metadata: z.looseObject({ name, annotations: z.record(z.string(), z.string()).default({}) }) })
  .transform(({ metadata: { name: own, annotations } }) => ({
    name: own,
    isDefault:
      isTrue(annotations, "storageclass.kubernetes.io/is-default-class") ||
      isTrue(annotations, "storageclass.beta.kubernetes.io/is-default-class"),
  }));

/** The CSI drivers that run on a node. The API writes null instead of an empty list. */
export const csiNodeSchema = z
  .looseObject({
    metadata: z.looseObject({ name }),
    spec: z.looseObject({ drivers: z.array(z.looseObject({ name })).nullish() }),
  })
  .transform(({ metadata, spec: { drivers } }) => ({
    name: metadata.name,
    drivers: (drivers ?? []).map((one) => one.name),
  }));

/** RKE2's record of a snapshot of etcd (k3s.cattle.io_etcdsnapshotfiles.yaml in k3s-io/api, commit 481ea7a0). */
export const etcdSnapshotSchema = z
  .looseObject({
    metadata: z.looseObject({ name }),
    spec: z.looseObject({ snapshotName: name, nodeName: name, location: name }),
    status: z
      .looseObject({
        readyToUse: z.boolean().default(false),
        creationTime: z.string().default(""),
        error: z.looseObject({ message: z.string().default("") }).optional(),
      })
      .prefault({}),
  })
  .transform(({ spec, status }) => ({
    name: spec.snapshotName,
    node: spec.nodeName,
    /** `file:///var/lib/…` on the node, or `s3://…`. */
    location: spec.location,
    isUsable: status.readyToUse && status.error === undefined,
    created: status.creationTime,
  }));

/** The parts of a snapshot record that are used in reports. */
export type EtcdSnapshotObject = z.output<typeof etcdSnapshotSchema>;

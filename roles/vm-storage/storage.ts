import type { IStorageClass } from "kubernetes-models/storage.k8s.io/v1/StorageClass";
import { seconds, z } from "../../src/authoring.ts";

const nameForm = "a name of at most 63 characters: lower-case letters, digits and dashes";
const name = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, nameForm);
const tag = z.string().regex(/^[^\s,]+$/, "a tag without spaces or commas");

/** A storage class of Longhorn. The API does not allow changes to it once it exists. */
const storageClass = z.strictObject({
  replicas: z.int().min(1).max(20).default(3).describe("Number of Longhorn replicas of each volume"),
  diskTags: z.array(tag).default([]).describe("Tags that a disk must have"),
  nodeTags: z.array(tag).default([]).describe("Tags that a node must have, in Longhorn"),
  reclaim: z
    .enum(["Delete", "Retain"])
    .default("Delete")
    .describe("Reclaim policy: what happens to a volume whose claim is deleted"),
  bind: z
    .enum(["Immediate", "WaitForFirstConsumer"])
    .default("Immediate")
    .describe("Whether a volume is created with its claim, or on first use"),
});

const targetForm = "an NFS export, like nfs://nas.example.org:/volume1/backups";

/** The storage of a Harvester cluster: storage classes, and where backups go. */
export const vmStorageSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
  fieldManager: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
    .default("furrow-storage")
    .describe("Name under which the cluster records what furrow owns; do not change it"),
  force: z.boolean().default(false).describe("Take over fields that others have changed"),
  storageClasses: z.record(name, storageClass).default({}).describe("Storage classes by name"),
  backupTarget: z
    .string()
    .regex(/^nfs:\/\/[^\s/:]+:\/\S*$/, targetForm)
    .optional()
    .describe("NFS export for backups, as nfs://HOST:/PATH; default: the setting is left unchanged"),
  deadlineSeconds: seconds()
    .default(120)
    .describe("Seconds within which Harvester must have reached the backup target"),
});

/** The validated storage of a cluster. */
export type VmStorage = z.output<typeof vmStorageSchema>;

/**
 * The objects of the storage classes, with the parameters of Longhorn's CSI driver (longhorn.io/docs, Storage Class
 * Parameters); `migratable` permits live migration.
 */
export function storageClassObjects(all: VmStorage["storageClasses"]) {
  return Object.entries(all).map(
    ([own, { replicas, diskTags, nodeTags, reclaim, bind }]) =>
      ({
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: own },
        provisioner: "driver.longhorn.io",
        allowVolumeExpansion: true,
        reclaimPolicy: reclaim,
        volumeBindingMode: bind,
        parameters: {
          migratable: "true",
          numberOfReplicas: String(replicas),
          staleReplicaTimeout: "30",
          ...(diskTags.length > 0 && { diskSelector: diskTags.join(",") }),
          ...(nodeTags.length > 0 && { nodeSelector: nodeTags.join(",") }),
        },
      }) satisfies IStorageClass,
  );
}

import { seconds, secretText, z } from "../../src/authoring.ts";
import { settingsParams } from "../cluster-settings/params.ts";

const nameForm = "a name of at most 63 characters: lower-case letters, digits and dashes";
const name = () => z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, nameForm);
const given = (what: string) => z.string({ error: what }).regex(/^[^\s/@,=]+$/, what);
const pool = () => given("the name of a pool, without spaces");
const user = () => given("the name of a user, like csi-rbd-node");

const manifest = z.union(
  [
    z.strictObject({
      url: z
        .url({ protocol: /^https$/, error: "an https URL" })
        .describe("URL of the manifest, which the controller downloads"),
      checksum: z
        .string()
        .regex(/^sha256:[0-9a-f]{64}$/i, '"sha256:HEX", as printed by sha256sum')
        .describe("Expected SHA-256: `sha256:HEX`"),
    }),
    z.strictObject({ path: z.string().min(1).describe("Manifest file on the controller") }),
  ],
  { error: "`url` with `checksum`, or `path`" },
);

const rook = z.strictObject({
  namespace: name().default("rook-ceph").describe("Namespace of the operator"),
  manifests: z
    .array(manifest)
    .default([])
    .describe(
      "Rook's manifests in order: crds.yaml, common.yaml, in new versions csi-operator.yaml, operator.yaml; none: the operator already exists",
    ),
  driverPrefix: name()
    .optional()
    .describe("Prefix of the names of Rook's CSI drivers; default: the operator's namespace"),
});

const monitorForm = "an address with its port, like 192.168.5.99:6789";

const ceph = z.strictObject({
  fsid: z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "the id that `ceph fsid` prints")
    .describe("Id of the Ceph cluster (`ceph fsid`)"),
  monitors: z
    .record(
      given("the name of a monitor"),
      z.string().regex(/^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):\d{1,5}$/, monitorForm),
    )
    .refine((all) => Object.keys(all).length > 0, "at least one monitor")
    .describe("Monitors by name; Rook finds the others, and keeps the list up to date"),
  user: given("the name of a user, like client.healthchecker")
    .default("client.healthchecker")
    .describe("User that Rook uses to check the health of Ceph"),
  namespace: name().default("rook-ceph-external").describe("Namespace of the connection; also its id for CSI"),
  name: name().default("rook-ceph-external").describe("Name of the CephCluster"),
});

const reclaim = z
  .enum(["Delete", "Retain"])
  .default("Delete")
  .describe("Reclaim policy: what happens to a volume whose claim is deleted");

const rbd = z.strictObject({
  pool: pool().describe("Pool for the images"),
  metadataPool: pool().optional().describe("Replicated pool for the metadata, if `pool` is erasure coded"),
  features: z
    .string()
    .regex(/^layering(,[a-z-]+)*$/, "`layering`, optionally followed by other features, separated by commas")
    .default("layering")
    .describe("Features of the images"),
  storageClass: name().default("ceph-rbd").describe("Name of the storage class"),
  snapshotClass: name().default("csi-rbdplugin-snapclass-external").describe("Name of the snapshot class"),
  reclaim,
  isDefault: z
    .boolean()
    .default(false)
    .describe("Make this class the only default storage class; false leaves the default unchanged"),
  nodeUser: user().default("csi-rbd-node").describe("User that the nodes use to map images"),
  provisionerUser: user().default("csi-rbd-provisioner").describe("User that Rook uses to create images and snapshots"),
});

const cephfs = z.strictObject({
  fileSystem: pool().describe("Name of the file system"),
  pool: pool().describe("Data pool"),
  storageClass: name().default("cephfs").describe("Name of the storage class"),
  snapshotClass: name().default("csi-cephfsplugin-snapclass-external").describe("Name of the snapshot class"),
  reclaim,
  nodeUser: user().default("csi-cephfs-node").describe("User that the nodes use to mount the file system"),
  provisionerUser: user()
    .default("csi-cephfs-provisioner")
    .describe("User that Rook uses to create subvolumes and snapshots"),
});

const keys = z.strictObject({
  healthChecker: secretText().describe("Key of `ceph.user`; a secret, like all keys"),
  rbdNode: secretText().optional().describe("Key of `rbd.nodeUser`"),
  rbdProvisioner: secretText().optional().describe("Key of `rbd.provisionerUser`"),
  cephfsNode: secretText().optional().describe("Key of `cephfs.nodeUser`"),
  cephfsProvisioner: secretText().optional().describe("Key of `cephfs.provisionerUser`"),
});

/** An external Ceph cluster, whose storage the machines of a Harvester cluster use. */
export const externalCephSchema = z
  .strictObject({
    ...settingsParams,
    force: z
      .boolean()
      .default(false)
      .describe("Take over fields that others, such as Rook's script import-external-cluster.sh, have set"),
    rook: rook.prefault({}).describe("The operator"),
    ceph: ceph.describe("The Ceph cluster"),
    rbd: rbd.optional().describe("Block devices"),
    cephfs: cephfs.optional().describe("A file system, for volumes of pods; virtual machines cannot have disks on it"),
    keys: keys.describe("Keys of the users that Rook's script create-external-cluster-resources.py has created"),
    deadlineSeconds: seconds().default(600).describe("Seconds to wait for the operator, and then for Ceph"),
  })
  .superRefine(({ rbd: block, cephfs: files, keys: own }, context) => {
    const issue = (path: string[], message: string): void => context.addIssue({ code: "custom", path, message });
    if (block === undefined && files === undefined) issue(["rbd"], "`rbd`, `cephfs`, or both");
    for (const [used, kind] of [
      [block, "rbd"],
      [files, "cephfs"],
    ] as const)
      for (const one of [`${kind}Node`, `${kind}Provisioner`] as const)
        if (used !== undefined && own[one] === undefined) issue(["keys", one], `a key, because ${kind} is given`);
    for (const one of ["storageClass", "snapshotClass"] as const)
      if (block !== undefined && block[one] === files?.[one]) issue(["cephfs", one], "a name other than that in rbd");
  });

/** The validated vars of an external Ceph cluster. */
export type ExternalCeph = z.output<typeof externalCephSchema>;

/**
 * The names of Rook's CSI drivers (CSI_DRIVER_NAME_PREFIX in deploy/examples/import-external-cluster.sh of rook/rook).
 */
export function driversOf({ rook: { namespace, driverPrefix = namespace } }: Pick<ExternalCeph, "rook">) {
  return { rbd: `${driverPrefix}.rbd.csi.ceph.com`, cephfs: `${driverPrefix}.cephfs.csi.ceph.com` };
}

import type { VirtualMachineImage } from "../../src/kubernetes/index.ts";
import { seconds, z } from "../../src/authoring.ts";
import { imageKind } from "./image-state.ts";

const nameForm = "a name of at most 63 characters: lower-case letters, digits and dashes";
const objectName = z
  .string()
  .max(63, nameForm)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, nameForm);

const urlForm = "a URL that the cluster can reach, like https://example.org/image.qcow2";
const openForm = "a URL without a user and password: everyone who can list images can read it";

const image = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: urlForm })
    .refine((one) => !/\s/.test(one), urlForm)
    .refine((one) => !/^https?:\/\/[^/]*@/.test(one), openForm)
    .describe("URL from which the cluster downloads the image: qcow2, raw or ISO"),
  checksum: z
    .string()
    .regex(/^[0-9a-f]{128}$/, "an SHA-512 in hex: 128 digits")
    .optional()
    .describe("SHA-512 of the file, in hex; Harvester refuses different content"),
  displayName: z.string().min(1).optional().describe("Name in the Harvester UI; default: the image's name"),
  description: z.string().optional().describe("Description in the Harvester UI"),
  namespace: objectName.default("default").describe("Namespace of the image"),
  replicas: z.int().min(1).max(20).default(3).describe("Number of Longhorn replicas of volumes made from the image"),
  retries: z.int().min(0).max(10).default(3).describe("Number of times that Harvester repeats a failed download"),
});

/** The images from which a Harvester cluster's virtual machines are made. */
export const vmImagesSchema = z
  .strictObject({
    kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
    fieldManager: z
      .string()
      .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
      .default("furrow-images")
      .describe("Name under which the cluster records what furrow owns; do not change it"),
    force: z.boolean().default(false).describe("Take over fields that others have changed"),
    images: z.record(objectName, image).describe("Images by name"),
    deadlineSeconds: seconds().default(3600).describe("Seconds within which all images must have been downloaded"),
  })
  .superRefine(({ images }, context) => {
    const shown = new Map<string, string>();
    for (const [name, { displayName = name, namespace }] of Object.entries(images)) {
      const own = `${namespace}/${displayName}`;
      const other = shown.get(own);
      if (other !== undefined) {
        const message = `a name that ${other} does not have: Harvester requires unique image names in a namespace`;
        context.addIssue({ code: "custom", path: ["images", name, "displayName"], message });
      }
      shown.set(own, name);
    }
  });

/** The validated images of a cluster. */
export type VmImages = z.output<typeof vmImagesSchema>;

/**
 * The objects of the images (Harvester's VirtualMachineImage, harvesterhci.io, v1beta1:
 * pkg/apis/harvesterhci.io/v1beta1/image.go). Harvester creates a storage class for each image, with these parameters.
 */
export function imageObjects(images: VmImages["images"]) {
  return Object.entries(images).map(
    ([name, { url, checksum, displayName, description, namespace, replicas, retries }]) =>
      ({
        ...imageKind,
        metadata: { name, namespace },
        spec: {
          displayName: displayName ?? name,
          sourceType: "download",
          url,
          retry: retries,
          ...(checksum !== undefined && { checksum }),
          ...(description !== undefined && { description }),
          storageClassParameters: { migratable: "true", numberOfReplicas: String(replicas), staleReplicaTimeout: "30" },
        },
      }) satisfies VirtualMachineImage,
  );
}

import { type KubernetesAnswer, task, z } from "../../src/authoring.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { idOf, imagePath, imagePlace, storageClassOf } from "../vm-images/image-state.ts";
import { refusals, together } from "../vm-images/images-imported.ts";

/**
 * Outputs the storage classes of a machine's images by `NAMESPACE/NAME`. The task that waits for images has no output
 * in check mode, because check mode does not wait; this task has one. It refuses images that do not exist or have
 * failed, but not one that is still being downloaded.
 */
export const imageClasses = task({
  name: "imageClasses",
  summary: "Find the storage classes of a machine's images",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machine: z.string().describe("Name of the machine"),
    images: z.array(imagePlace).min(1).describe("Images from which the machine's disks are created"),
  }),
  examples: [],
  title: ({ machine }) => `the storage classes of the images of ${machine}`,
})
  .facts((p) => ({ images: p.images.map((image) => askObject(p.kubeconfig, imagePath(image))) }))
  .want((p, { images }) => {
    const open = refusals(p.images, images);
    return together(open.filter(({ code, final }) => code === "cluster-not-seen" || final === true)) ?? {};
  })
  .steps(() => [])
  .outputs((p, { images }) =>
    Object.fromEntries(p.images.map((image, index) => [idOf(image), classOf(images[index])])),
  );

function classOf(answer: KubernetesAnswer | undefined): string {
  return storageClassOf(answer !== undefined && "found" in answer && answer.found ? answer.object : undefined);
}

import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { inNamespaces } from "../cluster-answers/namespaces/namespaces-exist.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { imageObjects, vmImagesSchema } from "./images.ts";
import { imagesImported, noFailedImage } from "./images-imported.ts";
import { replicasFit } from "../vm-storage/replicas-fit.ts";

/**
 * Manages the images of a Harvester cluster, and waits until all of them are imported. Images that are not listed stay
 * unchanged.
 */
export const vmImages = role(
  {
    name: "vm images",
    summary: "Manage the images of a Harvester cluster's virtual machines",
    params: vmImagesSchema,
  },
  ({ kubeconfig, fieldManager, force, images, deadlineSeconds }) => {
    const objects = imageObjects(images);
    if (objects.length === 0) return [];
    const asked = { kubeconfig, images: objects.map(({ metadata }) => metadata) };
    const replicas = Object.fromEntries(Object.entries(images).map(([name, own]) => [name, own.replicas]));
    const [spaces] = inNamespaces(
      kubeconfig,
      asked.images.map(({ name, namespace }) => ({ name: `the image ${name}`, namespace })),
    );
    const fit = replicasFit({ kubeconfig, what: "images", replicas }, onlyAfter(spaces));
    const noFailed = noFailedImage(asked, onlyAfter(fit));
    return [
      spaces,
      fit,
      noFailed,
      // All downloads begin before the wait.
      objects.map((object) => t.kubeObject({ kubeconfig, fieldManager, force, object }, onlyAfter(noFailed))),
      imagesImported({ ...asked, deadlineSeconds }),
    ];
  },
);

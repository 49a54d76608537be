import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { imageImported } from "./image-imported.ts";
import { imageObjects, vmImagesSchema } from "./images.ts";

/** Keeps the images of a Harvester cluster, and waits until all of them are there. Images that are not named stay. */
export const vmImages = role(
  {
    name: "vm images",
    summary: "Keep the images of a Harvester cluster's virtual machines",
    params: vmImagesSchema,
  },
  ({ kubeconfig, fieldManager, images, deadlineSeconds }) => {
    const objects = imageObjects(images);
    return [
      // All downloads begin before the first wait.
      objects.map((object) => t.kubeObject({ kubeconfig, fieldManager, object })),
      objects.map(({ metadata }) => imageImported({ kubeconfig, ...metadata, deadlineSeconds })),
    ];
  },
);

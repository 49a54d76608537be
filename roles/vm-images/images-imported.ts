import { type KubernetesAnswer, Refusal, refuse, seconds, task, z } from "../../src/authoring.ts";
import { kubeThing } from "../../src/facts/catalogue.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { idOf, imageKind, imagePath, type ImagePlace, imagePlace, imageState } from "./image-state.ts";

const asked = {
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  images: z.array(imagePlace).describe("The images"),
};

/** Waits until the cluster has all of these images, and reports the progress of each. A failed image ends the wait. */
export const imagesImported = task({
  name: "imagesImported",
  summary: "Wait until the cluster has images",
  params: z.strictObject({
    ...asked,
    intervalSeconds: seconds().default(5).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(3600).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ images }) => `the cluster has the images ${images.map(idOf).join(", ")}`,
})
  .facts((p) => ({ images: p.images.map((image) => askObject(p.kubeconfig, imagePath(image))) }))
  .want((p, { images }) => {
    const open = refusals(p.images, images);
    // Once an image has failed, the others no longer matter.
    const final = open.filter((one) => one.final === true);
    return together(final.length > 0 ? final : open) ?? {};
  })
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "Harvester to download them",
    about: p.images.map((metadata) => kubeThing({ kubeconfig: p.kubeconfig }, { ...imageKind, metadata })),
  }));

/**
 * Refuses images that Harvester has given up on. Check mode does not wait, so it would otherwise not notice them.
 * Images that do not exist yet are permitted.
 */
export const noFailedImage = task({
  name: "noFailedImage",
  summary: "Refuse images that Harvester could not download",
  params: z.strictObject(asked),
  examples: [],
  title: () => "no image has failed",
})
  .facts((p) => ({ images: p.images.map((image) => askObject(p.kubeconfig, imagePath(image))) }))
  .want((p, { images }) => {
    const open = refusals(p.images, images).filter(
      ({ code, final }) => code === "cluster-not-seen" || (final === true && code !== "no-image"),
    );
    return together(open) ?? {};
  })
  .steps(() => []);

type Reason = Refusal["reason"];

/** The reasons why images are not imported, each with the image's name. */
export function refusals(places: readonly ImagePlace[], answers: readonly KubernetesAnswer[]): Reason[] {
  return places.flatMap((place, index) => {
    const state = imageState(place, answers[index] as KubernetesAnswer);
    return state instanceof Refusal ? [{ ...state.reason, message: `${idOf(place)}: ${state.reason.message}` }] : [];
  });
}

/** One refusal for all reasons; undefined for an empty list. */
export function together(reasons: readonly Reason[]): Refusal | undefined {
  const [first] = reasons;
  return first && refuse({ ...first, message: reasons.map(({ message }) => message).join("; ") });
}

import { type KubernetesAnswer, Refusal, refuse, seconds, task, z } from "../../src/authoring.ts";
import { hintFor } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { imagePath, imageState, storageClassOf } from "../vm-images/image-imported.ts";

const place = z.strictObject({
  namespace: z.string().describe("Namespace of the image"),
  name: z.string().describe("Name of the image"),
});

type Place = z.output<typeof place>;

/** Waits until the cluster has the images of a machine. */
export const imagesReady = task({
  name: "imagesReady",
  summary: "Wait until the cluster has the images of a machine",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machine: z.string().describe("Name of the machine"),
    images: z.array(place).min(1).describe("Images from which its disks are made"),
    intervalSeconds: seconds().default(5).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(3600).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ machine, images }) => `the images of ${machine} are there: ${images.map(idOf).join(", ")}`,
})
  .facts((p) => ({ images: p.images.map((image) => askObject(p.kubeconfig, imagePath(image))) }))
  .want((p, { images }) => {
    const states = p.images.map((image, index) => ({
      image,
      state: stateOf(image, images[index] as KubernetesAnswer),
    }));
    const bad = states.flatMap(({ image, state }) => (state instanceof Refusal ? [{ image, ...state.reason }] : []));
    const [first] = bad;
    if (first === undefined) return {};
    return refuse({
      code: first.code,
      message: bad.map(({ image, message }) => `${idOf(image)}: ${message}`).join("; "),
      ...(first.hint !== undefined && { hint: first.hint }),
      ...(bad.some(({ final }) => final === true) && { final: true }),
    });
  })
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `Harvester to have the images of ${p.machine}`,
  }));

/**
 * Outputs the storage classes of a machine's images by `NAMESPACE/NAME`. Check mode does not wait, so the wait above has no
 * output there; this one has.
 */
export const imageClasses = task({
  name: "imageClasses",
  summary: "Find the storage classes of a machine's images",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machine: z.string().describe("Name of the machine"),
    images: z.array(place).min(1).describe("Images from which its disks are made"),
  }),
  examples: [],
  title: ({ machine }) => `the storage classes of the images of ${machine}`,
})
  .facts((p) => ({ images: p.images.map((image) => askObject(p.kubeconfig, imagePath(image))) }))
  .want((p, { images }) => {
    const unseen = p.images
      .map(({ name }, index) => lookAtObject(images[index] as KubernetesAnswer, { kind: "VirtualMachineImage", name }))
      .flatMap((look) => ("unseen" in look ? [look.unseen] : look.seen === undefined ? [missing] : []));
    const [first] = unseen;
    if (first === undefined) return {};
    return refuse({
      code: "cluster-not-seen",
      message: `cannot tell the storage classes: ${unseen.map(({ message }) => message).join("; ")}`,
      hint: hintFor(first.code),
    });
  })
  .steps(() => [])
  .outputs((p, { images }) =>
    Object.fromEntries(
      p.images.map((image, index) => {
        const answer = images[index];
        const object = answer !== undefined && "found" in answer && answer.found ? answer.object : undefined;
        return [idOf(image), storageClassOf(object)];
      }),
    ),
  );

const missing = { code: "no-image", message: "an image does not exist" };

/** `NAMESPACE/NAME`. */
export function idOf({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}

function stateOf({ name }: Place, answer: KubernetesAnswer): Refusal | object {
  return decideOnObject(answer, { kind: "VirtualMachineImage", name }, "whether the image is there", (object) =>
    object === undefined
      ? refuse({
          code: "no-image",
          message: "the cluster does not have this image",
          hint: "Make it first, with gitops/images",
          final: true,
        })
      : imageState(object),
  );
}

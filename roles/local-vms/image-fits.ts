import { match, refuse, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { imageSource } from "./objects.ts";

/** The path of a DataVolume in the API. */
export function dataVolumePath(namespace: string, name: string): string {
  return `/apis/cdi.kubevirt.io/v1beta1/namespaces/${namespace}/datavolumes/${name}`;
}

/** Refuses to make another image out of one that exists: CDI fills a volume once. */
export const imageFits = task({
  name: "imageFits",
  summary: "Refuse to make another image out of one that exists",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    namespace: z.string().describe("Namespace of the image"),
    image: z.string().describe("Name of the image"),
    source: z.string().describe("Where it comes from"),
  }),
  examples: [],
  title: ({ namespace, image }) => `the image ${namespace}/${image} is no other one`,
})
  .facts((p) => ({ volume: askObject(p.kubeconfig, dataVolumePath(p.namespace, p.image)) }))
  .want((p, now) =>
    decideOnObject(
      now.volume,
      { kind: "DataVolume", name: p.image },
      `what the image ${p.namespace}/${p.image} was made from`,
      (own) => {
        const { source } = (own?.["spec"] ?? {}) as { readonly source?: unknown };
        if (own === undefined || match(source, imageSource(p)) === "same") return {};
        return refuse({
          code: "other-image",
          message: `the image ${p.namespace}/${p.image} was made from another source, and CDI fills a volume once`,
          current: JSON.stringify(source),
          expected: p.source,
          hint: "Give the new image another name",
        });
      },
    ),
  )
  .steps(() => []);

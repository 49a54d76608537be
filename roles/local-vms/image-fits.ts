import { match, refuse, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { imageSource } from "./objects.ts";

/** The path of a DataVolume in the API. */
export function dataVolumePath(namespace: string, name: string): string {
  return `/apis/cdi.kubevirt.io/v1beta1/namespaces/${namespace}/datavolumes/${name}`;
}

/** Refuses to change the source of an existing image: CDI fills a volume only once. */
export const imageFits = task({
  name: "imageFits",
  summary: "Refuse to change the source of an existing image",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    namespace: z.string().describe("Namespace of the image"),
    image: z.string().describe("Name of the image"),
    source: z.string().describe("Where the image comes from"),
  }),
  examples: [],
  title: ({ namespace, image }) => `the image ${namespace}/${image} has this source`,
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
          message: `the image ${p.namespace}/${p.image} was created from a different source, and CDI fills a volume only once`,
          current: JSON.stringify(source),
          expected: p.source,
          hint: "Give the new image another name",
        });
      },
    ),
  )
  .steps(() => []);

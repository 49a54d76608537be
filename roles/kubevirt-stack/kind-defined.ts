import { task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";

/** The API path of a CustomResourceDefinition. */
export function definitionPath(name: string): string {
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
}

/**
 * Outputs whether a cluster has a kind. If the cluster lacks the kind, it has no objects of that kind, and requests for
 * such objects fail.
 */
export const kindDefined = task({
  name: "kindDefined",
  summary: "Find out whether a cluster has a kind",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    definition: z.string().describe("Name of the CustomResourceDefinition: `virtualmachines.kubevirt.io`"),
  }),
  examples: [],
  title: ({ definition }) => `whether the cluster has ${definition}`,
})
  .facts((p) => ({ definition: askObject(p.kubeconfig, definitionPath(p.definition)) }))
  .want((p, now) =>
    decideOnObject(
      now.definition,
      { kind: "CustomResourceDefinition", name: p.definition },
      `whether the cluster has ${p.definition}`,
      () => ({}),
    ),
  )
  .steps(() => [])
  .outputs((_p, { definition }) => "found" in definition && definition.found);

import { z } from "zod";
import { isFurrowError } from "../../../core/errors.ts";
import { kubeName, type KubeObjectData, type KubeProblem } from "../../../facts/controller/kube-object.ts";
import { readList } from "../../kubernetes-list.ts";
import type { Cluster } from "../cluster.ts";
import { pathOf, type Resource, resourcesOf, versionsThatServe } from "../discovery.ts";

/** Why an object of this kind, or in this place, cannot have a number of replicas; undefined if it can. */
export function unscalable({ namespaced, subresources }: Resource, object: KubeObjectData): KubeProblem | undefined {
  const { kind, apiVersion, metadata } = object;
  if (namespaced && metadata.namespace === undefined) {
    const message = `a ${kind} is namespaced, but no namespace is given`;
    return { code: "namespace-missing", message, hint: "Set namespace" };
  }
  if (!namespaced && metadata.namespace !== undefined) {
    const message = `a ${kind} is cluster-scoped, but the namespace ${metadata.namespace} is given`;
    return { code: "namespace-given", message, hint: "Remove namespace" };
  }
  if ("scale" in subresources) return undefined;
  const has = Object.keys(subresources).toSorted();
  return {
    code: "no-scale",
    message: `${kubeName(object)} cannot be scaled: the kind ${kind} in ${apiVersion} has ${
      has.length === 0 ? "no subresource scale" : `the subresources ${has.join(", ")}, but not scale`
    }`,
    hint: "Name the object that controls this object's replicas, or set the number with kubeObject",
  };
}

/**
 * The refusal for a kind that the server does not serve in this version, with the versions in which it does serve the
 * kind.
 */
export async function whyNoKind(cluster: Cluster, object: KubeObjectData): Promise<KubeProblem> {
  const { apiVersion, kind } = object;
  const versions = await versionsThatServe(cluster, apiVersion, kind);
  const scalable = ((await resourcesOf(cluster, apiVersion)) ?? [])
    .filter(({ subresources }) => "scale" in subresources)
    .map((one) => one.kind);
  const instead = [
    ...(versions.length === 0 ? [] : [`it serves the kind in ${versions.join(", ")}`]),
    ...(scalable.length === 0 ? [] : [`in ${apiVersion}, it can scale ${scalable.join(", ")}`]),
  ];
  return {
    code: "no-kind",
    message: [
      `${kubeName(object)} cannot be scaled: the server does not serve the kind ${kind} in ${apiVersion}`,
      ...instead,
    ].join("; "),
    hint: "Correct apiVersion or kind, or define the kind with an earlier task",
  };
}

/** The maximum number of names in a message. */
const mostNames = 10;

const named = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });

/** The refusal for an object that does not exist, with the names of objects of that kind that do exist. */
export async function whyNoObject(cluster: Cluster, resource: Resource, object: KubeObjectData): Promise<KubeProblem> {
  const { kind, apiVersion, metadata } = object;
  const path = pathOf(apiVersion, resource, undefined, metadata.namespace);
  const answer = await readList(path, (page) => cluster.ask({ path: page }, `list the objects of kind ${kind}`))
    // The refusal is reported even without the names.
    .catch((error: unknown) => {
      if (isFurrowError(error)) return { items: [] };
      throw error;
    });
  const names = "error" in answer ? [] : answer.items.flatMap((one) => named.safeParse(one).data?.metadata.name ?? []);
  const place = metadata.namespace === undefined ? "the cluster" : `the namespace ${metadata.namespace}`;
  const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : "";
  const has = names.length === 0 ? "" : `; ${place} has ${names.toSorted().slice(0, mostNames).join(", ")}${more}`;
  return {
    code: "no-object",
    message: `${kubeName(object)} does not exist${has}`,
    hint: "Correct its name or namespace, or create it with an earlier task",
  };
}

import { z } from "zod";
import { misspelling } from "../../../core/closest.ts";
import { isFurrowError } from "../../../core/errors.ts";
import { isKubeOwn } from "../../../facts/controller/kube-kind.ts";
import type { KubeKind } from "../../../facts/controller/kube-object.ts";
import { parsed } from "../../kubernetes-exchange.ts";
import type { Cluster } from "../cluster.ts";
import { type Resource, resourcesOf } from "../discovery.ts";

const groups = z.looseObject({
  kind: z.literal("APIGroupList"),
  groups: z.array(z.looseObject({ preferredVersion: z.looseObject({ groupVersion: z.string().min(1) }) })),
});

/**
 * The kinds that the user may have meant, if the given kind is one of Kubernetes' own and the server does not serve it:
 * `ConfigMap in v1` for Configmap, `Deployment in apps/v1` for a Deployment in v1. Empty for a custom kind, or if the
 * server does not list its kinds.
 */
export async function nearKinds(cluster: Cluster, { apiVersion, kind }: KubeKind): Promise<readonly string[]> {
  if (!isKubeOwn({ apiVersion })) return [];
  try {
    const own = (await resourcesOf(cluster, apiVersion)) ?? [];
    const names = own.map((one) => one.kind);
    const near = sameName(own, kind) ?? misspelling(kind, names);
    if (near !== undefined) return [`${near} in ${apiVersion}`];
    const versions = (await ownVersions(cluster)).filter((version) => version !== apiVersion);
    const found = await Promise.all(
      versions.map(async (version) => {
        const same = sameName((await resourcesOf(cluster, version)) ?? [], kind);
        return same === undefined ? [] : [`${same} in ${version}`];
      }),
    );
    return found.flat();
  } catch (error) {
    // The answer is only a part of another error's hint.
    if (!isFurrowError(error)) throw error;
    return [];
  }
}

/** The kind with this name, in upper or lower case, or with this plural. */
function sameName(resources: readonly Resource[], kind: string): string | undefined {
  const name = kind.toLowerCase();
  return resources.find((one) => one.kind.toLowerCase() === name || one.plural === name)?.kind;
}

/** The server's preferred versions of Kubernetes' own groups. */
async function ownVersions(cluster: Cluster): Promise<readonly string[]> {
  const answer = await cluster.ask({ path: "/apis" }, "find the groups");
  const list = answer.status === 200 ? groups.safeParse(parsed(answer.body)).data : undefined;
  const versions = list?.groups.map(({ preferredVersion }) => preferredVersion.groupVersion) ?? [];
  return ["v1", ...versions.filter((apiVersion) => isKubeOwn({ apiVersion }))];
}

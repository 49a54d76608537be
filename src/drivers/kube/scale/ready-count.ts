import { z } from "zod";
import { isRecord } from "../../../core/facts/symbols.ts";
import type { KubeObjectData } from "../../../facts/controller/kube-object.ts";
import { parsed } from "../../kubernetes-exchange.ts";
import type { Cluster } from "../cluster.ts";

/** The API groups whose scalable kinds all count their ready replicas: Kubernetes, KubeVirt, Argo Rollouts. */
const countingGroups: ReadonlySet<string> = new Set(["", "apps", "kubevirt.io", "pool.kubevirt.io", "argoproj.io"]);

/** The kinds whose schema has been read, by cluster, version and kind. */
const known = new Map<string, boolean>();

/**
 * True if a kind counts its ready replicas in `status.readyReplicas`: an object without this number then has no ready
 * replicas. False if the kind does not, or if the server does not publish the kind's schema.
 */
export async function countsReady(cluster: Cluster, { apiVersion, kind }: KubeObjectData): Promise<boolean> {
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  if (countingGroups.has(group)) return true;
  const key = `${cluster.id} ${apiVersion} ${kind}`;
  const counts = known.get(key) ?? (await schemaCounts(cluster, apiVersion, kind));
  if (counts !== undefined) known.set(key, counts);
  return counts === true;
}

const schemas = z.looseObject({
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

const schema = z.looseObject({
  "x-kubernetes-group-version-kind": z.array(
    z.looseObject({ group: z.string(), version: z.string(), kind: z.string() }),
  ),
  properties: z.looseObject({
    status: z.looseObject({ properties: z.looseObject({ readyReplicas: z.unknown() }) }),
  }),
});

/**
 * Reads a kind's OpenAPI schema; undefined if it cannot be read now
 * (https://kubernetes.io/docs/concepts/overview/kubernetes-api/, "OpenAPI V3"). Every user who has logged in may read
 * it.
 */
async function schemaCounts(cluster: Cluster, apiVersion: string, kind: string): Promise<boolean | undefined> {
  const path = `/openapi/v3/apis/${apiVersion.split("/").map(encodeURIComponent).join("/")}`;
  const answer = await cluster.ask({ path }, `read the schema of ${kind}`);
  const found = answer.status === 200 ? schemas.safeParse(parsed(answer.body)).data : undefined;
  if (found === undefined) return answer.status === 404 ? false : undefined;
  return Object.values(found.components.schemas).some((one) => {
    const own = schema.safeParse(one).data;
    if (own === undefined || !isRecord(own.properties.status.properties.readyReplicas)) return false;
    return own["x-kubernetes-group-version-kind"].some(
      (is) => is.kind === kind && `${is.group}/${is.version}` === apiVersion,
    );
  });
}

import { z } from "zod";
import { type ApiAnswer, parsed } from "../kubernetes-exchange.ts";
import type { Cluster } from "./cluster.ts";
import { failureOf, KindGone, statusOf } from "./failures.ts";

const resourceList = z.looseObject({
  kind: z.literal("APIResourceList"),
  resources: z.array(
    z.looseObject({
      name: z.string().min(1),
      kind: z.string().min(1),
      namespaced: z.boolean(),
      verbs: z.array(z.string()).default([]),
      /** The group and version of a subresource's own kind, if they differ from those of the list. */
      group: z.string().optional(),
      version: z.string().optional(),
    }),
  ),
});

/** How the API names the objects of a kind. */
export interface Resource {
  /** `deployments`. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /**
   * The kind's subresources, such as `scale`, each with the apiVersion of the objects that it takes: `autoscaling/v1`.
   */
  readonly subresources: Readonly<Record<string, string>>;
}

/** The resources of each group and version that a server serves, by cluster and version, then by kind. */
const known = new Map<string, ReadonlyMap<string, Resource>>();

/** Requests in progress: many objects of one group share one request. */
const open = new Map<string, Promise<ReadonlyMap<string, Resource> | undefined>>();

/**
 * Finds out how the API names a kind; undefined if the API does not serve the kind in this version. Each group is
 * queried only once until {@link forgetKinds} is called. A missing kind is queried again, because it may have been
 * added.
 */
export async function findResource(cluster: Cluster, apiVersion: string, kind: string): Promise<Resource | undefined> {
  const key = `${cluster.id} ${apiVersion}`;
  const found = known.get(key)?.get(kind);
  if (found !== undefined) return found;
  const asked = open.get(key) ?? resourcesOf(cluster, apiVersion).then((all) => all && byKind(all));
  open.set(key, asked);
  try {
    const resources = await asked;
    if (resources === undefined) return undefined;
    if (open.get(key) === asked) known.set(key, resources);
    return resources.get(kind);
  } finally {
    if (open.get(key) === asked) open.delete(key);
  }
}

/** Resources by their kind: the first of each, as the server lists them. */
function byKind(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  return new Map(resources.toReversed().map((one) => [one.kind, one]));
}

/** Forgets which kinds a cluster serves, in one version or in all, because they have changed. */
export function forgetKinds(cluster: Cluster, apiVersion?: string): void {
  const isMeant = (key: string): boolean =>
    apiVersion === undefined ? key.startsWith(`${cluster.id} `) : key === `${cluster.id} ${apiVersion}`;
  for (const map of [known, open]) {
    for (const key of map.keys()) if (isMeant(key)) map.delete(key);
  }
}

/**
 * Calls `read` with the API's names for a kind, and returns its result. Undefined if the API does not serve the kind in
 * this version, or stops serving it while `read` asks for an object.
 */
export async function whileServed<T>(
  cluster: Cluster,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  read: (resource: Resource) => Promise<T>,
): Promise<T | undefined> {
  const resource = await findResource(cluster, apiVersion, kind);
  if (resource === undefined) return undefined;
  try {
    return await read(resource);
  } catch (error) {
    if (error instanceof KindGone) return undefined;
    throw error;
  }
}

/** The resources of a group and version, with their subresources; undefined if the API does not serve the version. */
export async function resourcesOf(cluster: Cluster, apiVersion: string): Promise<readonly Resource[] | undefined> {
  const doing = `find the kinds of ${apiVersion}`;
  const answer = await cluster.ask({ path: rootOf(apiVersion) }, doing);
  if (isUnserved(answer)) {
    await requireApi(cluster);
    return undefined;
  }
  const list = answer.status === 200 ? resourceList.safeParse(parsed(answer.body)).data : undefined;
  if (list === undefined) throw failureOf(doing, cluster.server, answer);
  const below = new Map<string, [string, string][]>();
  for (const { name, group, version } of list.resources) {
    const [plural = "", part] = name.split("/");
    const own = version === undefined ? apiVersion : group ? `${group}/${version}` : version;
    if (part !== undefined) below.set(plural, [...(below.get(plural) ?? []), [part, own]]);
  }
  return list.resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced, verbs }) => {
      return { plural: name, kind, namespaced, verbs, subresources: Object.fromEntries(below.get(name) ?? []) };
    });
}

const apiGroup = z.looseObject({
  kind: z.literal("APIGroup"),
  versions: z.array(z.looseObject({ groupVersion: z.string().min(1) })),
});

/** The versions of a kind's group in which a server serves the kind. */
export async function versionsThatServe(cluster: Cluster, apiVersion: string, kind: string): Promise<string[]> {
  const [group] = apiVersion.split("/");
  if (group === undefined || !apiVersion.includes("/")) return [];
  const doing = `find the versions of ${group}`;
  const answer = await cluster.ask({ path: `/apis/${encodeURIComponent(group)}` }, doing);
  if (isUnserved(answer)) return [];
  const list = answer.status === 200 ? apiGroup.safeParse(parsed(answer.body)).data : undefined;
  if (list === undefined) throw failureOf(doing, cluster.server, answer);
  const serve: string[] = [];
  for (const { groupVersion } of list.versions) {
    const resources = await resourcesOf(cluster, groupVersion);
    if (resources?.some((one) => one.kind === kind) === true) serve.push(groupVersion);
  }
  return serve;
}

/**
 * True if the API does not serve a group or version. For an unknown group it responds in plain text, as any web server
 * does; for an unknown version of a known group, with a Status that names no object.
 */
export function isUnserved(answer: ApiAnswer): boolean {
  if (answer.status !== 404) return false;
  const status = statusOf(answer);
  if (status === undefined) return /^404 page not found\s*$/.test(answer.body);
  return status.reason === "NotFound" && status.details.name === "" && status.details.kind === "";
}

const versions = z.looseObject({ kind: z.literal("APIVersions"), versions: z.array(z.string()) });

/** Throws FurrowError E_DRIVER unless this is a Kubernetes API: any other web server would seem to serve no kinds. */
async function requireApi(cluster: Cluster): Promise<void> {
  const answer = await cluster.ask({ path: "/api" }, "find the API");
  if (answer.status !== 200 || !versions.safeParse(parsed(answer.body)).success) {
    throw failureOf("find a Kubernetes API", cluster.server, answer);
  }
}

/** The path of a group and version, such as `/apis/apps/v1`. */
function rootOf(apiVersion: string): string {
  const parts = apiVersion.split("/").map(encodeURIComponent);
  return parts.length === 1 ? `/api/${parts[0]}` : `/apis/${parts.join("/")}`;
}

/** The path of an object; without a name, the path of the list. */
export function pathOf(
  apiVersion: string,
  { plural, namespaced }: Resource,
  name?: string,
  namespace?: string,
): string {
  const place = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${rootOf(apiVersion)}${place}/${plural}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

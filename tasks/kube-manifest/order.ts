import { isKubeOwn, type KubeObjectData } from "../../src/facts/catalogue.ts";

/**
 * The place of an object in the order in which a manifest is applied. Namespaces and kinds come first, because other
 * objects need them. Objects that need the manifest's own programs come last: webhooks and API services, then the
 * custom objects of the manifest's own API groups.
 */
export function applyRank(object: KubeObjectData, ownGroups: ReadonlySet<string>): number {
  if (isSpace(object)) return 0;
  if (object.kind === "CustomResourceDefinition") return 1;
  if (isServing(object)) return 3;
  return !isKubeOwn(object) && ownGroups.has(groupOf(object.apiVersion)) ? 4 : 2;
}

/**
 * The place of an object in the order in which a manifest is deleted, from the last to the first. Custom objects go
 * first, because only a running controller removes their finalizers. They are followed by the objects that make the API
 * call the manifest's programs.
 */
export function deleteRank(object: KubeObjectData): number {
  return isKubeOwn(object) ? applyRank(object, new Set()) : 4;
}

/** The API groups for which the manifest contains a kind, a webhook or an API service. */
export function ownGroupsOf(objects: readonly KubeObjectData[]): ReadonlySet<string> {
  return new Set(objects.flatMap(groupsServedBy));
}

/** True for a namespace. */
export function isSpace({ apiVersion, kind }: KubeObjectData): boolean {
  return apiVersion === "v1" && kind === "Namespace";
}

const servingKinds: ReadonlySet<string> = new Set([
  "APIService",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
]);

/** True for an object that makes the API call a program in the cluster. */
function isServing(object: KubeObjectData): boolean {
  return isKubeOwn(object) && servingKinds.has(object.kind);
}

function groupsServedBy(object: KubeObjectData): readonly string[] {
  const { spec, webhooks } = object as { readonly spec?: Loose; readonly webhooks?: unknown };
  if (object.kind === "CustomResourceDefinition" || object.kind === "APIService") return texts([spec?.["group"]]);
  if (!isServing(object)) return [];
  return listIn(webhooks)
    .flatMap((webhook) => listIn(webhook["rules"]))
    .flatMap((rule) => texts(rule["apiGroups"]));
}

type Loose = Readonly<Record<string, unknown>>;

function listIn(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? (value as readonly unknown[]).map((one) => Object(one) as Loose) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter((one) => typeof one === "string") : [];
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

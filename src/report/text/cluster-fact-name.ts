import { isRecord } from "../../core/facts/symbols.ts";

/**
 * Returns a readable form of the id of a fact about a cluster: `kubernetes:ConfigMap shop/web`, `kubernetes:nodes a`,
 * `argo:cluster harvester`; undefined for any other fact.
 */
export function clusterFactName(id: string): string | undefined {
  const [, driver, text = ""] = /^(kubernetes|argo):(\{.*\})$/s.exec(id) ?? [];
  if (driver === undefined) return undefined;
  const request = parsed(text);
  if (request === undefined) return undefined;
  const name = driver === "argo" ? argoName(request) : (objectName(request) ?? pathName(request));
  return name === undefined ? undefined : `${driver}:${name}`;
}

type Request = Readonly<Record<string, unknown>>;

function parsed(text: string): Request | undefined {
  try {
    const request: unknown = JSON.parse(text);
    return isRecord(request) ? request : undefined;
  } catch {
    return undefined;
  }
}

function argoName({ name }: Request): string | undefined {
  return typeof name === "string" ? `cluster ${name}` : undefined;
}

/** `ConfigMap shop/web`, `Namespace shop`, `kind Tent`. */
function objectName(request: Request): string | undefined {
  const asked = ["of", "has", "see"].find((key) => key in request);
  if (asked === undefined) return undefined;
  const { kind, namespace, name } = request[asked] as Readonly<Partial<Record<"kind" | "namespace" | "name", string>>>;
  if (name === undefined) return kind === undefined ? `Namespace ${namespace ?? ""}` : `kind ${kind}`;
  return `${(kind ?? "").replace(/\..*$/, "")} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** The object at a path, with the resource as the path names it: `nodes harvester-1`, `virtualmachines default/gpu`. */
function pathName({ path, tried }: Request): string | undefined {
  if (typeof tried === "string") return `a dry run of the change to ${tried}`;
  if (typeof path !== "string") return undefined;
  const [, namespace, resource, name] =
    /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
  if (resource === undefined) return undefined;
  const place = [namespace, name].filter((part) => part !== undefined).join("/");
  return place === "" ? resource : `${resource} ${place}`;
}

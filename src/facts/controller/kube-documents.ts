import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import { isRecord } from "../../core/facts/symbols.ts";
import { isSecret, secretOf } from "../../core/secrets/secret.ts";
import { neverQuoted } from "../../core/secrets/secret-schema.ts";
import type { KubeProblem } from "./kube-object.ts";

/**
 * The location of a manifest: a file or directory on the controller, a string that may contain secrets, or a web
 * server.
 */
export type KubeManifestSource =
  | { readonly path: string; readonly recursive: boolean }
  | { readonly text: string }
  | {
      readonly url: string;
      /** SHA-256 of the content, in hex. */
      readonly sha256: string;
    };

/** An object in a manifest, as it is written there. The values of a Secret are secrets. */
export interface KubeDocument {
  readonly object: Readonly<Record<string, unknown>>;
  /** Where the object begins: `shop.yaml, line 12 (document 2)`. */
  readonly place: string;
}

/** The objects of a manifest in the order of the documents, or why the manifest cannot be used. */
export type KubeDocuments =
  | { readonly documents: readonly KubeDocument[] }
  | {
      /** `no-manifest`, `not-yaml`, `no-object`, … */
      readonly problem: KubeProblem;
    };

/** Asks for the objects in a manifest. A relative path is resolved against furrow's working directory. */
export function kubeDocuments(source: KubeManifestSource): ControllerFact<KubeDocuments> {
  return { driver: "manifest", request: { ...source } satisfies Json };
}

/** Marks a schema for parts of an object that may be the values of a Secret, so that no error quotes these parts. */
export const kubePart = neverQuoted;

/** One secret per value, because objects are read again for every host. */
const hiding = new Map<string, string>();

function hide(value: unknown): unknown {
  if (typeof value !== "string" || value === "" || isSecret(value)) return value;
  const known = hiding.get(value) ?? String(secretOf(value, "var"));
  hiding.set(value, known);
  return known;
}

/** The annotation in which `kubectl apply` stores everything that it sent, including the values of a Secret. */
export const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Returns the same object; if it is a Secret, its values become secrets, so no output shows them, however they were
 * given.
 */
export function hideKubeSecret<T extends Readonly<Record<string, unknown>>>(object: T): T {
  if (object["kind"] !== "Secret") return object;
  const hidden = ["data", "stringData"].flatMap((part) => {
    const values = object[part];
    return isRecord(values)
      ? [[part, Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hide(value)]))] as const]
      : [];
  });
  return { ...object, ...withoutCopy(object["metadata"]), ...Object.fromEntries(hidden) };
}

/** The metadata, in which any copy of the whole Secret is marked as a secret. */
function withoutCopy(metadata: unknown): object {
  const annotations = isRecord(metadata) ? metadata["annotations"] : undefined;
  if (!isRecord(metadata) || !isRecord(annotations) || !Object.hasOwn(annotations, lastApplied)) return {};
  return { metadata: { ...metadata, annotations: { ...annotations, [lastApplied]: hide(annotations[lastApplied]) } } };
}

/**
 * What is wrong with the data of a Secret: the field, and what it must be; undefined if nothing is. The server's own
 * message would quote the value.
 */
export function kubeSecretProblem(
  object: Readonly<Record<string, unknown>>,
): { readonly path: string[]; readonly expected: string } | undefined {
  const { apiVersion, kind, data } = object;
  if (kind !== "Secret" || apiVersion !== "v1" || data === undefined || data === null) return undefined;
  if (!isRecord(data)) return { path: ["data"], expected: `a map of base64 strings, not ${typeNameOf(data)}` };
  // The server stores null as an empty value.
  const wrong = Object.entries(data).find(([, value]) => value !== null && typeof value !== "string");
  if (wrong === undefined) return undefined;
  return { path: ["data", wrong[0]], expected: `a base64 string in quotes, not ${typeNameOf(wrong[1])}` };
}

function typeNameOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return isRecord(value) ? "a map" : `a ${typeof value}`;
}

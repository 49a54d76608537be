import { isRecord } from "../../core/facts/symbols.ts";
import { isSecret } from "../../core/secrets/secret.ts";
import { hideKubeSecret, type KubeDocument } from "../../facts/controller/kube-documents.ts";
import { ManifestProblem } from "./problem.ts";
import { type Placed, yamlValues } from "./yaml-text.ts";

/** The objects in the text of a manifest, with lists expanded. Throws ManifestProblem. */
export function documentsIn(text: string, name: string): KubeDocument[] {
  return yamlValues(text, name).flatMap((placed) => objectsIn(placed));
}

function objectsIn({ value, place, itemPlace }: Placed): KubeDocument[] {
  if (!isRecord(value)) throw notObject(value, place);
  const { apiVersion, kind, metadata, items } = value;
  if (typeof apiVersion !== "string" || apiVersion === "") throw lacking("apiVersion", place);
  if (typeof kind !== "string" || kind === "") throw lacking("kind", place);
  if (kind.endsWith("List") && Array.isArray(items)) {
    return items.flatMap((item: unknown, index) => {
      const own = `${itemPlace(index)}, item ${index + 1} of a list`;
      return objectsIn({ value: item, place: own, itemPlace: () => own });
    });
  }
  const { name, generateName } = isRecord(metadata) ? metadata : {};
  if (generateName !== undefined) {
    throw new ManifestProblem(
      "no-object",
      `${place}: the ${kind} has generateName, so every run would create a new object`,
      "Give it a name: metadata.name",
    );
  }
  if (typeof name !== "string" || name === "") throw lacking("metadata.name", place);
  return [{ object: hideKubeSecret(holdsNoTime(value) ? withoutNoTimes(value) : value), place }];
}

/** True if an object has metadata with `creationTimestamp: null`. Most objects do not, and need no copy. */
function holdsNoTime(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsNoTime);
  if (!isRecord(value)) return false;
  const { metadata } = value;
  return (isRecord(metadata) && metadata["creationTimestamp"] === null) || Object.values(value).some(holdsNoTime);
}

/** Programs that write manifests add `creationTimestamp: null` to all metadata; it has no meaning. */
function withoutNoTimes<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNoTimes(item)) as T;
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => {
    const isNone = key === "metadata" && isRecord(part) && part["creationTimestamp"] === null;
    const own = isNone ? Object.entries(part).filter(([name]) => name !== "creationTimestamp") : undefined;
    return [key, withoutNoTimes(own === undefined ? part : Object.fromEntries(own))] as const;
  });
  return Object.fromEntries(entries) as T;
}

function lacking(field: string, place: string): ManifestProblem {
  const message = `${place}: the document has no ${field}, or it is not a string`;
  return new ManifestProblem("no-object", message, `Give the object its ${field}, or remove the document`);
}

function notObject(value: unknown, place: string): ManifestProblem {
  return isSecret(value)
    ? new ManifestProblem(
        "no-object",
        `${place}: the whole document is a secret`,
        "Write the manifest as plain text, with secrets only in its values",
      )
    : new ManifestProblem(
        "no-object",
        `${place}: the document is not a Kubernetes object`,
        "Correct the manifest: a document is a mapping with apiVersion, kind and metadata",
      );
}

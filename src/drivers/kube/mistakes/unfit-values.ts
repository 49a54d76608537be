import { isRecord } from "../../../core/facts/symbols.ts";
import { holdsSecret, reveal } from "../../../core/secrets/secret.ts";
import { isSecretName } from "../../../core/secrets/secret-schema.ts";
import type { KubeObjectData, KubeProblem } from "../../../facts/controller/kube-object.ts";
import { mayHoldSecret } from "../../../core/secrets/may-hold-secret.ts";

/**
 * Returns the problem with a message that also names the fields whose values are wrong. The server's message about a
 * wrong quantity, or about data that is not base64, does not name the field.
 */
export function withUnfitValues(object: KubeObjectData, problem: KubeProblem): KubeProblem {
  if (problem.code !== "invalid-object") return problem;
  const [, before = "", said = ""] = /^(.*? is not valid: )([^]*)$/.exec(problem.message) ?? [];
  const unfit = aboutQuantity.test(said) ? wrongQuantities(object) : aboutBase64.test(said) ? notBase64(object) : "";
  return unfit === "" ? problem : { ...problem, message: `${before}${unfit}: ${said}` };
}

const aboutQuantity = /quantities must match the regular expression|unable to parse quantity/;
const aboutBase64 = /illegal base64 data/;

/** A string in an object, and the names and indexes that lead to it. */
interface Leaf {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

function leavesOf(value: unknown, path: readonly (string | number)[] = []): readonly Leaf[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => leavesOf(item, [...path, index]));
  return isRecord(value) ? Object.entries(value).flatMap(([key, part]) => leavesOf(part, [...path, key])) : [];
}

/** Fields that map resources to quantities. */
const quantityMaps: ReadonlySet<string | number | undefined> = new Set([
  "capacity",
  "default",
  "defaultRequest",
  "hard",
  "limits",
  "max",
  "maxLimitRequestRatio",
  "min",
  "podFixed",
  "requests",
]);

const quantity = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

function wrongQuantities(object: KubeObjectData): string {
  const wrong = leavesOf(object).filter(
    ({ path, text }) => (quantityMaps.has(path.at(-2)) || path.at(-1) === "sizeLimit") && !quantity.test(reveal(text)),
  );
  return wrong
    .map(({ path, text }) => {
      const mayBeSecret =
        object.kind === "Secret" ||
        holdsSecret(text) ||
        mayHoldSecret(text) ||
        path.some((key) => isSecretName(String(key)));
      return `${nameOf(path)} is ${mayBeSecret ? "" : `${shown(text)}, which is `}not a quantity such as 4Gi or 500m`;
    })
    .join("; ");
}

/** The maximum number of characters of a value in a message. */
const mostCharacters = 80;

function shown(text: string): string {
  return JSON.stringify(text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text);
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function notBase64(object: KubeObjectData): string {
  const wrong = leavesOf(object).filter(
    ({ path, text }) => isBase64Field(object, path) && !base64.test(reveal(text).replaceAll(/[\r\n]/g, "")),
  );
  const names = wrong.map(({ path }) => nameOf(path));
  return names.length === 0 ? "" : `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} not base64`;
}

function isBase64Field({ kind }: KubeObjectData, path: Leaf["path"]): boolean {
  const [first] = path;
  if (path.length === 2 && kind === "Secret" && first === "data") return true;
  return (path.length === 2 && kind === "ConfigMap" && first === "binaryData") || path.at(-1) === "caBundle";
}

/** `spec.containers[0].image`; a name with dots is in brackets. */
function nameOf(path: Leaf["path"]): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (!/^[\w-]+$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}

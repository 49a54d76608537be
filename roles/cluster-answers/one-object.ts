import {
  type ControllerFact,
  type KubeconfigOf,
  kubernetes,
  type KubernetesAnswer,
  type KubernetesError,
  type Refusal,
  refuse,
  z,
} from "../../src/authoring.ts";
import { errorText, fieldText, hintFor } from "./answers.ts";

/** The object that is requested from a cluster. */
export interface ObjectName {
  readonly kind: string;
  readonly name: string;
}

/** Requests one object from a cluster. `sealed` are secret fields: the answer contains keyed hashes in their place. */
export function askObject(
  kubeconfig: KubeconfigOf,
  path: string,
  sealed: readonly string[] = [],
): ControllerFact<KubernetesAnswer> {
  return kubernetes(kubeconfig, path, sealed);
}

/** Returns the path of a Harvester setting in the API. */
export function settingPath(name: string): string {
  return `/apis/harvesterhci.io/v1beta1/settings/${name}`;
}

/**
 * Returns the object that a cluster answered with, or undefined if the cluster does not have it. If the answer is
 * unusable, or is about something else, returns the reason.
 */
export function lookAtObject(
  answer: KubernetesAnswer,
  { kind, name }: ObjectName,
): { readonly seen: Readonly<Record<string, unknown>> | undefined } | { readonly unseen: KubernetesError } {
  const object = `${kind} ${name}`;
  if ("error" in answer) {
    const { error } = answer;
    return { unseen: { code: error.code, message: `${object} cannot be read (${errorText(error)})` } };
  }
  if (!answer.found) return { seen: undefined };
  const schema = z.looseObject({ kind: z.literal(kind), metadata: z.looseObject({ name: z.literal(name) }) });
  const read = schema.safeParse(answer.object);
  return read.success
    ? { seen: read.data }
    : { unseen: { code: "incomplete-object", message: fieldText(object, read.error) } };
}

/**
 * Makes a decision from a cluster's answer about one object: `decide` gets the object, or undefined if the cluster does
 * not have it. Refuses if the answer is unusable, or is about something else.
 *
 * @param question what is unknown without the object: `whether harvester-2 is in the cluster`
 */
export function decideOnObject<W>(
  answer: KubernetesAnswer,
  object: ObjectName,
  question: string,
  decide: (object: Readonly<Record<string, unknown>> | undefined) => W | Refusal,
): W | Refusal {
  const look = lookAtObject(answer, object);
  if ("seen" in look) return decide(look.seen);
  const { code, message } = look.unseen;
  return refuse({
    code: "cluster-not-seen",
    message: `cannot tell ${question}: ${message}`,
    hint: hintFor(code),
  });
}

const versioned = z.looseObject({
  object: z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string() }) }),
});

/**
 * The version of the object in an answer. The server refuses a patch that contains this version if the object has
 * changed since.
 */
export function versionOf(answer: KubernetesAnswer): string {
  return versioned.safeParse(answer).data?.object.metadata.resourceVersion ?? "";
}

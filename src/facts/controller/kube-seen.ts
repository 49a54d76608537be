import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import { reveal, seal } from "../../core/secrets/secret.ts";
import { fieldMayHoldSecret } from "../../core/secrets/may-hold-secret.ts";
import { type Absent, isRecord } from "../../core/facts/symbols.ts";
import { lastApplied } from "./kube-documents.ts";
import type { KubeCluster, KubeLack } from "./kube-object.ts";

/** The object that a wait observes, and the field whose value it compares. */
export interface KubeSeenQuestion extends KubeCluster {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  /** `status.phase`, `status.conditions[0].reason`, `metadata.annotations[example.com/done]`. */
  readonly field?: string | undefined;
}

/** A condition that an object reports about itself. */
export interface KubeCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** True if the condition describes the object before its last change. */
  readonly isOutdated: boolean;
}

/** The parts of an object's state that a wait needs. */
export type KubeSeen =
  | {
      readonly exists: false;
      readonly lacks?: KubeLack;
      /**
       * If the server does not serve the kind in this version: the versions in which it does. The object may exist
       * in one of them.
       */
      readonly servedIn?: readonly string[];
      /**
       * If the kind is missing and belongs to Kubernetes itself: what the user may have meant, such as `ConfigMap in
       * v1`.
       */
      readonly near?: readonly string[];
      /** Set if the kind is namespaced, but the question contains no namespace. */
      readonly needs?: "namespace";
    }
  | {
      readonly exists: true;
      readonly conditions: Readonly<Record<string, KubeCondition>>;
      /** The value of the requested field; its keyed hash if {@link hidesFieldValue}. */
      readonly value: Json | Absent;
      readonly phase: string | Absent;
      /**
       * True if the status describes the object before its last change. If the requested field is in a condition, the
       * condition counts instead of the status.
       */
      readonly isOutdated: boolean;
      /** The finalizers that the object is waiting for, if it is being deleted. */
      readonly deleting: readonly string[] | Absent;
      /** The object's resourceVersion, from which its changes can be observed. */
      readonly version: string;
      /** The latest warning about the object, or why warnings cannot be read. */
      readonly warning: string | Absent;
    };

/** The keys of a field's name: `a.b[0].c[d.e/f]` gives a, b, 0, c and d.e/f. */
export function keysOfField(field: string): string[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inBrackets, plain]) => inBrackets ?? plain ?? "");
}

/**
 * True if no report may show the value of a field: the field is in a Secret, has a name such as `password`, or has a
 * value with a part that may be a password. A single word in a status, such as `WaitingForToken`, is a state and
 * contains no password.
 */
export function hidesFieldValue(kind: string, field: string, value: unknown): boolean {
  if (kind === "Secret" && holdsValues(field)) return true;
  const isState = keysOfField(field)[0] === "status" && typeof value === "string" && /^[A-Za-z]*$/.test(value);
  return fieldMayHoldSecret(field, isState ? "" : value);
}

/** True for a field of a Secret that is, or contains, the Secret's values or their copy in an annotation. */
function holdsValues(field: string): boolean {
  const [first, second, third] = keysOfField(field);
  if (first !== "metadata") return first === "data" || first === "stringData";
  return second === undefined || (second === "annotations" && (third === undefined || third === lastApplied));
}

/** The keyed hash that represents a secret value of a field; the value may contain secrets itself. */
export function sealedFieldValue(value: Json): string {
  return seal(Buffer.from(JSON.stringify(revealed(value))));
}

function revealed(value: Json): Json {
  if (typeof value === "string") return reveal(value);
  if (Array.isArray(value)) return value.map(revealed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revealed(part)]));
}

/** True for the value of a field that the driver has replaced with its keyed hash. */
export function isSealedField(value: Json): value is string {
  return typeof value === "string" && value.startsWith("sealed:");
}

/** Asks a cluster for the state of an object. */
export function kubeSeen({ kubeconfig, context, field, ...question }: KubeSeenQuestion): ControllerFact<KubeSeen> {
  const { apiVersion, kind, name, namespace } = question;
  return {
    driver: "kubernetes",
    request: {
      see: {
        kubeconfig,
        ...(context !== undefined && { context }),
        ...(namespace !== undefined && { namespace }),
        apiVersion,
        kind,
        name,
        ...(field !== undefined && { field }),
      },
    },
  };
}

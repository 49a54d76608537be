import type { AnyRef } from "../core/authoring/ref.ts";
import type { Secret } from "../core/secrets/secret.ts";

/** A text field of an object: plain, secret, or a Ref to an earlier task's output. */
export type Text = string | Secret | AnyRef<string>;

/** An object's name, and the other metadata that an author sets (apimachinery, meta/v1 ObjectMeta). */
export interface Metadata {
  readonly name: string;
  /** Required for namespaced kinds. */
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, Text>>;
  readonly annotations?: Readonly<Record<string, Text>>;
  readonly finalizers?: readonly string[];
}

/**
 * An object's type from a package, such as `IDeployment` from kubernetes-models. The object's text fields may also be
 * secret or come from an earlier task: `{ … } satisfies Given<IDeployment>`.
 */
export type Given<T> = T extends string
  ? string extends T
    ? Text
    : T
  : T extends readonly (infer Item)[]
    ? readonly Given<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Given<T[K]> }
      : T;

import { absent, type Absent, type Refusal } from "../../src/authoring.ts";
import { type KubeKind, kubeKindsOf, type KubeObjectState, type KubeThere } from "../../src/facts/catalogue.ts";
import { isToChange, lackingRefusal } from "../kube-object/decision.ts";
import { type Listed, versioned } from "./objects.ts";
import type { Params } from "./params.ts";

/** What objects depend on: namespaces and kinds. */
interface Surroundings {
  readonly namespaces: readonly string[];
  readonly kinds: readonly KubeKind[];
}

/** The namespaces and kinds that the cluster gains or, with state absent, loses through the objects that change. */
export function makes(p: Params, listed: readonly Listed[], objects: readonly KubeObjectState[]): Surroundings {
  return madeBy(listed.filter((_, index) => isToChange(p, objects[index] as KubeObjectState)));
}

function madeBy(listed: readonly Listed[]): Surroundings {
  return {
    namespaces: listed.flatMap(({ object: { apiVersion, kind, metadata } }) =>
      apiVersion === "v1" && kind === "Namespace" ? [metadata.name] : [],
    ),
    kinds: listed.flatMap(({ object }) => kubeKindsOf(object)),
  };
}

/**
 * The namespaces and kinds that the objects need, but that the cluster does not have and the manifest does not create.
 * An earlier task may create them.
 */
export function lackingIn(listed: readonly Listed[], objects: readonly KubeObjectState[]): Surroundings {
  const made = madeBy(listed);
  const kinds = new Map(
    listed
      .filter((_, index) => objects[index]?.lacks === "kind")
      .map(({ object: { apiVersion, kind } }) => [versioned({ apiVersion, kind }), { apiVersion, kind }]),
  );
  for (const kind of made.kinds) kinds.delete(versioned(kind));
  // The server says only that it does not know the kind, so the namespace is looked up too.
  const namespaces = new Set(
    listed
      .filter((_, index) => objects[index]?.lacks !== undefined)
      .flatMap(({ object }) => object.metadata.namespace ?? []),
  );
  for (const name of made.namespaces) namespaces.delete(name);
  return { namespaces: [...namespaces], kinds: [...kinds.values()] };
}

type There = readonly (KubeThere | Absent)[];

/**
 * Refuses objects whose namespace or kind does not exist and is not created by anything. `namespaces` and `kinds` are
 * the cluster's answers about the namespaces and kinds that {@link lackingIn} returns, in the same order.
 */
export function lackingRefusals(
  listed: readonly Listed[],
  objects: readonly KubeObjectState[],
  namespaces: There = [],
  kinds: There = [],
): readonly (Refusal | undefined)[] {
  const lacking = lackingIn(listed, objects);
  const noSpaces = new Set(lacking.namespaces.filter((_, index) => namespaces[index] === absent));
  const noKinds = new Set(lacking.kinds.filter((_, index) => kinds[index] === absent).map(versioned));
  return listed.map(({ object }, index) => {
    if (objects[index]?.lacks === undefined) return undefined;
    if (noKinds.has(versioned(object))) return lackingRefusal(object, "kind", hint, objects[index]?.near);
    return noSpaces.has(object.metadata.namespace ?? "") ? lackingRefusal(object, "namespace", hint) : undefined;
  });
}

const hint = "Add it to the manifest, create it with an earlier task, or correct the object";

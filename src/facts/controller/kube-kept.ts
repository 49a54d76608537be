import type { Kept } from "../../core/authoring/task-definition.ts";
import { clusterOf, type KubeCluster, kubeIdentity, kubeName, type KubeObjectData } from "./kube-object.ts";

/** The id of an object in `keeps`, in `changesOnly`, and in a wait's `about`. */
export function kubeThing(cluster: KubeCluster, object: KubeObjectData): string {
  return JSON.stringify([clusterOf(cluster), kubeIdentity(object)]);
}

/** An object that a task manages. */
export interface KubeKeeping extends KubeCluster {
  readonly object: KubeObjectData;
  readonly state: "present" | "absent";
  readonly fieldManager: string;
  /** Where the object is written: `shop.yaml, line 12 (document 2)`. */
  readonly place?: string | undefined;
}

/**
 * The parts of an object that a task manages: whether it exists, and all fields that the task's field manager owns. The
 * server removes the manager's other fields, so two tasks that apply the same object differently under the same field
 * manager undo each other's changes.
 */
export function kubeKept({ object, state, fieldManager, place, ...cluster }: KubeKeeping): readonly Kept[] {
  const id = kubeThing(cluster, object);
  const name = kubeName(object);
  const where = place === undefined ? {} : { place };
  const existence = { id, name, as: state, ...where };
  if (state === "absent") return [existence];
  // Omits the name and the namespace: the id contains both, and a manifest can give the namespace in two ways.
  const own = Object.entries(object.metadata).filter(([field]) => field !== "name" && field !== "namespace");
  return [
    existence,
    {
      id: `${id} ${fieldManager}`,
      name: `the fields of ${name} under the field manager ${fieldManager}`,
      as: { ...object, metadata: Object.fromEntries(own) },
      ...where,
    },
  ];
}

import { match, refuse, type Refusal } from "../../src/authoring.ts";
import {
  isKubeOwn,
  kubeKindHint,
  kubeName,
  kubeNotEmpty,
  type KubeObjectData,
  type KubeObjectState,
} from "../../src/facts/catalogue.ts";

/** The state that a task wants for one object. */
export interface ObjectWish {
  readonly object: KubeObjectData;
  readonly state: "present" | "absent";
  readonly deleteContents: boolean;
}

/** True if the object's own state shows that the task will change the object. */
export function isToChange(
  { state }: Pick<ObjectWish, "state">,
  { exists, fields, order, after }: KubeObjectState,
): boolean {
  if (exists !== (state === "present")) return true;
  return exists && match({ fields, order }, { fields: after.fields, order: after.order }) !== "same";
}

/**
 * The state that the object must have. A part that the server did not preview must be as the task sends it, not as the
 * server would write it.
 */
export function wantOf({ state }: Pick<ObjectWish, "state">, now: KubeObjectState) {
  if (state === "absent") return { exists: false };
  const { after, lacks, unasked, denied, definition } = now;
  const isPreviewed = [lacks, unasked, denied, definition].every((one) => one === undefined);
  return isPreviewed ? after : { exists: true, sent: after.fields };
}

/** Refuses a change that the server refuses, and a deletion that would delete more than the object. */
export function refusalOf(wish: ObjectWish, now: KubeObjectState): Refusal | undefined {
  return wish.state === "present" ? refuseApply(wish, now) : refuseDeletion(wish, now);
}

function refuseApply({ object }: ObjectWish, { deleting, problem }: KubeObjectState): Refusal | undefined {
  if (deleting !== undefined) {
    return refuse({
      code: "being-deleted",
      message: `${kubeName(object)} is being deleted${deleting.length === 0 ? "" : `, and waits for ${deleting.join(", ")}`}`,
      hint: "Rerun once it is deleted: anything applied to it now would be lost",
    });
  }
  return problem && refuse(problem);
}

function refuseDeletion(
  { object, deleteContents }: ObjectWish,
  { problem, contents }: KubeObjectState,
): Refusal | undefined {
  if (problem !== undefined) return refuse(problem);
  if (contents === undefined || deleteContents) return undefined;
  return refuse(kubeNotEmpty(object, contents));
}

/**
 * Refuses an object whose namespace or kind the cluster does not have; `near` lists kinds that may have been meant
 * instead.
 */
export function lackingRefusal(
  object: KubeObjectData,
  lack: "namespace" | "kind",
  hint: string,
  near?: readonly string[],
): Refusal {
  const what =
    lack === "kind"
      ? `the kind ${object.kind} in ${object.apiVersion}`
      : `the namespace ${object.metadata.namespace ?? ""}`;
  return refuse({
    code: `no-${lack}`,
    message: `${kubeName(object)} cannot be applied: the cluster does not have ${what}`,
    // Nothing can add one of Kubernetes' own kinds.
    hint: lack === "kind" && isKubeOwn(object) ? kubeKindHint(near) : hint,
  });
}

/** Notes about an object that is applied or deleted. */
export function notesOf(
  { object, state }: ObjectWish,
  { unasked, contents, deleting, leftOut, fallbacks = {}, reordered = [] }: KubeObjectState,
): string[] {
  return [
    ...Object.entries(fallbacks).map(
      ([field, value]) => `${field} of ${kubeName(object)} falls back to ${valueText(value)}: it is no longer sent`,
    ),
    ...reordered.map(
      (list) =>
        `the items of ${list} of ${kubeName(object)} keep their order, which differs from the order that furrow sends`,
    ),
    ...(leftOut === undefined
      ? []
      : [`the ${leftOut} of ${kubeName(object)} is left out: only its controller sets it`]),
    ...(unasked === undefined ? [] : [`not checked in advance: apply ${kubeName(object)} (${unasked})`]),
    ...(state === "present" || contents === undefined ? [] : [`also deletes: ${contents}`]),
    ...(state === "present" || deleting === undefined
      ? []
      : [
          `${kubeName(object)} is being deleted already${deleting.length === 0 ? "" : `, and waits for ${deleting.join(", ")}`}`,
        ]),
  ];
}

/** The maximum number of characters of a value in a note. */
const mostCharacters = 80;

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

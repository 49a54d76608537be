import { setTimeout as pause } from "node:timers/promises";
import { FurrowError } from "../../core/errors.ts";
import { sameData } from "../../core/facts/compare.ts";
import { holdsSecret } from "../../core/secrets/secret.ts";
import { isKubeOwn } from "../../facts/controller/kube-kind.ts";
import {
  type KubeBasis,
  type KubeObjectState,
  kubeName,
  kubeNothing,
  type KubeProblem,
} from "../../facts/controller/kube-object.ts";
import { type ApiAnswer, messageOf, parsed } from "../kubernetes-exchange.ts";
import type { Cluster } from "./cluster.ts";
import { basisOf, deleted, type Precondition, stillDecided } from "./conflict/basis.ts";
import { refuseJoined, refuseOverwritten } from "./conflict/previous.ts";
import { conflictingValues } from "./conflict/conflicting.ts";
import { findResource, pathOf, type Resource, whileServed } from "./discovery.ts";
import { failureOf, isNotFound, isUnasked, problemOf } from "./failures.ts";
import { isExactly, plainFields } from "./field-set.ts";
import { readLive } from "./live-read.ts";
import { nearKinds } from "./mistakes/near-kinds.ts";
import { withUnfitValues } from "./mistakes/unfit-values.ts";
import { entryOf, holdersOf, liveObject, type LiveObject, ownable } from "./live-object.ts";
import { placeProblem } from "./place-problem.ts";
import { notYetOf, unreachableOf } from "./early/not-yet.ts";
import { checkElsewhere } from "./early/stand-in-place.ts";
import { plainView, revealed, type Sent, viewOfCorrect, viewsOf } from "./view.ts";

/** An object to apply. */
export interface Applied extends Sent {
  readonly force?: boolean | undefined;
}

/** An object to apply, and the basis of the decision: the object's state, or "absent" if it did not exist. */
export interface Decided extends Applied {
  readonly basis?: KubeBasis | "absent" | undefined;
  /** True if the server refused this change when it was asked earlier, before other objects changed. */
  readonly wasRefused?: boolean | undefined;
  /** How long to wait for a webhook of the cluster that cannot be called yet; default: not at all. */
  readonly deadlineSeconds?: number | undefined;
}

/**
 * Reads an object, and predicts its state after applying the given one. If the manager owns exactly the fields that are
 * sent, with the same values, one request is enough; otherwise the server predicts the state in a dry run.
 */
export async function readApplied(cluster: Cluster, given: Applied): Promise<KubeObjectState> {
  const state = await whileServed(cluster, given.object, async (resource): Promise<KubeObjectState> => {
    const applied = withoutStatus(resource, given);
    const served = await readServed(cluster, resource, applied);
    return applied === given ? served : { ...served, leftOut: "status" };
  });
  if (state !== undefined) return state;
  const near = await nearKinds(cluster, given.object);
  return {
    ...kubeNothing,
    after: plainView(given),
    sent: {},
    lacks: "kind",
    ...(near.length > 0 && { near }),
  };
}

/**
 * The part of an object that the server accepts. If a kind has a `status` subresource, the server ignores the status
 * of an applied object. Before Kubernetes 1.22, the server would report a conflict, because the controller owns the
 * status.
 */
function withoutStatus({ subresources }: Resource, applied: Applied): Applied {
  if (!("status" in subresources) || !("status" in applied.object)) return applied;
  const { status: _, ...object } = applied.object;
  return { ...applied, object };
}

async function readServed(cluster: Cluster, resource: Resource, applied: Applied): Promise<KubeObjectState> {
  const { object } = applied;
  const name = kubeName(object);
  const misplaced = placeProblem(resource, applied);
  if (misplaced !== undefined) return { ...kubeNothing, after: plainView(applied), problem: misplaced };
  const live = await readLive(cluster, resource, applied);
  let found: Pick<KubeObjectState, "uid" | "basis"> = live === undefined ? {} : { uid: live.metadata.uid };
  if (live?.metadata.deletionTimestamp !== undefined) {
    const now = { exists: true, fields: {}, owner: {} };
    return { ...now, ...found, deleting: holdersOf(live), after: plainView(applied) };
  }
  if (live !== undefined && isConverged(live, applied)) {
    const { now, sent } = viewOfCorrect(applied, live);
    return { ...now, ...found, after: now, sent };
  }
  if (live !== undefined) found = { ...found, basis: basisOf(cluster, live, applied) };
  const answer = await send(cluster, resource, applied, "dryRun=All", `ask what applying ${name} would change`);
  const predicted =
    answer.status === 200 || answer.status === 201 ? liveObject.safeParse(parsed(answer.body)).data : undefined;
  if (predicted !== undefined) {
    assertOwned(cluster, predicted, applied);
    const { now, ...views } = viewsOf(applied, live, predicted);
    return { ...now, ...found, ...views, ...(sameData(now, views.after) && { sent: plainView(applied).fields }) };
  }
  const now = live === undefined ? kubeNothing : { exists: true, fields: {}, owner: {} };
  const after = plainView(applied);
  const unsent = { ...now, ...found, after, sent: {} };
  const { namespace } = object.metadata;
  if (namespace !== undefined && isNotFound(answer, namespace)) {
    const checked = await checkElsewhere(cluster, resource, applied);
    return { ...unsent, lacks: "namespace", ...checked, ...definitionOf(resource, object, checked.problem) };
  }
  if (isUnasked(answer)) return { ...unsent, unasked: messageOf(answer.body) };
  const denied = notYetOf(answer, object);
  if (denied !== undefined) return { ...unsent, denied };
  const problem = problemOf(answer, name, (field) => conflictingValues(object, live, field));
  if (problem === undefined) throw failureOf(`ask what applying ${name} would change`, cluster.server, answer);
  return { ...unsent, problem: withUnfitValues(object, problem), ...definitionOf(resource, object, problem) };
}

/** The CustomResourceDefinition whose schema a custom object does not match. */
function definitionOf(
  { plural }: Resource,
  { apiVersion }: Applied["object"],
  problem: KubeProblem | undefined,
): Pick<KubeObjectState, "definition"> {
  if (problem?.code !== "invalid-object" || isKubeOwn({ apiVersion })) return {};
  return { definition: `${plural}.${apiVersion.split("/")[0] ?? ""}` };
}

/** The maximum number of times that an object is applied again because others changed it at the same time. */
const mostConflicts = 20;
/**
 * After this number of conflicts, the object is applied regardless of its version, and checked afterwards. Otherwise, a
 * controller that changes the object many times a second would always be faster.
 */
const mostVersions = 6;

/**
 * Applies an object. Throws FurrowError E_DRIVER with the server's message, E_REFUSED if the decision no longer applies
 * to the object, and E_WAIT if a webhook still cannot be called at the deadline.
 */
export async function apply(
  cluster: Cluster,
  given: Decided,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const doing = `apply ${kubeName(given.object)}`;
  const { apiVersion, kind } = given.object;
  const resource = await findResource(cluster, apiVersion, kind);
  if (resource === undefined) throw failureOf(doing, cluster.server, unserved(apiVersion, kind));
  const applied = withoutStatus(resource, given);
  const { basis } = given;
  let precondition: Precondition | undefined = typeof basis === "object" ? basis : undefined;
  for (let conflicts = 0; ; conflicts += 1) {
    const isOverdue = conflicts >= mostVersions;
    const request = () => send(cluster, resource, applied, "", doing, precondition, isOverdue);
    const answer = await onceAccepted(request, given, signal, say);
    if (answer.status === 201) {
      // Older servers ignore the uid of an object that does not exist.
      if (precondition !== undefined) throw deleted(applied, "it is created again, with this run's fields only");
      return;
    }
    if (answer.status === 200) {
      if (basis === "absent") await refuseJoined(cluster, resource, applied, answer);
      else if (basis !== undefined && isOverdue) await refuseOverwritten(cluster, resource, applied, answer, basis);
      return;
    }
    const code = answer.status === 409 ? problemOf(answer, "")?.code : undefined;
    if (code === "field-conflict") throw await lateConflict(cluster, resource, applied, answer);
    const mayHaveChanged = code === "refused-by-server";
    if (typeof basis !== "object" || !(mayHaveChanged || answer.status === 404) || conflicts >= mostConflicts) {
      throw failureOf(doing, cluster.server, answer);
    }
    const live = await readLive(cluster, resource, applied);
    if (live !== undefined && live.metadata.deletionTimestamp === undefined && isConverged(live, applied)) return;
    precondition = stillDecided(cluster, applied, live, basis);
    await pause(20 + Math.random() * 60, undefined, { signal });
  }
}

/** How long the server may take to notice the objects that were applied before this one. */
const noticeMs = 5000;

/**
 * Returns the first final answer. Sends the request again while a webhook cannot be called, because its program may be
 * starting. If the server refused the object when it was asked earlier, before other objects changed, also sends the
 * request again for a few seconds.
 */
async function onceAccepted(
  request: () => Promise<ApiAnswer>,
  { object, deadlineSeconds = 0, wasRefused = false }: Decided,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<ApiAnswer> {
  const begin = Date.now();
  let said = "";
  for (;;) {
    const answer = await request();
    const unreachable = unreachableOf(answer, object);
    const waitMs = unreachable === undefined ? (wasRefused ? noticeMs : 0) : deadlineSeconds * 1000;
    const why = unreachable ?? notYetOf(answer, object) ?? (wasRefused ? outdatedOf(answer, object) : undefined);
    if (why === undefined) return answer;
    if (Date.now() - begin >= waitMs) {
      if (unreachable === undefined || waitMs === 0) return answer;
      const { message, hint } = unreachable;
      const what = `${kubeName(object)} could not be applied within ${deadlineSeconds} s`;
      throw new FurrowError("E_WAIT", { what, current: message, hint });
    }
    if (why.message !== said) say?.(why.message);
    said = why.message;
    await pause(500, undefined, { signal });
  }
}

/** Why the object does not match the schema of its kind; the server may not use the new schema yet. */
function outdatedOf(answer: ApiAnswer, object: Applied["object"]): KubeProblem | undefined {
  const problem = problemOf(answer, kubeName(object));
  return problem?.code === "invalid-object" ? problem : undefined;
}

/** The error for fields that another manager has acquired since the decision. */
async function lateConflict(
  cluster: Cluster,
  resource: Resource,
  applied: Applied,
  answer: ApiAnswer,
): Promise<FurrowError> {
  const { object } = applied;
  const live = await readLive(cluster, resource, applied);
  const problem = problemOf(answer, kubeName(object), (field) => conflictingValues(object, live, field));
  return new FurrowError("E_REFUSED", {
    what: problem?.message ?? `cannot apply ${kubeName(object)}`,
    current: "nothing is applied: the object has changed since it was read",
    hint: problem?.hint ?? "Rerun to compare the object with this run's values",
  });
}

/**
 * Throws FurrowError E_DRIVER if a response does not show which fields the manager owns, because nothing can be
 * compared without them.
 */
function assertOwned(cluster: Cluster, live: LiveObject, { object, fieldManager }: Sent): void {
  // A server stores no entry for a manager that sends only empty fields, such as `creationTimestamp: null`.
  const isEmpty = (value: unknown): boolean => Object.keys(Object(value) as object).length === 0;
  const sendsFields = plainFields(ownable(object)).some(({ value }) => typeof value !== "object" || !isEmpty(value));
  if (entryOf(live, fieldManager) !== undefined || !sendsFields) return;
  throw failureOf(`ask what applying ${kubeName(object)} would change`, cluster.server, {
    code: "no-owner",
    message: `the response does not list the fields that ${fieldManager} would own (metadata.managedFields)`,
  });
}

/** The error for a kind that the server does not serve. */
function unserved(apiVersion: string, kind: string): { readonly code: string; readonly message: string } {
  return { code: "no-kind", message: `the server does not serve the kind ${kind} in ${apiVersion}` };
}

/** True if applying the object again is certain to change nothing. */
export function isConverged(live: LiveObject, { object, fieldManager }: Sent): boolean {
  const own = entryOf(live, fieldManager);
  const sent = ownable(object);
  // The server stores no entry for a manager that owns nothing.
  if (own === undefined) return Object.keys(sent).length === 0;
  return (
    own.apiVersion === object.apiVersion && isExactly(own.fieldsV1, holdsSecret(sent) ? revealed(sent) : sent, live)
  );
}

/** Sends an apply patch. The patch's content type is YAML, of which JSON is a subset. */
function send(
  cluster: Cluster,
  resource: Resource,
  { object, fieldManager, force }: Applied,
  query: string,
  doing: string,
  precondition?: Precondition,
  anyVersion = false,
): Promise<ApiAnswer> {
  const { name, namespace } = object.metadata;
  const only = precondition && {
    uid: precondition.uid,
    ...(!anyVersion && { resourceVersion: precondition.version }),
  };
  const body = { ...object, metadata: { ...object.metadata, ...only } };
  const options = [
    `fieldManager=${encodeURIComponent(fieldManager)}`,
    "fieldValidation=Strict",
    ...(force === true ? ["force=true"] : []),
    ...(query === "" ? [] : [query]),
  ];
  return cluster.ask(
    {
      method: "PATCH",
      path: `${pathOf(object.apiVersion, resource, name, namespace)}?${options.join("&")}`,
      contentType: "application/apply-patch+yaml",
      body: revealed(body),
    },
    doing,
  );
}

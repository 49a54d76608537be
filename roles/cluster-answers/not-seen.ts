import { type KubernetesError, type Refusal, refuse } from "../../src/authoring.ts";
import {
  type Answers,
  clusterLists,
  errorText,
  hintFor,
  type ListName,
  lookAt,
  type Seen,
  type Unseen,
} from "./answers.ts";

/** A report's knowledge of a cluster: the lists that it could read, and why it could not read the others. */
export interface Partly<N extends ListName> {
  readonly seen: Partial<Seen<N>>;
  readonly unseen: readonly Unseen[];
}

/**
 * Reads each list separately, for a report that shows whatever it could read. A guard needs all lists, and uses
 * `decideOn`.
 */
export function lookAtEach<N extends ListName>(answers: Answers<N>, names: readonly N[]): Partly<N> {
  const looks = names.map((name) => lookAt(answers, name));
  return {
    seen: Object.assign({}, ...looks.map((look) => ("seen" in look ? look.seen : {}))) as Partial<Seen<N>>,
    unseen: looks.flatMap((look) => ("unseen" in look ? look.unseen : [])),
  };
}

/**
 * The `want` function of a report's task. Without a kubeconfig, a report would be empty, and its exit code would be
 * that of a healthy cluster, so a missing kubeconfig is refused. The report itself says which lists the cluster does
 * not return.
 */
export function needsKubeconfig(answers: object): Readonly<Record<string, never>> | Refusal {
  const errors = Object.values(answers).flatMap((answer: Partial<Record<"error", KubernetesError>> | null) =>
    typeof answer === "object" ? (answer?.error ?? []) : [],
  );
  const missing = errors.find(({ code }) => code === "no-kubeconfig");
  if (missing === undefined) return {};
  return refuse({ code: missing.code, message: missing.message, hint: hintFor(missing.code) });
}

/** Something that a report could not read. */
export interface NotSeen extends KubernetesError {
  readonly what: string;
  /** The name of the list; undefined if this is not a list. */
  readonly list?: ListName;
}

/** The lists that a report could not read, with their names. */
export function unseenLists(unseen: readonly Unseen[]): NotSeen[] {
  return unseen.map(({ list, code, message }) => ({ what: clusterLists[list].what, list, code, message }));
}

/** Causes that several lists may share, so that one sentence explains them all. */
const shared: Readonly<Record<string, string>> = {
  "HTTP 401": "the cluster does not know this user",
  "HTTP 403": "this user is not allowed to read them",
  "HTTP 404": "the cluster does not have this kind of object",
};

/**
 * Says what a report could not read and why, so that nobody assumes that these parts are healthy: `unknown: the pods,
 * because …`. Items with the same cause share a sentence.
 */
export function notSeenTexts(unseen: readonly NotSeen[]): string[] {
  const causes = Map.groupBy(unseen, (one) => (one.code in shared ? one.code : errorText(one)));
  return [...causes].map(([code, all]) => {
    const names = all.map(({ what }) => what);
    const last = names.pop() ?? "";
    const cause = shared[code];
    const [first] = all;
    const because = cause === undefined ? code : `${cause} (${first === undefined ? code : errorText(first)})`;
    return `unknown: ${names.length > 0 ? `${names.join(", ")} and ` : ""}${last}, because ${because}`;
  });
}

import {
  type ControllerFact,
  type KubeconfigOf,
  type KubernetesError,
  kubernetesList,
  type KubernetesListAnswer,
  type Refusal,
  refuse,
  type z,
} from "../../src/authoring.ts";
import { missingKubeconfigHint, otherKubeconfigHint } from "../../src/facts/catalogue.ts";
import { clusterLists, type ListName } from "./cluster-lists.ts";
import { doubled } from "./contradictions.ts";

export { clusterLists, type ListName } from "./cluster-lists.ts";

/** Complete lists, with every object checked: the only form in which a guard gets a cluster's state. */
export type Seen<N extends ListName> = {
  readonly [K in N]: readonly z.output<(typeof clusterLists)[K]["schema"]>[];
};

/** The cluster's answers to the requests of `askCluster`. */
export type Answers<N extends ListName> = Readonly<Record<N, KubernetesListAnswer>>;

/** A list that could not be read, and why. */
export interface Unseen extends KubernetesError {
  readonly list: ListName;
}

/** Requests complete lists from a cluster. */
export function askCluster<const N extends ListName>(
  kubeconfig: KubeconfigOf,
  ...names: readonly N[]
): Readonly<Record<N, ControllerFact<KubernetesListAnswer>>> {
  const facts = names.map((name) => [name, kubernetesList(kubeconfig, clusterLists[name].path)] as const);
  return Object.fromEntries(facts) as Record<N, ControllerFact<KubernetesListAnswer>>;
}

/**
 * Returns the lists if all of them are complete and every object in them has the required fields; otherwise, the lists
 * that could not be read.
 */
export function lookAt<N extends ListName>(
  answers: Answers<N>,
  ...names: readonly N[]
): { readonly seen: Seen<N> } | { readonly unseen: readonly Unseen[] } {
  const read = names.map((list) => ({ list, result: readAnswer(list, answers[list]) }));
  const unseen = read.flatMap(({ list, result }) => ("error" in result ? [{ list, ...result.error }] : []));
  if (unseen.length > 0) return { unseen };
  return {
    seen: Object.fromEntries(read.map(({ list, result }) => [list, "objects" in result && result.objects])) as never,
  };
}

/**
 * Makes a decision from a cluster's answers. Unless all lists are complete, refuses and names everything that could not
 * be read.
 *
 * @param question what is unknown without the lists: `whether anything runs on the cluster`
 */
export function decideOn<N extends ListName, W>(
  answers: Answers<N>,
  names: readonly N[],
  question: string,
  decide: (seen: Seen<N>) => W | Refusal,
): W | Refusal {
  const look = lookAt(answers, ...names);
  return "seen" in look ? decide(look.seen) : notSeen(question, look.unseen);
}

/** Refuses because lists could not be read. */
export function notSeen(question: string, unseen: readonly Unseen[], more = ""): Refusal {
  return refuse({
    code: "cluster-not-seen",
    message: `cannot tell ${question}: ${unseenTexts(unseen).join("; ")}`,
    hint: `${hintFor(unseen[0]?.code ?? "", unseen[0]?.list)}${more}`,
  });
}

/** Says which lists could not be read, and why; lists that could not be read for the same reason share a sentence. */
export function unseenTexts(unseen: readonly Unseen[]): string[] {
  const causes = Map.groupBy(unseen, errorText);
  return [...causes].map(([cause, lists]) => {
    const names = lists.map(({ list }) => clusterLists[list].what);
    const last = names.pop() ?? "";
    return `${names.length > 0 ? `${names.join(", ")} and ` : ""}${last} cannot be read (${cause})`;
  });
}

/** An error as text: an HTTP status together with the API's own message. */
export function errorText({ code, message }: KubernetesError): string {
  return code.startsWith("HTTP ") ? `${code}: ${message}` : message;
}

/** Returns what to do about an error. @param list the list whose request failed, if it is known */
export function hintFor(code: string, list?: ListName): string {
  if (code === "HTTP 404" && list !== undefined) return noKindHint(clusterLists[list]);
  if (code === "no-kubeconfig") return missingKubeconfigHint;
  if (code === "other-kubeconfig") return otherKubeconfigHint;
  if (code === "HTTP 401" || code === "HTTP 403") return "Use the kubeconfig of an administrator of this cluster";
  if (code === "CERT_NOT_YET_VALID" || code === "CERT_HAS_EXPIRED")
    return "Compare the clock of this machine with those of the nodes (date -u); if they agree, restart rke2-server on the nodes, because it renews an expired certificate when it starts";
  return "Check the cluster and the route to it from this machine; for a cluster that furrow deployed, run the harvester-status or the parvester-status playbook";
}

/** The hint for a missing kind: the cluster was reachable, so the hint does not mention the network. */
function noKindHint({ path, kind }: { readonly path: string; readonly kind: string }): string {
  const [, group = "", version = ""] = /^\/apis\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
  const what = group === "longhorn.io" ? "Longhorn" : group === "" ? "Kubernetes" : group;
  return `Check the cluster's version: ${what} is not installed, or is a version without the kind ${kind}${group === "" ? "" : ` in ${group}/${version}`}`;
}

type Objects<N extends ListName> = Seen<N>[N];

function readAnswer<N extends ListName>(
  list: N,
  answer: KubernetesListAnswer,
): { readonly objects: Objects<N> } | { readonly error: KubernetesError } {
  if ("error" in answer) return answer;
  const { kind, schema } = clusterLists[list];
  if (answer.kind !== `${kind}List`)
    return { error: { code: "wrong-kind", message: `the answer is a ${answer.kind}, not a ${kind}List` } };
  const read = answer.items.map((item) => ({ item, result: schema.safeParse(item) as z.ZodSafeParseResult<unknown> }));
  const wrong = read.flatMap(({ item, result }, index) =>
    result.success ? [] : [fieldText(`${kind} ${nameOf(item) ?? `number ${index + 1}`}`, result.error)],
  );
  if (wrong.length > 0) return { error: { code: "incomplete-object", message: wrong.join(", ") } };
  const twice = doubled(answer.items.map(nameOf));
  if (twice !== undefined)
    return { error: { code: "doubled-object", message: `the list contains ${kind} ${twice} twice` } };
  return { objects: read.map(({ result }) => result.data) as never };
}

/** Says which field of an object is missing or wrong. */
export function fieldText(object: string, { issues: [first] }: z.ZodError): string {
  const { path = [], message = "" } = first ?? {};
  if (path.length === 0) return `${object} is not an object`;
  const field = path.join(".");
  return message.endsWith("received undefined")
    ? `${object} has no ${field}`
    : `${object} has a wrong ${field}: ${message}`;
}

function nameOf(item: unknown): string | undefined {
  const { metadata } = (item ?? {}) as {
    readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
  };
  if (typeof metadata?.name !== "string") return undefined;
  return typeof metadata.namespace === "string" ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}

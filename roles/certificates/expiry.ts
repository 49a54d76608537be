import type { KubernetesAnswer } from "../../src/authoring.ts";
import { servedCertificate, type ServedCertificate } from "../../src/facts/catalogue.ts";
import { authorityIn } from "../argo-cluster/server-trusted.ts";
import { type Answers, lookAt } from "../cluster-answers/answers.ts";
import { lookAtObject } from "../cluster-answers/one-object.ts";
import { versionSetting } from "../identity/answers.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import { nodeServers } from "./node-reports.ts";

/** The first release in which each node's annotations record when its certificates expire. */
const firstReporting = [1, 9] as const;

/**
 * True unless the release is known not to report when certificates expire. A version in an unknown form counts as one
 * that reports this, so all its nodes must have been checked.
 */
export function reportsExpiry(version: string): boolean {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) ?? [];
  if (major === undefined) return true;
  const [first, second] = firstReporting;
  return Number(major) > first || (Number(major) === first && Number(minor) >= second);
}

/** The nodes and the version in a cluster's answers; no nodes and an empty version if either answer cannot be read. */
export function nodesAndVersion(answers: Answers<"nodes"> & { readonly running: KubernetesAnswer }): {
  readonly nodes: readonly NodeObject[];
  readonly version: string;
} {
  const [list, setting] = [lookAt(answers, "nodes"), lookAtObject(answers.running, versionSetting)];
  if ("unseen" in list || "unseen" in setting) return { nodes: [], version: "" };
  return { nodes: list.seen.nodes, version: String(setting.seen?.["value"]) };
}

/**
 * The reasons why the expiry of these nodes' certificates is unknown; empty if it is known, or if Harvester never
 * reports it.
 */
export function unknownExpiry(nodes: readonly NodeObject[], version: string): string[] {
  const unread = nodes.filter(({ certificates }) => certificates === "unreadable");
  const unchecked = reportsExpiry(version) ? nodes.filter(({ certificates }) => certificates === undefined) : [];
  return [
    ...(unread.length > 0 ? [`Harvester's report on the certificates of ${namesOf(unread)} cannot be read`] : []),
    ...(unchecked.length > 0 ? [`Harvester has not checked the certificates of ${namesOf(unchecked)} yet`] : []),
  ];
}

/**
 * The servers to query if a release does not report when certificates expire: the certificates that they present show
 * it.
 */
function serversToAsk(nodes: readonly NodeObject[], version: string) {
  if (reportsExpiry(version)) return [];
  return nodeServers(nodes.filter(({ certificates }) => certificates === undefined));
}

/** The questions to these servers. */
export function askServers(nodes: readonly NodeObject[], version: string, authority: KubernetesAnswer) {
  const ca = authorityIn(authority);
  return serversToAsk(nodes, version).map(({ host, port }) =>
    servedCertificate({ host, port, ...(ca !== undefined && { ca }) }),
  );
}

/**
 * What the servers' certificates show: the nodes with an expired certificate, and why other certificates are unknown.
 */
export function servedExpiry(
  nodes: readonly NodeObject[],
  version: string,
  served: readonly ServedCertificate[],
  now: string,
): { readonly ended: readonly string[]; readonly unknown: readonly string[] } {
  const servers = serversToAsk(nodes, version);
  const asked = servers.map((server, at) => ({ ...server, answer: served[at] }));
  const ended = asked.filter(({ answer }) => isEnded(answer, now)).map(({ node }) => node);
  const unknown = asked
    .filter(({ answer }) => !isEnded(answer, now))
    .flatMap(({ node, what, host, port, answer }) => {
      const why = problemOf(answer);
      return why === undefined
        ? []
        : [`the certificate of the ${what} of ${node} at ${host}:${port} is unknown (${why})`];
    });
  const silent = nodes.filter(
    (one) =>
      !reportsExpiry(version) && one.certificates === undefined && !servers.some(({ node }) => node === one.name),
  );
  return { ended: [...new Set(ended)], unknown: [...unknown, ...silent.map(({ name }) => `${name} has no address`)] };
}

function isEnded(answer: ServedCertificate | undefined, now: string): boolean {
  return answer !== undefined && "certificate" in answer && answer.certificate.notAfter <= now;
}

/** The certificate of another machine at the node's address says nothing about the node. */
function problemOf(answer: ServedCertificate | undefined): string | undefined {
  if (answer === undefined) return "it was not queried";
  return "error" in answer ? answer.error.message : answer.untrusted;
}

function namesOf(nodes: readonly { readonly name: string }[]): string {
  return nodes.map(({ name }) => name).join(", ");
}

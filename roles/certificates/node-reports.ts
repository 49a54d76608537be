import { operator, task, z } from "../../src/authoring.ts";
import { servedCertificate, type ServedCertificate } from "../../src/facts/catalogue.ts";
import { authorityIn, authorityPath } from "../argo-cluster/server-trusted.ts";
import { askCluster, lookAt, unseenTexts } from "../cluster-answers/answers.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { endText } from "./certificates.ts";
import { needsKubeconfig } from "../cluster-answers/not-seen.ts";

const lists = ["nodes"] as const;

/** A server on a node that presents an RKE2 certificate. */
export interface NodeServer {
  readonly node: string;
  readonly what: "API server" | "kubelet";
  readonly host: string;
  readonly port: number;
}

/** The servers on nodes that present an RKE2 certificate. Every node has a kubelet. */
export function nodeServers(nodes: readonly NodeObject[]): NodeServer[] {
  return nodes.flatMap(({ name: node, roles, addresses: [host] }) => {
    if (host === undefined) return [];
    const hasApi = roles.includes("control-plane");
    return [
      ...(hasApi ? [{ node, what: "API server" as const, host, port: 6443 }] : []),
      { node, what: "kubelet" as const, host, port: 10_250 },
    ];
  });
}

/** Reports when RKE2's certificates expire on each node, both according to Harvester and as presented by the node. */
export const nodeCertificatesReport = task({
  name: "nodeCertificatesReport",
  summary: "Report when the certificates of each node expire",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    soonDays: z.int().describe("A certificate is reported this many days before it expires"),
  }),
  examples: [],
  title: () => "when the certificates of RKE2 expire on each node",
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...lists),
    authority: askObject(p.kubeconfig, authorityPath),
    operator: operator(),
  }))
  .facts((_p, { nodes, authority }) => {
    const look = lookAt({ nodes }, ...lists);
    const ca = authorityIn(authority);
    const trusting = ca === undefined ? {} : { ca };
    return {
      served:
        "seen" in look
          ? nodeServers(look.seen.nodes).map(({ host, port }) => servedCertificate({ host, port, ...trusting }))
          : [],
    };
  })
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes(({ soonDays }, { nodes, authority, operator: { since }, served }) => {
    const look = lookAt({ nodes }, ...lists);
    if ("unseen" in look) return unseenTexts(look.unseen);
    const servers = nodeServers(look.seen.nodes);
    const hasCa = authorityIn(authority) !== undefined;
    const reports = look.seen.nodes.map((node) => {
      const own = servers.flatMap((one, index) => (one.node === node.name ? [{ one, answer: served[index] }] : []));
      const said = own.map(({ one, answer }) => shownText(one, answer, (end) => endText(end, since, soonDays), hasCa));
      return `${node.name}: ${[harvesterText(node, since, soonDays), ...said].filter(Boolean).join("; ") || "no address to query"}`;
    });
    return hasCa ? reports : [...reports, noAuthority];
  });

function harvesterText({ certificates }: NodeObject, now: string, soonDays: number): string {
  if (certificates === undefined) return "";
  if (certificates === "unreadable") return "Harvester's report on its certificates cannot be read";
  return `the first certificate ${endText(certificates.ends, now, soonDays)} (Harvester checked at ${certificates.seen})`;
}

const noAuthority =
  "unknown: whether these servers are the nodes, because the cluster's CA (kube-root-ca.crt in kube-system) cannot be read";

/**
 * Describes the certificate that a server presents. RKE2 signs the certificates of API servers and kubelets with the
 * cluster's CA, so a certificate from another CA may not be the node's.
 */
function shownText(
  { what, host, port }: NodeServer,
  answer: ServedCertificate | undefined,
  ends: (end: string) => string,
  hasCa: boolean,
): string {
  if (answer === undefined) return `its ${what} was not queried`;
  if ("error" in answer) return `its ${what} at ${host}:${port} cannot be queried (${answer.error.message})`;
  const { certificate, untrusted } = answer;
  // If the certificate has expired, the client may not have checked which CA signed it.
  if (hasCa && untrusted === "CERT_HAS_EXPIRED")
    return `its ${what} at ${host}:${port} has a certificate of ${certificate.subject} that ${ends(certificate.notAfter)}, so it is unknown whether it is the node's`;
  if (hasCa && untrusted !== undefined)
    return (
      `its ${what} is unknown, because the certificate at ${host}:${port} may not be the node's; it is for ` +
      `${certificate.subject} (${untrusted}) and ${ends(certificate.notAfter)}; RKE2 signs it with the cluster's CA`
    );
  return `its ${what} has a certificate that ${ends(certificate.notAfter)}`;
}

import { operator, task, z } from "../../src/authoring.ts";
import { servedCertificate, type ServedCertificate } from "../../src/facts/catalogue.ts";
import { askCluster, lookAt, unseenTexts } from "../cluster-answers/answers.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
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
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...lists), operator: operator() }))
  .facts((_p, { nodes }) => {
    const look = lookAt({ nodes }, ...lists);
    return {
      served: "seen" in look ? nodeServers(look.seen.nodes).map((one) => servedCertificate(one)) : [],
    };
  })
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes(({ soonDays }, { nodes, operator: { since }, served }) => {
    const look = lookAt({ nodes }, ...lists);
    if ("unseen" in look) return unseenTexts(look.unseen);
    const servers = nodeServers(look.seen.nodes);
    return look.seen.nodes.map((node) => {
      const own = servers.flatMap((one, index) => (one.node === node.name ? [{ one, answer: served[index] }] : []));
      const said = own.map(({ one, answer }) => `its ${one.what} ${shownText(one, answer, since, soonDays)}`);
      return `${node.name}: ${[harvesterText(node, since, soonDays), ...said].filter(Boolean).join("; ") || "no address to query"}`;
    });
  });

function harvesterText({ certificates }: NodeObject, now: string, soonDays: number): string {
  if (certificates === undefined) return "";
  if (certificates === "unreadable") return "Harvester's report on its certificates cannot be read";
  return `the first certificate ${endText(certificates.ends, now, soonDays)} (Harvester checked at ${certificates.seen})`;
}

function shownText(
  { host, port }: NodeServer,
  answer: ServedCertificate | undefined,
  now: string,
  soonDays: number,
): string {
  if (answer === undefined) return "was not queried";
  if ("error" in answer) return `at ${host}:${port} cannot be queried (${answer.error.message})`;
  return `has a certificate that ${endText(answer.certificate.notAfter, now, soonDays)}`;
}

import { refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, type Seen } from "../cluster-answers/answers.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { decideOnVip, vipPath } from "../cluster-answers/vip.ts";
import { builtInNoProxy, coversAddress, coversDomain } from "./coverage.ts";

const lists = ["nodes", "services"] as const;
const question = "which addresses of the cluster must be reached without the proxy";

/**
 * Refuses a noProxy that lacks the addresses of the nodes, the virtual address, the pods, the services, or the
 * cluster's domain: a cluster that reaches them through the proxy is broken (docs.harvesterhci.io, Settings,
 * http-proxy).
 */
export const proxyFits = task({
  name: "proxyFits",
  summary: "Refuse a proxy that the cluster would use for its own addresses",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    noProxy: z.array(z.string()).describe("Addresses that are reached without the proxy"),
    clusterDomain: z.string().describe("Domain of the cluster's services"),
  }),
  examples: [],
  title: () => "the cluster reaches its own addresses without the proxy",
})
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...lists), vip: askObject(p.kubeconfig, vipPath) }))
  .want((p, { vip, ...answers }) =>
    decideOn(answers, lists, question, (seen) =>
      decideOnVip(vip, question, (address) => decide(p.noProxy, p.clusterDomain, address, seen)),
    ),
  )
  .steps(() => []);

function decide(
  noProxy: readonly string[],
  clusterDomain: string,
  vip: string,
  { nodes, services }: Seen<(typeof lists)[number]>,
): Refusal | Record<string, never> {
  const silent = nodes.filter(({ addresses, podSubnets }) => addresses.length === 0 || podSubnets.length === 0);
  if (silent.length > 0)
    return refuse({
      code: "cluster-not-seen",
      message: `cannot tell ${question}: no InternalIP or no subnet for pods on ${silent.map(({ name }) => name).join(", ")}`,
      hint: "Wait until all nodes have joined, then rerun",
    });
  // Harvester's webhook requires the nodes in the list itself; Harvester's own additions do not count.
  const all = [...noProxy, ...builtInNoProxy];
  const uncovered = (entries: readonly string[], wanted: readonly string[]): string[] =>
    [...new Set(wanted)].filter((one) => !coversAddress(entries, one)).toSorted();
  const missing = [
    [
      "nodes",
      uncovered(
        noProxy,
        nodes.flatMap(({ addresses }) => addresses),
      ),
    ],
    ["virtual address", uncovered(all, [vip])],
    [
      "pods",
      uncovered(
        all,
        nodes.flatMap(({ podSubnets }) => podSubnets),
      ),
    ],
    [
      "services",
      uncovered(
        all,
        services.flatMap(({ addresses }) => addresses),
      ),
    ],
    ["domain", [clusterDomain, "svc"].filter((one) => !coversDomain(all, one)).map((one) => `.${one}`)],
  ] as const;
  const said = missing.flatMap(([what, own]) => (own.length === 0 ? [] : [`${what}: ${listed(own)}`]));
  if (said.length === 0) return {};
  return refuse({
    code: "no-proxy-too-small",
    message: `noProxy lacks addresses that the cluster itself uses: ${said.join("; ")}`,
    hint: "Add these addresses, or subnets that contain them, to noProxy",
  });
}

/** The maximum number of addresses that a message lists. */
const most = 5;

function listed(all: readonly string[]): string {
  return all.length <= most ? all.join(", ") : `${all.slice(0, most).join(", ")} and ${all.length - most} more`;
}

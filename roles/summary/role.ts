import { role, task, z } from "../../src/authoring.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { firstNode } from "../cluster-ready/role.ts";
import { consoleCommand, forwardCommand, type LoginHost, loginOf } from "../console/ssh-command.ts";
import { kubeconfigPath } from "../kubeconfig/role.ts";

/** Shows where a cluster can be reached. */
export const clusterAddresses = task({
  name: "clusterAddresses",
  summary: "Show a cluster's addresses, its kubeconfig and its consoles",
  params: z.strictObject({
    lines: z.array(z.string()).describe("What to show, one line for each address"),
  }),
  examples: [],
  title: () => "where the cluster can be reached",
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ lines }) => lines);

/** Shows, at the end of a deployment, where the cluster can be reached. Changes nothing. */
export const summary = role(
  {
    name: "summary",
    summary: "Show where the cluster can be reached: web UI, virtual address, Longhorn, kubeconfig, consoles",
    params: z.strictObject({ cluster: z.custom<Cluster>(), host: z.custom<LoginHost>(), publicAddress: z.string() }),
  },
  (params) => [clusterAddresses({ lines: summaryLines(params) })],
);

/** Returns one line for each way to reach the cluster. */
export function summaryLines(params: {
  readonly cluster: Cluster;
  readonly host: LoginHost;
  readonly publicAddress: string;
}): string[] {
  const { cluster, host, publicAddress } = params;
  const login = loginOf(host);
  const { exposure, network, kubeconfig } = cluster;
  const inUrl = publicAddress.includes(":") ? `[${publicAddress}]` : publicAddress;
  const isOpen = exposure !== false && exposure.ports.includes(443);
  const url = isOpen ? `https://${inUrl}` : "https://localhost:8443";
  return [
    `web UI: ${url}${isOpen ? "" : `, through ${forwardCommand(login, 8443, `${network.vip}:443`)}`}`,
    `Longhorn: ${url}/dashboard/c/local/longhorn`,
    `virtual address: ${network.vip}, reachable from the host`,
    ...(kubeconfig === false || cluster.ready === false ? [] : [`kubeconfig: ${kubeconfigPath(cluster)}`]),
    `console of a node: ${consoleCommand(login, firstNode(cluster).name)}; its screen: playbooks/harvester-console.ts`,
  ];
}

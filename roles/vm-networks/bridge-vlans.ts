import { absent, hostFacts, Refusal, refuse, role, task, z } from "../../src/authoring.ts";
import { type BridgeVlans, bridgeVlans } from "../../src/facts/catalogue.ts";
import { askCluster, type Seen } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";
import { managementNetwork } from "./networks.ts";

const lists = ["nodes", "vmNetworks", "networkStatuses"] as const;
type Cluster = Seen<(typeof lists)[number]>;

/** The VLAN that Linux gives every bridge port. */
const usual = 1;

/**
 * Reports which VLANs are missing from a node's bridges. It reads the node itself: Harvester's VlanStatus contains only
 * the VLANs that existed when it set up a cluster network, not those of networks that were created later (updateStatus
 * in pkg/controller/agent/vlanconfig of harvester/network-controller-harvester, commit 27e793e6). Harvester adds a VLAN
 * to the bond below the bridge (AddLocalArea in pkg/network/vlan, commit 98b4aef7).
 */
export const nodeVlans = task({
  name: "nodeVlans",
  summary: "Report which VLANs of a cluster's networks are missing from the bridges of a node",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "the VLANs on the bridges",
})
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...lists), vlans: bridgeVlans(), host: hostFacts() }))
  .want((_p, { host, ...now }) => {
    const refusal = needsKubeconfig(now);
    if (refusal instanceof Refusal) return refusal;
    const { nodes } = lookAtEach(now, lists).seen;
    if (nodes === undefined || nodes.some(({ name }) => name === host.hostname)) return {};
    return refuse({
      code: "no-node",
      message: `${host.hostname} is not a node of this cluster`,
      current: nodes.map(({ name }) => name).join(", "),
      hint: "Run this playbook with an inventory of the cluster's nodes",
    });
  })
  .steps(() => [])
  .notes((_p, { vlans, host, ...answers }) => {
    const { seen, unseen } = lookAtEach(answers, lists);
    if (unseen.length > 0) return notSeenTexts(unseenLists(unseen));
    if (vlans === absent)
      return notSeenTexts([
        { what: `the VLANs on ${host.hostname}`, code: "no-program", message: "it does not have the bridge program" },
      ]);
    return vlanTexts(host.hostname, vlans, seen as Cluster);
  });

/** Reports which VLANs a node's bridges carry, which they lack, and which they carry unnecessarily. */
export function vlanTexts(
  node: string,
  carried: BridgeVlans,
  { vmNetworks, networkStatuses }: Pick<Cluster, "vmNetworks" | "networkStatuses">,
): string[] {
  const names = new Set(vmNetworks.flatMap(({ clusterNetwork }) => clusterNetwork ?? []));
  return [...names].toSorted().flatMap((network) => {
    const bond = `${network}-bo`;
    const own = carried[bond];
    const status = networkStatuses.find((one) => one.node === node && one.clusterNetwork === network);
    if (own === undefined) {
      if (network !== managementNetwork && status === undefined) return [`${node} is not connected to ${network}`];
      return [
        `${node} lacks ${bond}${status?.ready === true ? `, although Harvester reports ${network} as ready` : ""}`,
      ];
    }
    const wanted = Map.groupBy(
      vmNetworks.filter((one) => one.clusterNetwork === network && (one.vlan ?? 0) > 0),
      ({ vlan }) => vlan ?? 0,
    );
    const missing = [...wanted].filter(([vlan]) => !own.includes(vlan)).toSorted(([a], [b]) => a - b);
    const spare = own.filter((vlan) => vlan !== usual && !wanted.has(vlan));
    const has = [...wanted.keys()].filter((vlan) => own.includes(vlan)).toSorted((a, b) => a - b);
    return [
      ...missing.map(
        ([vlan, networks]) =>
          `${node} lacks VLAN ${vlan} on ${bond}; networks without a connection there: ${networks.map(({ name }) => name).join(", ")}`,
      ),
      ...(missing.length > 0 ? ["  next: the log of the pod harvester-network-controller on this node"] : []),
      ...(has.length > 0 ? [`${node} has VLAN ${has.join(", ")} on ${bond}`] : []),
      ...(spare.length > 0 ? [`${node} has VLANs on ${bond} that no network uses: ${spare.join(", ")}`] : []),
    ];
  });
}

/** Reports which VLANs are missing from each node's bridges. Changes nothing. */
export const vlansOnNodes = role(
  {
    name: "vlans on nodes",
    summary: "Report which VLANs are missing from the bridges of the nodes, and change nothing",
    params: z.strictObject({
      kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller; read permission is enough"),
    }),
  },
  ({ kubeconfig }) => [nodeVlans({ kubeconfig })],
);

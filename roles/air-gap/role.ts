import { type HostFacts, type NewHost, nested, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { subnetAround, toAddress } from "../cluster/ipv4.ts";
import { familyOf } from "../host-packages/families.ts";
import { filterAtBoot } from "../host-packages/filter-at-boot.ts";
import { firstNode } from "../cluster-ready/role.ts";
import { nodeHost } from "../kubeconfig/role.ts";
import { sshOpen } from "../kubeconfig/ssh-open.ts";

/** The name of the table that confines the nodes to their network; libvirt's own tables are not touched. */
export const airGapTable = "harvester_air_gap";

const params = z.strictObject({ cluster: z.custom<Cluster>(), facts: z.custom<HostFacts>() });

/** Confines the nodes to their network, now and after a reboot, and makes the host their time server. */
export const airGap = role(
  {
    name: "air gap",
    summary: "Confine the nodes to their network, with the host as their time server; or lift that restriction",
    params,
  },
  ({ cluster, facts }) => {
    const { filter, chrony } = familyOf(facts);
    if (cluster.airGap === undefined) return [t.nftables({ table: airGapTable, state: "absent" })];
    const { address, prefix } = cluster.network;
    const subnet = `${toAddress(subnetAround(address, prefix).first)}/${prefix}`;
    const time = t.file({
      path: `${chrony.folder}/harvester.conf`,
      content: `# This host is the only time source of the nodes.\nallow ${subnet}\nlocal stratum 10\n`,
      mode: "0644",
    });
    return [
      t.nftables({
        table: airGapTable,
        rules: airGapRules(cluster.network.bridge, cluster.airGap.allow),
        main: filter.main,
      }),
      filterAtBoot(facts),
      t.file({ path: chrony.folder, state: "directory", mode: "0755" }),
      time,
      t.service({ name: chrony.unit, state: "started", enabled: true, restartOn: [time] }),
    ];
  },
);

/** Tests from a node whether it can reach anything outside its network. */
export const airGapProbe = role(
  {
    name: "air gap probe",
    summary: "Test from a node whether it can leave its network",
    params: z.strictObject({ cluster: z.custom<Cluster>(), host: z.string() }),
  },
  ({ cluster, host }) => {
    if (cluster.airGap === undefined || cluster.kubeconfig === false || cluster.ready === false) return [];
    const node = firstNode(cluster);
    const { probe } = cluster.airGap;
    const reachable = sshOpen({ address: node.address, bridge: cluster.network.bridge });
    const entry: NewHost = nodeHost(cluster, node, host);
    return [
      reachable,
      nested(
        entry,
        [
          t.command(
            {
              command: ["sh", "-c", `echo "a node reaches ${probe}, which is outside its network" >&2; exit 1`],
              unless: ["sh", "-c", `! ping -c 1 -W 3 ${probe}`],
              readOnly: true,
            },
            { name: `${node.name} cannot reach ${probe}` },
          ),
        ],
        { there: reachable.output },
      ),
    ];
  },
);

/**
 * Returns rules that run before libvirt's chains: the nodes may send traffic to each other, to the host and to the
 * allowed addresses. The rules do not see traffic between nodes, which stays on the bridge, or traffic that the host
 * itself sends, which is not forwarded.
 */
export function airGapRules(bridge: string, allow: readonly string[]): string {
  const exceptions = allow.length === 0 ? "" : `\n  iifname "${bridge}" ip daddr { ${allow.join(", ")} } accept`;
  return `chain forward {
  type filter hook forward priority filter - 10; policy accept;
  iifname "${bridge}" oifname "${bridge}" accept${exceptions}
  iifname "${bridge}" drop
}`;
}

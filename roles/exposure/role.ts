import { type HostFacts, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { familyOf } from "../host-packages/families.ts";
import { filterAtBoot } from "../host-packages/filter-at-boot.ts";

/**
 * Forwards ports on the host to the cluster's virtual address, with one unit per port. A unit is restarted when it
 * changes.
 */
export const exposure = role(
  {
    name: "exposure",
    summary: "Forward ports of the host to the cluster's virtual address, with one unit for each port",
    params: z.strictObject({ cluster: z.custom<Cluster>(), facts: z.custom<HostFacts>() }),
  },
  ({ cluster, facts }) => {
    if (cluster.exposure === false) return [];
    const { ports, from } = cluster.exposure;
    const unitsOf = ports.map((port) => {
      const name = exposureUnit(port);
      const conf = t.file({
        path: `/etc/systemd/system/${name}`,
        content: unitText(port, cluster.network.vip),
        mode: "0644",
        owner: "root",
        group: "root",
      });
      return [conf, t.service({ name, state: "started", enabled: true, restartOn: [conf] })];
    });
    const filter =
      from.length > 0 &&
      t.nftables({
        table: filterTable,
        rules: filterRules(ports, from, cluster.network.bridge),
        main: familyOf(facts).filter.main,
      });
    // The table above restricts access; firewalld only has to let through the traffic that the table allows.
    const open = cluster.openFirewall && t.firewalld({ ports: exposedPorts(cluster), optional: true });
    return [filter, filter && filterAtBoot(facts), open, unitsOf];
  },
);

/** Returns the exposed ports in firewalld's notation. */
export function exposedPorts({ exposure: exposed }: Pick<Cluster, "exposure">): string[] {
  return exposed === false ? [] : exposed.ports.map((port) => `${port}/tcp`);
}

/** The name of the table that restricts access to the exposed ports. */
export const filterTable = "harvester_exposure";

/** Returns the name of the unit that forwards a port. */
export function exposureUnit(port: number): string {
  return `harvester-expose-${port}.service`;
}

/**
 * Returns the unit for one port. Each port has its own process, which systemd restarts if it exits, and which does not
 * need root to forward bytes.
 */
export function unitText(port: number, vip: string): string {
  return `[Unit]
Description=Harvester's port ${port} on this host
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=/usr/bin/socat TCP-LISTEN:${port},fork,reuseaddr TCP:${vip}:${port}
User=nobody
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
# socat exits with 143 when systemd stops it, which is not a failure.
SuccessExitStatus=143
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
`;
}

/** Returns rules under which only the host itself, its nodes and these subnets can reach these ports. */
export function filterRules(ports: readonly number[], from: readonly string[], bridge: string): string {
  return `chain input {
  type filter hook input priority filter; policy accept;
  iifname { "lo", "${bridge}" } accept
  tcp dport { ${ports.join(", ")} } ip saddr != { ${from.join(", ")} } drop
  tcp dport { ${ports.join(", ")} } meta nfproto ipv6 drop
}`;
}

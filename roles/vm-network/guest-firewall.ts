import type { Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";

/**
 * firewalld's zone for libvirt's bridges; libvirt creates the zone and adds the bridges to it. It does not allow HTTP.
 */
const zone = "libvirt";

/** The services of the host that nodes use, by firewalld's names, each with its port. */
const services = { dhcp: "67/udp", dns: "53/udp", http: "80/tcp", tftp: "69/udp", ntp: "123/udp" } as const;

function servicesOf({ firmware, airGap }: Pick<Cluster, "firmware" | "airGap">): (keyof typeof services)[] {
  return [
    "dhcp",
    "dns",
    "http",
    ...(firmware === "uefi" ? (["tftp"] as const) : []),
    ...(airGap ? (["ntp"] as const) : []),
  ];
}

/** Returns the ports of the host that a cluster's nodes use. */
export function guestPorts(cluster: Pick<Cluster, "firmware" | "airGap">): string[] {
  return servicesOf(cluster).map((name) => services[name]);
}

/** Allows nodes to use the host's services, if the host has firewalld. */
export function guestFirewall(cluster: Cluster): Node {
  return (
    cluster.openFirewall && t.firewalld({ zone, services: servicesOf(cluster), zoneFrom: "virsh", optional: true })
  );
}

/** Removes from the zone everything that libvirt itself did not allow. */
export function guestFirewallGone(): Node {
  return t.firewalld({ zone, services: ["http", "ntp"], state: "absent", optional: true });
}

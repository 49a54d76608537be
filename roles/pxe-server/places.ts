import { documentRoot } from "../cluster/nodes.ts";

/** The directory with the nodes' boot scripts and configurations. */
export const nodesFolder = `${documentRoot}/nodes`;
/** The directory in which nginx keeps what installers report; nothing else writes there. */
export const reportsFolder = "/var/lib/furrow-pxe";
/** dnsmasq's configuration: in a directory that AppArmor's profile allows, and that no other dnsmasq reads. */
export const dhcpFolder = "/etc/dnsmasq.d-available";
/** dnsmasq's log, in a place that AppArmor's profile allows. */
export const dhcpLog = "/var/log/dnsmasq-pxe.log";
/** The unit of the DHCP server. */
export const dhcpUnit = "furrow-pxe-dhcp.service";
/** The name of iPXE's program for BIOS in the TFTP directory. */
export const biosProgram = "undionly.kpxe";

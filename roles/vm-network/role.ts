import { type HostFacts, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { baseUrl, bootProgramName, type ClusterNode, clusterNodes, tftpRoot } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { labelled } from "../data-disks/labelled.ts";
import { familyOf } from "../host-packages/families.ts";
import { bootProgram } from "./boot-program.ts";
import { guestFirewall } from "./guest-firewall.ts";
import { screenPassword, screenProgram } from "./screen-password.ts";

/** The SELinux type of files that dnsmasq may serve over TFTP. */
const tftpType = "tftpdir_t";

/** Maintains the nodes' network: NAT, one address reservation for each node, and the nodes' boot script. */
export const vmNetwork = role(
  {
    name: "node network",
    summary: "Create the nodes' libvirt network, with a fixed address for each node and the virtual address left free",
    params: z.strictObject({ cluster: z.custom<Cluster>(), facts: z.custom<HostFacts>() }),
  },
  ({ cluster, facts }) => {
    const { network } = cluster;
    const { ipxe, libvirt } = familyOf(facts);
    const daemonDropIns = `/etc/systemd/system/${libvirt.nodes}.service.d`;
    const uefi = cluster.firmware === "uefi";
    const screens = screenPassword(cluster);
    // A restart of libvirt does not affect running guests.
    const reading = (name: string) => (name === libvirt.nodes ? { restartOn: [screens.password] } : {});
    return [
      screens.program,
      screens.password,
      t.file({ path: daemonDropIns, state: "directory", mode: "0755" }),
      t.file({ path: `${daemonDropIns}/furrow.conf`, content: daemonDropIn(clusterNodes(cluster)), mode: "0644" }),
      libvirt.replaces.map((name) => t.service({ name, state: "stopped", enabled: false })),
      libvirt.answering.map((name) => t.service({ name, state: "started", enabled: true, ...reading(name) })),
      libvirt.atBoot.map((name) => t.service({ name, enabled: true, ...reading(name) })),
      // dnsmasq does not start without its TFTP directory.
      uefi && [
        t.file({ path: tftpRoot, state: "directory", mode: "0755", parents: true }),
        labelled({ path: tftpRoot, type: tftpType }),
        bootProgram({ from: ipxe, to: `${tftpRoot}/${bootProgramName}` }),
        labelled({ path: `${tftpRoot}/${bootProgramName}`, type: tftpType }),
      ],
      t.libvirtNet({
        name: network.name,
        bridge: network.bridge,
        address: network.address,
        prefix: network.prefix,
        dhcp: {
          // Every node has a reservation. No other client gets an address, and in particular no client gets the virtual
          // address.
          ranges: [],
          hosts: clusterNodes(cluster).map(({ mac, address: ip, name }) => ({ mac, ip, name })),
          reserved: [network.vip],
          ...(!uefi && { bootFile: `${baseUrl(cluster)}/boot.ipxe` }),
        },
        ...(uefi && { tftpRoot, dnsmasqOptions: uefiBoot(cluster) }),
      }),
      guestFirewall(cluster),
    ];
  },
);

/**
 * Returns a drop-in that makes libvirt read the password of the nodes' screens, and wait for the data disks. libvirt
 * starts the nodes at boot, but by default nothing waits for a data disk that is mounted with `nofail`, and a node
 * whose disk appears later would stay off. A disk that never appears delays libvirt only until systemd gives up on it.
 */
export function daemonDropIn(nodes: readonly ClusterNode[]): string {
  const points = nodes.flatMap((node) => [node, ...node.extraDisks]).map(({ mountPoint }) => mountPoint);
  const after = points.map((point) => `After=${mountUnit(point)}\n`).join("");
  return `[Unit]\n${after}\n[Service]\nExecStartPre=${screenProgram}\n`;
}

/**
 * Returns the name of a mount point's unit: a slash becomes a hyphen, and a hyphen is escaped as in systemd-escape(1).
 */
function mountUnit(point: string): string {
  return `${point
    .slice(1)
    .replaceAll("-", String.raw`\x2d`)
    .replaceAll("/", "-")}.mount`;
}

/**
 * Returns DHCP options for UEFI: the firmware loads iPXE over TFTP, and iPXE (DHCP option 175) then gets the boot
 * script.
 */
function uefiBoot(cluster: Cluster): string[] {
  return [
    "dhcp-match=set:is_ipxe,175",
    `dhcp-boot=tag:!is_ipxe,${bootProgramName}`,
    `dhcp-boot=tag:is_ipxe,${baseUrl(cluster)}/boot.ipxe`,
  ];
}

import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { baseUrl, type Cluster, clusterNodes, documentRoot } from "../cluster/cluster.ts";

/** Keeps the nodes' network: NAT, one reservation for each node, and the script they boot from. */
export const vmNetwork = role(
  {
    name: "node network",
    summary: "Make the nodes' libvirt network, with a fixed address for each node and the virtual address kept free",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) => {
    const { network } = cluster;
    const uefi = cluster.firmware === "uefi";
    return [
      t.service({ name: "libvirtd", state: "started", enabled: true }),
      t.libvirtNet({
        name: network.name,
        bridge: network.bridge,
        address: network.address,
        prefix: network.prefix,
        dhcp: {
          // Every node has a reservation; nobody else is to get an address here, least of all the virtual one.
          hosts: clusterNodes(cluster).map(({ mac, address: ip, name }) => ({ mac, ip, name })),
          reserved: [network.vip],
          ...(!uefi && { bootFile: `${baseUrl(cluster)}/boot.ipxe` }),
        },
        ...(uefi && { tftpRoot: documentRoot, dnsmasqOptions: uefiBoot(cluster) }),
      }),
    ];
  },
);

/** UEFI firmware loads iPXE by TFTP; iPXE (DHCP option 175) then gets the boot script. */
function uefiBoot(cluster: Cluster): string[] {
  return [
    "dhcp-match=set:is_ipxe,175",
    "dhcp-boot=tag:!is_ipxe,ipxe.efi",
    `dhcp-boot=tag:is_ipxe,${baseUrl(cluster)}/boot.ipxe`,
  ];
}

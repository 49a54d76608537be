import { generated, type HostFacts, role, type Secret, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { baseUrl, bootProgramName, type ClusterNode, clusterNodes, tftpRoot } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { labelled } from "../data-disks/labelled.ts";
import { familyOf } from "../host-packages/families.ts";
import { bootProgram } from "./boot-program.ts";
import { guestFirewall } from "./guest-firewall.ts";

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
    return [
      t.file({ path: daemonDropIns, state: "directory", mode: "0755" }),
      t.file({ path: `${daemonDropIns}/furrow.conf`, content: daemonDropIn(clusterNodes(cluster)), mode: "0644" }),
      libvirt.replaces.map((name) => t.service({ name, state: "stopped", enabled: false })),
      libvirt.answering.map((name) => t.service({ name, state: "started", enabled: true })),
      libvirt.atBoot.map((name) => t.service({ name, enabled: true })),
      t.command(
        {
          command: ["sh", "-c", screenScript, "sh", screenMarker],
          stdin: String(screenPassword(cluster)),
          creates: screenMarker,
          disturbs: ["file:/etc/libvirt/qemu.conf", `file:${screenMarker}`, "unit:*"],
        },
        { name: "password of the nodes' screens" },
      ),
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
 * Returns a drop-in that makes libvirt wait for the data disks. libvirt starts the nodes at boot, but by default
 * nothing waits for a data disk that is mounted with `nofail`, and a node whose disk appears later would stay off. A
 * disk that never appears delays libvirt only until systemd gives up on it.
 */
export function daemonDropIn(nodes: readonly ClusterNode[]): string {
  const points = nodes.flatMap((node) => [node, ...node.extraDisks]).map(({ mountPoint }) => mountPoint);
  return `[Unit]\n${points.map((point) => `After=${mountUnit(point)}\n`).join("")}`;
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

/** A marker file that exists once the password is set and libvirt has read it. */
const screenMarker = "/etc/furrow-vnc-password-set";

/**
 * Sets the password in libvirt's own file, which only root may read: a domain definition would show the password to
 * everyone who may read definitions. libvirt reads the file when it starts; its restart does not affect running guests.
 */
const screenScript = `conf=/etc/libvirt/qemu.conf marker=$1 password=$(cat)
umask 077
{ grep -v '^[# ]*vnc_password *=' "$conf"; printf 'vnc_password = "%s"\\n' "$password"; } >"$conf.part" &&
chmod 0600 "$conf.part" && mv "$conf.part" "$conf" || exit
for unit in libvirtd virtqemud; do systemctl try-restart "$unit.service" 2>/dev/null; done
: >"$marker"`;

/** Returns the password for the nodes' screens. VNC uses only eight characters. */
function screenPassword({ vncPassword, prefix }: Cluster): Secret {
  return vncPassword ?? generated(`harvester/${prefix}/vnc`, { length: 8 });
}

/**
 * Returns DHCP options for UEFI: the firmware loads iPXE over TFTP, and iPXE (DHCP option 175) then gets the boot script.
 */
function uefiBoot(cluster: Cluster): string[] {
  return [
    "dhcp-match=set:is_ipxe,175",
    `dhcp-boot=tag:!is_ipxe,${bootProgramName}`,
    `dhcp-boot=tag:is_ipxe,${baseUrl(cluster)}/boot.ipxe`,
  ];
}

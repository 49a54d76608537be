import { installScript, nodeFile } from "../boot-server/templates.ts";
import { tftpRoot } from "../cluster/nodes.ts";
import { reportsFolder } from "./places.ts";
import type { Rack, RackNode } from "./rack-fields.ts";

/** Returns the base URL of the server's files. */
export function serverUrl({ server }: Pick<Rack, "server">): string {
  return `http://${server}`;
}

/** Returns the path of a node's own file on the server, relative to the base URL. */
export function filePath(node: Pick<RackNode, "mac">, suffix: ".ipxe" | ".yaml" | ".join.yaml"): string {
  return `/nodes/${nodeFile(node, suffix)}`;
}

/**
 * The path to which an installer reports that the cluster exists. All nodes of the rack share it, whichever node is
 * the first.
 */
export const createdReport = "/created/done";

/** Returns the path to which a node's installer reports that it is done; only this node may write there. */
export function installedReport(node: Pick<RackNode, "name">): string {
  return `${installedFolder(node)}/done`;
}

/**
 * Returns the directory of a node's report; it is created when the report arrives. The directory is named after the
 * node, not after its MAC address: a node with a different card, or a machine that replaces the node, must not be
 * installed without confirmation.
 */
export function installedFolder({ name }: Pick<RackNode, "name">): string {
  return `/installed/${name}`;
}

/**
 * Returns the symbolic link through which dnsmasq looks for the files of a node's card: the link's target is the
 * directory of the node's report.
 */
export function cardLink(node: Pick<RackNode, "mac" | "name">): { readonly path: string; readonly target: string } {
  return { path: `${tftpRoot}/${nodeFile(node, "")}`, target: `${reportsFolder}${installedFolder(node)}` };
}

/** Returns the script with which iPXE installs a node. */
export function nodeScript(rack: Rack, node: RackNode): string {
  const base = serverUrl(rack);
  return installScript({
    version: rack.version,
    base,
    config: `${base}${filePath(node, ".yaml")}`,
    card: node.bootCard,
    skipChecks: rack.skipChecks,
  });
}

/** The path of the script that a node gets once it is installed. */
export const diskScriptPath = "/installed.ipxe";

/**
 * The script that an installed node gets, if its firmware tries the network first and contains iPXE itself: the script
 * ends the network boot, and the firmware tries the next device. BIOS firmware would boot from the network again, so
 * iPXE itself boots the first disk. Other firmware no longer gets iPXE: Debian 12's iPXE does not return control to
 * every UEFI firmware.
 */
export const diskScript = `#!ipxe
echo This node is installed: it starts from its disk
iseq \${platform} efi && exit ||
sanboot --no-describe --drive 0x80
`;

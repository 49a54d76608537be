import { progressOf } from "../cluster-ready/fetched.ts";
import { bootProgramName } from "../cluster/nodes.ts";
import { artifactNames } from "../cluster/releases.ts";
import { filePath } from "../pxe-server/boot-files.ts";
import type { Rack, RackNode } from "../pxe-server/rack-fields.ts";
import { askerOf, type DhcpLog } from "./dhcp-log.ts";

/** What is known about a node. */
export interface Known {
  readonly dhcp: DhcpLog;
  /** nginx's log of the nodes' requests. */
  readonly web: string;
  /** True if its installer has reported that it is done. */
  readonly installed: boolean;
  /** True if its kubelet answers. */
  readonly joined: boolean;
}

/** Returns what a node fetches over HTTP, in order. */
export function rackStages({ version }: Pick<Rack, "version">, node: RackNode): { path: string; what: string }[] {
  const names = artifactNames(version);
  return [
    { path: filePath(node, ".ipxe"), what: "its boot script" },
    { path: `/${names.kernel}`, what: "the kernel" },
    { path: `/${names.initrd}`, what: "the initrd" },
    { path: `/${names.rootfs}`, what: "the root file system" },
    { path: filePath(node, ".yaml"), what: "its configuration" },
    { path: `/${names.iso}`, what: "the ISO image" },
  ];
}

/** Describes a node's progress in one sentence. */
export function nodeProgress(rack: Pick<Rack, "version">, node: RackNode, known: Known): string {
  const { name, address } = node;
  if (known.joined)
    return `${name} is part of the cluster${known.installed ? "" : ", but its installer has not reported completion here"}`;
  if (known.installed)
    return `${name} is installed, but not yet part of the cluster; a machine that replaces it boots nothing until it is listed in \`reinstall\``;
  const own = known.dhcp.exchanges.filter(({ mac }) => mac === node.mac);
  const firmware = own.findLast(({ by }) => by === "firmware");
  const boot = own.findLast(({ by }) => by === "ipxe");
  const asked = known.web.split("\n").filter((line) => line.startsWith(`${address} `));
  const isNewer = (firmware?.at ?? -1) < (boot?.at ?? -1) || firmware === undefined;
  if (isNewer && asked.some((line) => line.includes(` ${filePath(node, ".ipxe")} `)))
    return progressOf(node, rackStages(rack, node), known.web, "");
  const last = [firmware, boot]
    .filter((one) => one !== undefined)
    .toSorted((a, b) => a.at - b.at)
    .at(-1);
  if (last === undefined)
    return `${name} has not asked for an address: is it on, does it boot from the network, and is ${node.mac} right?`;
  if (!last.answered) return `${name} has asked for an address (${askerOf(last)}), but got no answer`;
  const fits = node.firmware === "bios" ? ["bios"] : ["uefi", "http"];
  if (last.firmware !== undefined && !fits.includes(last.firmware))
    return `${name} boots with ${askerOf(last)}, but the vars say ${node.firmware}: it gets nothing to boot; change its firmware's setup, or \`firmware\``;
  if (last.by === "ipxe") return `${name} has started iPXE, which has an address, but has not fetched its boot script`;
  const byTftp = known.dhcp.sent.some((file) => file.address === address && file.at > last.at);
  const byHttp = asked.some((line) => line.includes(` 200 `) && line.includes(` /${bootProgramName} `));
  if (byTftp || (last.firmware === "http" && byHttp))
    return `${name} has loaded iPXE over ${byTftp ? "TFTP" : "HTTP"}, but iPXE has not sent a request yet; if this lasts a minute, the firmware refuses to start it: switch Secure Boot off, because iPXE is not signed`;
  return `${name} has an address (${askerOf(last)}), but has not loaded iPXE yet`;
}

import type { dhcpServer } from "../../tasks/index.ts";
import { bootProgramName, tftpRoot } from "../cluster/nodes.ts";
import { filePath, serverUrl } from "./boot-files.ts";
import { biosProgram, dhcpFolder, dhcpLog } from "./places.ts";
import type { Rack } from "./rack-fields.ts";

/** The params with which a role calls `dhcpServer`. */
export type DhcpParams = Parameters<typeof dhcpServer>[0];
type Statics = Readonly<Record<string, string>>;

/** Returns every static address of a rack, keyed by its owner; `inventory` contains those of the inventory's hosts. */
export function staticsOf(rack: Rack, inventory: Statics = {}): Record<string, string> {
  const own = rack.nodes.map(({ address }) => address);
  // The inventory may list a node under another name.
  const others = Object.entries(inventory).filter(([, address]) => !own.includes(address));
  return {
    ...Object.fromEntries(others),
    ...Object.fromEntries(rack.nodes.map(({ name, address }) => [name, address])),
    "the PXE server": rack.server,
    "the cluster (its virtual address)": rack.vip,
    ...rack.statics,
  };
}

/** Returns the params of the DHCP server for a rack. */
export function dhcpParams(rack: Rack, card: string, inventory: Statics = {}): DhcpParams {
  const url = serverUrl(rack);
  return {
    subnets: [
      {
        network: rack.network,
        interface: card,
        proxy: rack.dhcp === "proxy",
        router: rack.router,
        dns: rack.dns,
        reservations: rack.nodes.map((node) => ({
          name: node.name,
          mac: node.mac,
          address: node.address,
          boot: { firmware: node.firmware, script: `${url}${filePath(node, ".ipxe")}` },
        })),
      },
      ...rack.vmNetworks.map(({ network, interface: vlan, from, to, router, dns }) => ({
        network,
        interface: vlan,
        dns,
        pools: [{ from, to }],
        ...(router !== undefined && { router }),
      })),
    ],
    statics: staticsOf(rack, inventory),
    programs: { bios: biosProgram, uefi: bootProgramName, http: `${url}/${bootProgramName}` },
    tftpRoot,
    tftpByClient: true,
    log: dhcpLog,
    path: `${dhcpFolder}/furrow-pxe.conf`,
  };
}

import { readFile } from "node:fs/promises";
import { isIPv4 } from "node:net";
import { FurrowError } from "../../core/errors.ts";
import { withLock } from "../lock.ts";
import { raiseSwitches, restoreSwitches } from "./machine-switches.ts";
import { command } from "./shell.ts";

/** A lab's network on the machine. */
export interface LabNetwork {
  readonly bridge: string;
  /** The common prefix of all addresses, `10.77.N`. */
  readonly prefix: string;
  readonly subnet: string;
  readonly gateway: string;
  /** The MTU of the machine's outgoing interface, in bytes. */
  readonly mtu: number;
}

/**
 * Networks that a lab's hosts cannot reach, except for the name servers in them. A test must never contact private
 * addresses outside the lab. If a nested network does not exist yet, no unrelated host may answer at one of its
 * addresses.
 */
const privateNetworks = "10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16";

/**
 * The hardware address that identifies the lab that owns a bridge: locally administered, and derived from the lab's
 * mark.
 */
function macOf(mark: string): string {
  return ["02", "77", ...(mark.match(/../g) ?? [])].join(":");
}

/** The name of a lab's firewall table. */
function tableOf(mark: string): string {
  return `furrow_lab_${mark}`;
}

/**
 * Creates the lab's bridge in the first free `10.77.N.0/24`, and lets its hosts reach other networks by masquerading.
 *
 * @throws FurrowError E_LAB if all 255 subnets are taken
 */
export function makeNetwork(mark: string): Promise<LabNetwork> {
  return withLock("network", () => make(mark));
}

async function make(mark: string): Promise<LabNetwork> {
  const mtu = await outwardMtu();
  const used = (await command(["ip", "-4", "-o", "addr"])).stdout + (await command(["ip", "-4", "route"])).stdout;
  for (let n = 0; n < 255; n++) {
    const prefix = `10.77.${n}`;
    if (used.includes(` ${prefix}.`) || used.startsWith(`${prefix}.`) || used.includes(`\n${prefix}.`)) continue;
    const bridge = `furrow${n}`;
    // A bridge with this name may not have an address yet: the subnet then looks unused, but the name is already taken.
    const added = await command(["ip", "link", "add", bridge, "address", macOf(mark), "type", "bridge"], {
      allowFailure: true,
    });
    if (added.code !== 0 && /File exists/.test(added.stderr)) continue;
    if (added.code !== 0)
      throw new FurrowError("E_LAB", {
        what: "the lab's network bridge cannot be created",
        current: added.stderr.trim(),
        hint: "Check that the kernel supports bridges (`modprobe bridge`)",
      });
    const network = { bridge, prefix, subnet: `${prefix}.0/24`, gateway: `${prefix}.1`, mtu };
    await openNetwork(network, mark);
    return network;
  }
  throw new FurrowError("E_LAB", {
    what: "all subnets 10.77.N.0/24 are in use",
    hint: "Remove labs with `furrow lab down`",
  });
}

async function openNetwork({ bridge, gateway, subnet, mtu }: LabNetwork, mark: string): Promise<void> {
  await command(["ip", "addr", "add", `${gateway}/24`, "dev", bridge]);
  await command(["ip", "link", "set", bridge, "mtu", String(mtu), "up"]);
  const servers = (await nameServers()).filter((server) => isIPv4(server));
  const asked = servers.length > 0 ? `ip saddr ${subnet} ip daddr { ${servers.join(", ")} } accept;` : "";
  await command(["nft", "-f", "-"], {
    input: `table ip ${tableOf(mark)} {
      chain out { type nat hook postrouting priority srcnat; ip saddr ${subnet} ip daddr != ${subnet} masquerade; }
      chain through { type filter hook forward priority filter; ${asked}
        ip saddr ${subnet} ip daddr != ${subnet} ip daddr { ${privateNetworks} } reject with icmp type net-unreachable;
        ip saddr ${subnet} accept; ip daddr ${subnet} accept; }
    }\n`,
  });
  await raiseSwitches();
}

/**
 * Removes the lab's bridges and firewall table; if this was the last lab on the machine, also restores the kernel
 * settings.
 */
export function removeNetwork(mark: string): Promise<void> {
  return withLock("network", () => remove(mark));
}

async function remove(mark: string): Promise<void> {
  for (const bridge of await bridges())
    if (bridge.mac === macOf(mark)) await command(["ip", "link", "delete", bridge.name], { allowFailure: true });
  await command(["nft", "delete", "table", "ip", tableOf(mark)], { allowFailure: true });
  if ((await bridges()).length > 0) return;
  await restoreSwitches();
}

/** The bridges of all labs on the machine. */
async function bridges(): Promise<{ readonly name: string; readonly mac: string }[]> {
  const links = (await command(["ip", "-o", "link", "show", "type", "bridge"], { allowFailure: true })).stdout;
  return [...links.matchAll(/^\d+: (furrow\d+):.* link\/ether (\S+)/gm)].map(([, name, mac]) => ({
    name: name ?? "",
    mac: mac ?? "",
  }));
}

/** The MTU of the interface that the default route uses; 1500 without a default route. */
async function outwardMtu(): Promise<number> {
  const route = (await command(["ip", "-4", "route", "show", "default"], { allowFailure: true })).stdout;
  const device = /\bdev (\S+)/.exec(route)?.[1];
  if (device === undefined) return 1500;
  return Number(await readFile(`/sys/class/net/${device}/mtu`, "utf8").catch(() => "1500"));
}

/** The name servers that a host can reach: the machine's own, except those on its loopback interface. */
export async function nameServers(): Promise<string[]> {
  for (const file of ["/run/systemd/resolve/resolv.conf", "/etc/resolv.conf"]) {
    const text = await readFile(file, "utf8").catch(() => "");
    const servers = [...text.matchAll(/^nameserver\s+(\S+)/gm)]
      .map(([, server]) => server ?? "")
      .filter((server) => !/^(127\.|::1)/.test(server));
    if (servers.length > 0) return servers;
  }
  return [];
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskHost } from "../tasks/on-host.ts";

/** A response from a DHCP server. */
export interface DhcpAnswer {
  readonly server: string;
  /** The offered address; 0.0.0.0 from a proxy. */
  readonly address: string;
  readonly file: string;
  readonly class: string;
  readonly router: string;
  /** The PXE menu (option 43), in hexadecimal. */
  readonly menu: string;
}

/** How a machine's firmware identifies itself: DHCP options 93 and 60. */
export const firmware = {
  bios: "0 PXEClient:Arch:00000:UNDI:002001",
  uefi: "7 PXEClient:Arch:00007:UNDI:003001",
  http: "16 HTTPClient:Arch:00016:UNDI:003001",
  none: "0 -",
} as const;

/**
 * Gives a host a bridge `rack0` with the address 10.9.0.1/24, and a namespace `client` whose interface `card` is on it.
 */
export async function rackNetwork(host: TaskHost): Promise<void> {
  await host.sh(`ip link add rack0 type bridge && ip addr add 10.9.0.1/24 dev rack0 && ip link set rack0 up
ip netns add client; ip link add port0 type veth peer name card
ip link set port0 master rack0 up; ip link set card netns client; ip netns exec client ip link set card up`);
  const program = readFileSync(join(import.meta.dirname, "dhcp-client.py"), "utf8");
  await host.sh(`cat >/root/dhcp-client.py <<'END'\n${program}\nEND`);
}

/**
 * Sends a request to all DHCP servers on the bridge of {@link rackNetwork}, as a card with this address and firmware
 * would.
 */
export async function asksFor(
  host: TaskHost,
  mac: string,
  kind: keyof typeof firmware,
  is: "firmware" | "ipxe" = "firmware",
): Promise<DhcpAnswer[]> {
  const script = `ip netns exec client python3 /root/dhcp-client.py card ${mac} ${firmware[kind]} ${is}`;
  const lines = (await host.sh(script)).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as DhcpAnswer);
}

import { cidrOf, isIn, isReserved } from "../../tasks/network-interface/addresses.ts";

/** A network card as described in the vars. */
interface Nic {
  readonly address?: string | undefined;
  readonly gateway?: string | undefined;
}

/**
 * Says what is wrong with a network card's static address: no host can have it, or its gateway is in a different
 * network.
 */
export function nicIssues({ address, gateway }: Nic): { path: string[]; message: string }[] {
  const cidr = address === undefined ? undefined : cidrOf(address);
  if (address === undefined || cidr === undefined) return [];
  const reserved = "an address that a machine can have: this is the network's own address or its broadcast address";
  // With a 32-bit prefix, every gateway is in a different network.
  const isElsewhere = gateway !== undefined && cidr.prefix < 32 && !isIn(gateway, address);
  const isOwn = gateway !== undefined && gateway === address.split("/")[0];
  return [
    ...(isReserved(cidr) ? [{ path: ["address"], message: reserved }] : []),
    ...(isElsewhere ? [{ path: ["gateway"], message: `an address in the network of ${address}` }] : []),
    ...(isOwn ? [{ path: ["gateway"], message: "an address other than that of the card itself" }] : []),
  ];
}

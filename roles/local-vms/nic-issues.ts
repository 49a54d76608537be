import { cidrOf, isIn, isReserved } from "../../tasks/network-interface/addresses.ts";

/** A network card as its vars have it. */
interface Nic {
  readonly address?: string | undefined;
  readonly gateway?: string | undefined;
}

/** Says what is wrong with the static address of a network card: no host can have it, or its gateway is elsewhere. */
export function nicIssues({ address, gateway }: Nic): { path: string[]; message: string }[] {
  const cidr = address === undefined ? undefined : cidrOf(address);
  if (address === undefined || cidr === undefined) return [];
  const reserved = "an address of a machine: this is the network's own address or its broadcast address";
  // With a prefix of 32 bits every gateway is elsewhere.
  const isElsewhere = gateway !== undefined && cidr.prefix < 32 && !isIn(gateway, address);
  const isOwn = gateway !== undefined && gateway === address.split("/")[0];
  return [
    ...(isReserved(cidr) ? [{ path: ["address"], message: reserved }] : []),
    ...(isElsewhere ? [{ path: ["gateway"], message: `an address in the network of ${address}` }] : []),
    ...(isOwn ? [{ path: ["gateway"], message: "another address than that of the card itself" }] : []),
  ];
}

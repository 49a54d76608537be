import { ipv4Number, overlap, subnetOf } from "../../src/facts/catalogue.ts";
import type { Params, Problem, Subnet } from "./fields.ts";

interface Owned {
  readonly owner: string;
  readonly address: string;
}

/** Finds pools and reservations that conflict with the static addresses, their subnet or each other. */
export function problemsOfRanges({ subnets, statics }: Params): Problem[] {
  const owned: Owned[] = [
    ...Object.entries(statics).map(([owner, address]) => ({ owner, address })),
    ...subnets.flatMap((subnet) =>
      subnet.router === undefined ? [] : [{ owner: "the router", address: subnet.router }],
    ),
  ];
  return subnets.flatMap((subnet, at) =>
    [
      ...problemOfSubnet(subnet, subnets.slice(0, at)),
      ...problemsOfPools(subnet, owned),
      ...problemsOfReservations(subnet, owned, subnets.slice(0, at)),
    ].map(({ path, message }) => ({ path: ["subnets", at, ...path], message })),
  );
}

function problemOfSubnet(subnet: Subnet, earlier: readonly Subnet[]): Problem[] {
  const other = earlier.find(({ network }) => overlap(network, subnet.network));
  return other === undefined ? [] : [{ path: ["network"], message: `a subnet that does not overlap ${other.network}` }];
}

function problemsOfPools(subnet: Subnet, owned: readonly Owned[]): Problem[] {
  return subnet.pools.flatMap((pool, place): Problem[] => {
    const path = ["pools", place];
    if (subnet.proxy) return [{ path, message: "no pool, because another server assigns the addresses (proxy)" }];
    if (!isUsable(pool.from, subnet)) return [{ path: [...path, "from"], message: usable(subnet) }];
    if (!isUsable(pool.to, subnet)) return [{ path: [...path, "to"], message: usable(subnet) }];
    const [from, to] = [numberOf(pool.from), numberOf(pool.to)];
    if (from > to) return [{ path: [...path, "to"], message: `an address not lower than ${pool.from}` }];
    const taken = owned.filter(({ address }) => numberOf(address) >= from && numberOf(address) <= to);
    const overlapped = subnet.pools
      .slice(0, place)
      .find((other) => numberOf(other.from) <= to && from <= numberOf(other.to));
    return [
      ...taken.map(({ owner, address }) => ({
        path,
        message: `a range without ${address}, the address of ${owner}, not ${pool.from} to ${pool.to}`,
      })),
      ...(overlapped === undefined
        ? []
        : [{ path, message: `a range that does not overlap ${overlapped.from} to ${overlapped.to}` }]),
    ];
  });
}

function problemsOfReservations(subnet: Subnet, owned: readonly Owned[], earlier: readonly Subnet[]): Problem[] {
  const before = earlier.flatMap(({ reservations }) => reservations);
  return subnet.reservations.flatMap((one, place): Problem[] => {
    const path = ["reservations", place];
    const others = [...before, ...subnet.reservations.slice(0, place)];
    // One machine may have cards in several subnets, but each card is in only one of them.
    const same = others.find(({ mac, address, name }) => mac === one.mac || name === one.name || isSame(address, one));
    if (same !== undefined)
      return [{ path, message: `a name, MAC address and IP address that differ from those of ${same.name}` }];
    if (one.address === undefined) return subnet.proxy ? [] : [{ path: [...path, "address"], message: usable(subnet) }];
    if (!isUsable(one.address, subnet)) return [{ path: [...path, "address"], message: usable(subnet) }];
    const holder = owned.find(({ address, owner }) => isSame(address, one) && owner !== one.name);
    return holder === undefined
      ? []
      : [{ path: [...path, "address"], message: `an address other than that of ${holder.owner}` }];
  });
}

function isSame(address: string | undefined, one: { readonly address?: string | undefined }): boolean {
  return address !== undefined && address === one.address;
}

/** True for an address in the subnet that a client can have: not the first or last one. */
function isUsable(address: string, { network }: Subnet): boolean {
  const range = subnetOf(network);
  const number = numberOf(address);
  return range !== undefined && number > range.first && number < range.last;
}

function usable({ network }: Subnet): string {
  return `a client address in ${network}`;
}

function numberOf(address: string): number {
  return ipv4Number(address) ?? -1;
}

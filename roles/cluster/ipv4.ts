import { ipv4Number, subnetOf } from "../../src/facts/catalogue.ts";

/** Converts a 32-bit number to a dotted address. */
export function toAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

/**
 * Returns the first and last address, as numbers, of the subnet that contains `address`; throws for an invalid address,
 * which the schema should not accept.
 */
export function subnetAround(address: string, prefix: number): { readonly first: number; readonly last: number } {
  const subnet = subnetOf(`${address}/${prefix}`);
  if (subnet === undefined) throw new TypeError(`${address}/${prefix} is not a subnet`);
  return subnet;
}

/** True if an address is in the subnet. */
export function isInside(address: string, subnet: { readonly first: number; readonly last: number }): boolean {
  const number = ipv4Number(address);
  return number !== undefined && number >= subnet.first && number <= subnet.last;
}

/** IPv4 addresses as numbers, for sums on subnets. */

const pattern = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** The 32-bit number of a dotted address; undefined where it is none. */
export function toNumber(address: string): number | undefined {
  const parts = pattern.exec(address)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** The dotted address of a 32-bit number. */
export function toAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

/** First and last address of the subnet that holds `address`: network and broadcast address. */
export function subnetOf(address: string, prefix: number): { readonly first: number; readonly last: number } {
  const size = 2 ** (32 - prefix);
  const number = toNumber(address) ?? 0;
  const first = Math.floor(number / size) * size;
  return { first, last: first + size - 1 };
}

/** True where an address lies in the subnet. */
export function isInside(address: string, subnet: { readonly first: number; readonly last: number }): boolean {
  const number = toNumber(address);
  return number !== undefined && number >= subnet.first && number <= subnet.last;
}
